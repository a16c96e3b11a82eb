import type { Node } from "web-tree-sitter"
import type { ImportStatement } from "../facts.ts"
import type { Language } from "../parse/language.ts"
import { unquoted } from "../parse/nodes.ts"
import { within } from "../resolve.ts"
import type { SourceIndex } from "../source-index.ts"

const QUERY = `
(comment) @comment
(package_clause (package_identifier) @package)
(function_declaration name: (identifier) @name) @def.function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: (_) @owner))
  name: (field_identifier) @name) @def.method
(type_spec name: (type_identifier) @name type: (struct_type (field_declaration_list) @body)) @def.class
(type_spec name: (type_identifier) @name type: (interface_type "{" @body)) @def.interface
(type_spec name: (type_identifier) @name) @def.type
(type_alias name: (type_identifier) @name) @def.type
(method_elem name: (field_identifier) @name) @def.method
(const_spec name: (identifier) @name) @def.constant
(var_spec name: (identifier) @name) @def.variable
(type_declaration . (type_spec) @inner .) @wrapper
(type_declaration . (type_alias) @inner .) @wrapper
(const_declaration . (const_spec) @inner .) @wrapper
(var_declaration . (var_spec) @inner .) @wrapper
(func_literal) @scope
(field_declaration name: (field_identifier) @declared)
(keyed_element . (literal_element (identifier) @declared))

(call_expression function: (identifier) @ref)
(call_expression function: (selector_expression field: (field_identifier) @ref))
(type_identifier) @ref
(identifier) @capital
(field_identifier) @capital

(import_spec) @import
`

const BUILTINS: ReadonlySet<string> = new Set(
  (
    "any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 " +
    "int64 rune string uint uint8 uint16 uint32 uint64 uintptr append cap close copy delete len " +
    "make max min new panic print println recover"
  ).split(" "),
)

export const go: Language = {
  name: "go",
  extensions: ["go"],
  query: QUERY,
  builtins: BUILTINS,
  isVisible: ({ name }) => /^\p{Lu}/u.test(name),
  readImport,
  resolveImport,
}

function readImport(statement: Node): readonly ImportStatement[] {
  const path = statement.childForFieldName("path")
  return path === null ? [] : [{ specifier: unquoted(path) }]
}

function resolveImport(
  { specifier }: ImportStatement,
  _fromPath: string,
  index: SourceIndex,
): readonly string[] {
  for (const { name, folder } of index.goModules) {
    if (specifier !== name && !specifier.startsWith(`${name}/`)) continue
    const rest = specifier.slice(name.length + 1)
    const files = index.inFolder(rest === "" ? folder : within(folder, rest))
    return files.filter((it) => it.endsWith(".go") && !it.endsWith("_test.go")).toSorted()
  }
  return []
}
