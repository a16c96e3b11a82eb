import type { Node } from "web-tree-sitter"
import type { Imported } from "../facts.ts"
import type { Language } from "../language.ts"
import { resolveJvmImport } from "./jvm.ts"

const QUERY = `
[(comment) (block_comment)] @comment
(package_clause name: (package_identifier) @package)
(class_definition name: (identifier) @name) @def.class
(object_definition name: (identifier) @name) @def.module
(trait_definition name: (identifier) @name) @def.interface
(enum_definition name: (identifier) @name) @def.enum
(type_definition name: (type_identifier) @name) @def.type
(function_definition name: (identifier) @name) @def.function
(function_declaration name: (identifier) @name) @def.function
(given_definition name: (identifier) @name) @def.constant
(compilation_unit (val_definition pattern: (identifier) @name) @def.constant)
(compilation_unit (var_definition pattern: (identifier) @name) @def.variable)
(object_definition body: (template_body (val_definition pattern: (identifier) @name) @def.constant))
(object_definition body: (template_body (var_definition pattern: (identifier) @name) @def.variable))
(lambda_expression) @scope
(simple_enum_case name: (identifier) @declared)
(full_enum_case name: (identifier) @declared)

(call_expression function: (identifier) @ref)
(call_expression function: (field_expression field: (identifier) @ref))
(call_expression function: (generic_function function: (identifier) @ref))
(type_identifier) @ref
(identifier) @capital

(import_declaration) @import
`

export const scala: Language = {
  name: "scala",
  extensions: ["scala", "sc"],
  query: QUERY,
  isVisible: ({ head }) => !/\bprivate\b/.test(head),
  readImport,
  resolveImport: resolveJvmImport,
}

/** `import a.b.C, d.{E, F => G}`: the grammar gives the parts in a row, with commas between. */
function readImport(statement: Node): readonly Imported[] {
  const found: { path: string[]; names?: readonly string[] }[] = []
  let isNew = true
  for (const child of statement.children) {
    if (!child.isNamed && (child.type === "," || child.type === "import")) isNew = true
    if (!child.isNamed) continue
    if (isNew) found.push({ path: [] })
    isNew = false
    const last = found.at(-1)
    if (last === undefined) continue
    if (child.type === "namespace_selectors") last.names = child.namedChildren.map(selected)
    else if (child.type === "namespace_wildcard") last.names = ["*"]
    else last.path.push(child.text)
  }
  return found
    .filter((it) => it.path.length > 0)
    .map(({ path, names }) => ({
      specifier: path.join(".").replace(/\s/g, ""),
      ...(names !== undefined && { names }),
    }))
}

function selected(node: Node): string {
  const name = node.childForFieldName("name")?.text ?? node.text
  return name === "_" || node.type === "namespace_wildcard" ? "*" : name
}
