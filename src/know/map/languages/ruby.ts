import type { Node } from "web-tree-sitter"
import type { ImportStatement } from "../facts.ts"
import type { Definition, Language } from "../parse/language.ts"
import { unquoted } from "../parse/nodes.ts"
import { firstOf, nearest, relativePath } from "../resolve.ts"
import type { SourceIndex } from "../source-index.ts"

const QUERY = `
(comment) @comment
(module name: (_) @name) @def.module
(class name: (_) @name) @def.class
(singleton_class) @nameless
(method name: (_) @name) @def.function
(singleton_method name: (_) @name) @def.function
(assignment left: (constant) @name) @def.constant
(body_statement (identifier) @section (#match? @section "^(private|protected|public)$"))
(do_block) @scope

(call method: (identifier) @ref)
(call method: (constant) @ref)
(constant) @ref

(call method: (identifier) @_method arguments: (argument_list . (string))
  (#match? @_method "^(require|require_relative|load)$")) @import
`

export const ruby: Language = {
  name: "ruby",
  extensions: ["rb", "rake", "gemspec", "ru"],
  interpreters: ["ruby"],
  query: QUERY,
  bodyTypes: ["body_statement"],
  isVisible,
  readImport,
  resolveImport,
}

function isVisible({ section, kind, head }: Definition): boolean {
  const isOfInstances = kind === "method" && !/\bself\.$/.test(head)
  return !isOfInstances || section === undefined || section === "public"
}

function readImport(statement: Node): readonly ImportStatement[] {
  const path = statement.childForFieldName("arguments")?.firstNamedChild
  if (path === null || path === undefined) return []
  const isRelative = statement.childForFieldName("method")?.text === "require_relative"
  const specifier = unquoted(path)
  return [{ specifier: isRelative && !specifier.startsWith(".") ? `./${specifier}` : specifier }]
}

function resolveImport(
  { specifier }: ImportStatement,
  fromPath: string,
  index: SourceIndex,
): readonly string[] {
  const path = specifier.endsWith(".rb") ? specifier : `${specifier}.rb`
  if (path.startsWith(".")) return firstOf(index, [relativePath(fromPath, path)])
  const tails = index.endingIn(`lib/${path}`)
  return nearest(tails.length > 0 ? tails : index.endingIn(path), fromPath)
}
