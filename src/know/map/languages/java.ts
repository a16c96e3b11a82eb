import type { Node } from "web-tree-sitter"
import type { Imported } from "../facts.ts"
import type { Definition, Language } from "../language.ts"
import { childrenOfType } from "../nodes.ts"
import { resolveJvmImport } from "./jvm.ts"

const QUERY = `
[(line_comment) (block_comment)] @comment
(package_declaration [(scoped_identifier) (identifier)] @package)
(class_declaration name: (identifier) @name) @def.class
(record_declaration name: (identifier) @name) @def.class
(interface_declaration name: (identifier) @name) @def.interface
(annotation_type_declaration name: (identifier) @name) @def.interface
(enum_declaration name: (identifier) @name) @def.enum
(method_declaration name: (identifier) @name) @def.method
(constructor_declaration name: (identifier) @name) @def.method
(annotation_type_element_declaration name: (identifier) @name) @def.method
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @def.constant
(field_declaration (modifiers) @_modifiers declarator: (variable_declarator name: (identifier) @name)
  (#match? @_modifiers "static[^]*final|final[^]*static")) @def.constant
(lambda_expression) @scope
(enum_constant name: (identifier) @declared)

(method_invocation name: (identifier) @ref)
(annotation name: (identifier) @ref)
(marker_annotation name: (identifier) @ref)
(type_identifier) @ref
(identifier) @capital

(import_declaration) @import
`

export const java: Language = {
  name: "java",
  extensions: ["java"],
  query: QUERY,
  isVisible: ({ head }: Definition) => !/\bprivate\b/.test(head),
  readImport,
  resolveImport: resolveJvmImport,
}

function readImport(statement: Node): readonly Imported[] {
  const [path] = childrenOfType(statement, "scoped_identifier", "identifier")
  if (path === undefined) return []
  const isAll = childrenOfType(statement, "asterisk").length > 0
  return [{ specifier: path.text.replace(/\s/g, ""), ...(isAll && { names: ["*"] }) }]
}
