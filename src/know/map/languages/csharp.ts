import type { Node } from "web-tree-sitter"
import type { ImportStatement } from "../facts.ts"
import type { Definition, Language } from "../parse/language.ts"
import { childrenOfType } from "../parse/nodes.ts"
import type { SourceIndex } from "../source-index.ts"

const QUERY = `
(comment) @comment
(namespace_declaration name: (_) @package)
(file_scoped_namespace_declaration name: (_) @package)
(namespace_declaration name: (_) @name) @def.module
(class_declaration name: (identifier) @name) @def.class
(struct_declaration name: (identifier) @name) @def.class
(record_declaration name: (identifier) @name) @def.class
(interface_declaration name: (identifier) @name) @def.interface
(enum_declaration name: (identifier) @name) @def.enum
(delegate_declaration name: (identifier) @name) @def.type
(method_declaration name: (identifier) @name) @def.method
(constructor_declaration name: (identifier) @name) @def.method
(local_function_statement name: (identifier) @name) @def.function
(property_declaration name: (identifier) @name accessors: (_) @body) @def.variable
(property_declaration name: (identifier) @name value: (_) @body) @def.variable
(field_declaration (modifier) @_modifier (variable_declaration (variable_declarator name: (identifier) @name))
  (#match? @_modifier "^(const|readonly)$")) @def.constant
[(lambda_expression) (anonymous_method_expression)] @scope
(enum_member_declaration name: (identifier) @declared)
(variable_declarator name: (identifier) @declared)
(parameter name: (identifier) @declared)

(invocation_expression function: (identifier) @ref)
(invocation_expression function: (generic_name (identifier) @ref))
(invocation_expression function: (member_access_expression name: (identifier) @ref))
(invocation_expression function: (member_access_expression name: (generic_name (identifier) @ref)))
(object_creation_expression type: (identifier) @ref)
(attribute name: (identifier) @ref)
(identifier) @capital

(using_directive) @import
`

export const csharp: Language = {
  name: "csharp",
  extensions: ["cs"],
  query: QUERY,
  isVisible,
  readImport,
  resolveImport,
}

/** Members are private by default, those of an interface public; types are visible. */
function isVisible({ head, owner, kind }: Definition): boolean {
  if (kind === "module" || owner?.kind === "interface") return true
  const isMember = kind === "method" || kind === "constant" || kind === "variable"
  if (isMember) return /\b(?:public|internal|protected)\b/.test(head)
  return !/\b(?:private|file)\b/.test(head)
}

function readImport(statement: Node): readonly ImportStatement[] {
  const path = childrenOfType(statement, "qualified_name", "identifier", "alias_qualified_name").at(
    -1,
  )
  return path === undefined ? [] : [{ specifier: path.text.replace(/\s/g, "") }]
}

function resolveImport(
  { specifier }: ImportStatement,
  _fromPath: string,
  index: SourceIndex,
): readonly string[] {
  const files = index.ofPackage(specifier)
  if (files.length > 0) return files
  const cut = specifier.lastIndexOf(".")
  return cut < 0 ? [] : index.defining(specifier.slice(cut + 1), specifier.slice(0, cut))
}
