import type { Node } from "web-tree-sitter"
import type { ImportStatement } from "../facts.ts"
import type { Language } from "../parse/language.ts"
import { childrenOfType } from "../parse/nodes.ts"
import { firstOf, inside, nearest, relativePath } from "../resolve.ts"
import type { SourceIndex } from "../source-index.ts"

const QUERY = `
(comment) @comment
(namespace_definition name: (namespace_name) @package)
(class_declaration name: (name) @name) @def.class
(trait_declaration name: (name) @name) @def.class
(interface_declaration name: (name) @name) @def.interface
(enum_declaration name: (name) @name) @def.enum
(function_definition name: (name) @name) @def.function
(method_declaration name: (name) @name) @def.method
(const_declaration (const_element . (name) @name)) @def.constant
(function_call_expression function: (name) @_define
  arguments: (arguments . (argument (string (string_content) @name)))
  (#eq? @_define "define")) @def.constant
[(anonymous_function) (arrow_function)] @scope

(function_call_expression function: (name) @ref)
(function_call_expression function: (qualified_name (name) @ref))
(member_call_expression name: (name) @ref)
(nullsafe_member_call_expression name: (name) @ref)
(scoped_call_expression name: (name) @ref)
(scoped_call_expression scope: (name) @ref)
(object_creation_expression (name) @ref)
(object_creation_expression (qualified_name (name) @ref))
(named_type (name) @ref)
(named_type (qualified_name (name) @ref))
(base_clause (name) @ref)
(class_interface_clause (name) @ref)
(use_declaration (name) @ref)
(attribute (name) @ref)
(class_constant_access_expression . (name) @ref)

(namespace_use_declaration) @import
[(require_expression) (require_once_expression) (include_expression) (include_once_expression)] @import
`

export const php: Language = {
  name: "php",
  extensions: ["php", "phtml", "inc"],
  interpreters: ["php"],
  query: QUERY,
  isVisible: ({ head }) => !/\bprivate\b/.test(head),
  readImport,
  resolveImport,
}

function readImport(statement: Node): readonly ImportStatement[] {
  if (statement.type !== "namespace_use_declaration") return readRequire(statement)
  const prefix = childrenOfType(statement, "namespace_name")[0]
  const group = childrenOfType(statement, "namespace_use_group")[0]
  const clauses = childrenOfType(group ?? statement, "namespace_use_clause")
  const names = clauses.flatMap((it) => pathOf(it) ?? [])
  if (prefix !== undefined) return [{ specifier: prefix.text, names }]
  return names.map((specifier) => ({ specifier: specifier.replace(/^\\/, "") }))
}

function pathOf(clause: Node): string | undefined {
  return childrenOfType(clause, "qualified_name", "name", "namespace_name")[0]?.text
}

/** Only the last string counts; the part before it is a folder, usually the file's own. */
function readRequire(statement: Node): readonly ImportStatement[] {
  const last = statement.descendantsOfType("string_content").at(-1)?.text
  return last === undefined ? [] : [{ specifier: `./${last.replace(/^[./]*\//, keepUps)}` }]
}

function keepUps(start: string): string {
  return "../".repeat(start.split("..").length - 1)
}

/** By declared namespace, or by a path that ends like the name (PSR-4). */
function resolveImport(
  { specifier, names = [] }: ImportStatement,
  fromPath: string,
  index: SourceIndex,
): readonly string[] {
  if (specifier.startsWith("./")) return fileOf(specifier, fromPath, index)
  const specifiers = names.length === 0 ? [specifier] : names.map((it) => `${specifier}\\${it}`)
  return [...new Set(specifiers.flatMap((it) => classOf(it.split("\\"), fromPath, index)))]
}

function fileOf(specifier: string, fromPath: string, index: SourceIndex): readonly string[] {
  const files = firstOf(index, [relativePath(fromPath, specifier), inside(specifier)])
  const tail = specifier.replace(/^(?:\.\.?\/)+/, "")
  return files.length > 0 ? files : nearest(index.endingIn(tail), fromPath)
}

function classOf(
  segments: readonly string[],
  fromPath: string,
  index: SourceIndex,
): readonly string[] {
  const name = segments.at(-1) ?? ""
  const defining = index.defining(name, segments.slice(0, -1).join("\\"))
  if (defining.length > 0) return defining
  for (let from = 0; from < segments.length - 1; from++) {
    const tail = `${segments.slice(from).join("/")}.php`
    const files = nearest(index.endingIn(tail), fromPath)
    if (files.length > 0) return files
  }
  return []
}
