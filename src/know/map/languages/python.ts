import type { Node } from "web-tree-sitter"
import type { ImportStatement } from "../facts.ts"
import type { Definition, Language } from "../parse/language.ts"
import { childrenOfType } from "../parse/nodes.ts"
import { firstOf, foldersAbove, within } from "../resolve.ts"
import type { SourceIndex } from "../source-index.ts"

const QUERY = `
(comment) @comment
(function_definition name: (identifier) @name) @def.function
(class_definition name: (identifier) @name) @def.class
(type_alias_statement left: (type (identifier) @name)) @def.type
(module (expression_statement (assignment
  left: (identifier) @name (#match? @name "^[A-Z][A-Z0-9_]*$")) @def.constant))
(module (expression_statement (assignment left: (identifier) @name) @def.variable))
(module (expression_statement (assignment left: (pattern_list (identifier) @name)) @def.variable))
(class_definition body: (block (expression_statement (assignment
  left: (identifier) @name (#match? @name "^[A-Z][A-Z0-9_]*$")) @def.constant)))
(decorated_definition definition: (_) @inner) @wrapper
(function_definition body: (block . (expression_statement (string) @docstring))) @documented
(class_definition body: (block . (expression_statement (string) @docstring))) @documented
(module (expression_statement (assignment left: (identifier) @_all
  right: [(list (string (string_content) @exported)) (tuple (string (string_content) @exported))]
  (#eq? @_all "__all__"))))

(call function: (identifier) @ref)
(call function: (attribute attribute: (identifier) @ref))
(decorator (identifier) @ref)
(decorator (attribute attribute: (identifier) @ref))
(class_definition superclasses: (argument_list (identifier) @ref))
(identifier) @capital

(import_statement) @import
(import_from_statement) @import
`

export const python: Language = {
  name: "python",
  extensions: ["py", "pyi"],
  interpreters: ["python", "python3", "python2"],
  query: QUERY,
  isVisible,
  readImport,
  resolveImport,
}

function isVisible({ name, owner, listed }: Definition): boolean {
  if (owner === undefined && listed !== undefined) return listed.has(name)
  return !name.startsWith("_") || /^__\w+__$/.test(name)
}

function readImport(statement: Node): readonly ImportStatement[] {
  const names = statement.childrenForFieldName("name").flatMap((it) => nameOf(it) ?? [])
  const source = statement.childForFieldName("module_name")
  if (source === null) return names.map((specifier) => ({ specifier }))
  const isAll = childrenOfType(statement, "wildcard_import").length > 0
  return [{ specifier: source.text.replace(/\s/g, ""), names: isAll ? ["*"] : names }]
}

function nameOf(node: Node): string | undefined {
  const name = node.type === "aliased_import" ? node.childForFieldName("name") : node
  return name?.text.replace(/\s/g, "")
}

function resolveImport(
  { specifier, names = [] }: ImportStatement,
  fromPath: string,
  index: SourceIndex,
): readonly string[] {
  const [, dots = "", dotted = ""] = /^(\.*)([^]*)$/.exec(specifier) ?? []
  const path = dotted.replaceAll(".", "/")
  for (const folder of startsOf(dots.length, fromPath)) {
    const base = path === "" ? folder : within(folder, path)
    const submodules = names.flatMap((name) => moduleAt(index, within(base, name)))
    const files = [...moduleAt(index, base), ...submodules]
    if (files.length > 0) return [...new Set(files)]
  }
  return []
}

/** Dots start at the file's own folder; other paths at any folder above it. */
function startsOf(dots: number, fromPath: string): readonly string[] {
  const folders = foldersAbove(fromPath)
  if (dots === 0) return [...folders, "src", "lib"]
  return folders.slice(dots - 1, dots)
}

function moduleAt(index: SourceIndex, base: string): readonly string[] {
  return firstOf(index, [`${base}.py`, within(base, "__init__.py"), `${base}.pyi`])
}
