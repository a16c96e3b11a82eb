import type { Language } from "../language.ts"
import { ECMASCRIPT, ECMASCRIPT_QUERY, JSX_QUERY } from "./ecmascript.ts"

export const javascript: Language = {
  name: "javascript",
  extensions: ["js", "jsx", "mjs", "cjs"],
  interpreters: ["node"],
  query: `${ECMASCRIPT_QUERY}${JSX_QUERY}
(field_definition property: (property_identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.function
`,
  ...ECMASCRIPT,
}
