import type { Node } from "web-tree-sitter"
import type { Imported } from "../facts.ts"
import type { Language } from "../language.ts"
import { childrenOfType, hasToken } from "../nodes.ts"
import { resolveJvmImport } from "./jvm.ts"

const QUERY = `
[(line_comment) (block_comment)] @comment
(package_header (qualified_identifier) @package)
(class_declaration "interface" name: (identifier) @name) @def.interface
(class_declaration (modifiers (class_modifier) @_modifier) name: (identifier) @name
  (#eq? @_modifier "enum")) @def.enum
(class_declaration name: (identifier) @name) @def.class
(object_declaration name: (identifier) @name) @def.module
(companion_object) @nameless
(function_declaration name: (identifier) @name) @def.function
(type_alias type: (identifier) @name) @def.type
(property_declaration (modifiers (property_modifier) @_modifier) (variable_declaration . (identifier) @name)
  (#eq? @_modifier "const")) @def.constant
(source_file (property_declaration "val" (variable_declaration . (identifier) @name)) @def.constant)
(source_file (property_declaration "var" (variable_declaration . (identifier) @name)) @def.variable)
(lambda_literal) @scope
(enum_entry (identifier) @declared)

(call_expression . (identifier) @ref)
(call_expression . (navigation_expression (identifier) @ref .))
(user_type (identifier) @ref)
(identifier) @capital

(import) @import
`

export const kotlin: Language = {
  name: "kotlin",
  extensions: ["kt", "kts"],
  query: QUERY,
  bodyTypes: ["class_body", "enum_class_body", "function_body"],
  isVisible: ({ head }) => !/\bprivate\b/.test(head),
  readImport,
  resolveImport: resolveJvmImport,
}

function readImport(statement: Node): readonly Imported[] {
  const [path] = childrenOfType(statement, "qualified_identifier")
  if (path === undefined) return []
  const isAll = hasToken(statement, "*")
  return [{ specifier: path.text.replace(/\s/g, ""), ...(isAll && { names: ["*"] }) }]
}
