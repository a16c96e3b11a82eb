import type { Language } from "../language.ts"
import { ECMASCRIPT, JSX_QUERY } from "./ecmascript.ts"
import { TYPESCRIPT_QUERY } from "./typescript.ts"

/** A grammar of its own: `<Type>value` cannot be written where tags are. */
export const tsx: Language = {
  name: "tsx",
  extensions: ["tsx"],
  query: TYPESCRIPT_QUERY + JSX_QUERY,
  ...ECMASCRIPT,
}
