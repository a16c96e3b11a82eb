import type { Node } from "web-tree-sitter"
import type { ImportStatement } from "../facts.ts"
import type { Language } from "../parse/language.ts"
import { childrenOfType } from "../parse/nodes.ts"
import { within } from "../resolve.ts"
import type { SourceIndex } from "../source-index.ts"

const QUERY = `
[(comment) (multiline_comment)] @comment
(class_declaration "extension" name: (_) @name) @container
(class_declaration "enum" name: (_) @name) @def.enum
(class_declaration declaration_kind: ["class" "struct" "actor"] name: (_) @name) @def.class
(protocol_declaration name: (_) @name) @def.interface
(function_declaration name: (simple_identifier) @name) @def.function
(protocol_function_declaration name: (simple_identifier) @name) @def.function
(init_declaration "init" @name) @def.function
(typealias_declaration name: (type_identifier) @name) @def.type
(source_file (property_declaration (value_binding_pattern "let") name: (pattern bound_identifier: (simple_identifier) @name)) @def.constant)
(source_file (property_declaration (value_binding_pattern "var") name: (pattern bound_identifier: (simple_identifier) @name)) @def.variable)
(property_declaration (modifiers (property_modifier) @_modifier) (value_binding_pattern "let")
  name: (pattern bound_identifier: (simple_identifier) @name) (#eq? @_modifier "static")) @def.constant
(lambda_literal) @scope

(call_expression . (simple_identifier) @ref)
(call_expression . (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @ref)))
(user_type (type_identifier) @ref)
(simple_identifier) @capital

(import_declaration) @import
`

export const swift: Language = {
  name: "swift",
  extensions: ["swift"],
  query: QUERY,
  isVisible: ({ head }) => !/\b(?:fileprivate|private)\b(?!\(set\))/.test(head),
  readImport,
  resolveImport,
}

function readImport(statement: Node): readonly ImportStatement[] {
  const [name] = childrenOfType(statement, "identifier")
  return name === undefined ? [] : [{ specifier: name.text }]
}

function resolveImport(
  { specifier }: ImportStatement,
  _fromPath: string,
  index: SourceIndex,
): readonly string[] {
  const name = specifier.split(".")[0] ?? ""
  for (const folder of [`Sources/${name}`, `Tests/${name}`, name]) {
    const files = index.below(folder).filter((it) => it.endsWith(".swift"))
    if (files.length > 0) return files
  }
  return index.has(within(name, "main.swift")) ? [within(name, "main.swift")] : []
}
