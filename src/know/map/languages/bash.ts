import type { Node } from "web-tree-sitter"
import type { ImportStatement } from "../facts.ts"
import type { Language } from "../parse/language.ts"
import { firstOf, inside, nearest, relativePath } from "../resolve.ts"
import type { SourceIndex } from "../source-index.ts"

const QUERY = `
(comment) @comment
(function_definition name: (word) @name) @def.function
(program (declaration_command "readonly" (variable_assignment name: (variable_name) @name)) @def.constant)
(program (declaration_command "declare" (word) @_flag (variable_assignment name: (variable_name) @name)
  (#match? @_flag "^-[a-zA-Z]*r")) @def.constant)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @def.variable)
(program (variable_assignment name: (variable_name) @name) @def.variable)

(command name: (command_name (word) @ref))
(simple_expansion (variable_name) @capital)
(expansion (variable_name) @capital)

(command name: (command_name (word) @_source) (#match? @_source "^(source|\\\\.)$")) @import
`

export const bash: Language = {
  name: "bash",
  extensions: ["sh", "bash", "zsh", "ksh", "bats"],
  interpreters: ["sh", "bash", "zsh", "ksh", "dash"],
  query: QUERY,
  isVisible: () => true,
  readImport,
  resolveImport,
}

/** Variables are unknown; usually they contain the script's own folder. */
function readImport(statement: Node): readonly ImportStatement[] {
  const [argument] = statement.childrenForFieldName("argument")
  if (argument === undefined) return []
  const path = argument.text
    .replace(/^["']|["']$/g, "")
    .replace(/^(?:\$\([^]*\)|\$\{[^}]*\}|\$\w+)\/?/, "./")
    .replace(/^\.\/(?=\.\.?\/)/, "")
  return path === "" || /[$`*]/.test(path) ? [] : [{ specifier: path }]
}

function resolveImport(
  { specifier }: ImportStatement,
  fromPath: string,
  index: SourceIndex,
): readonly string[] {
  const files = firstOf(index, [relativePath(fromPath, specifier), inside(specifier)])
  if (files.length > 0) return files
  const tail = specifier.replace(/^(?:\.\.?\/)+/, "")
  return tail.startsWith("/") ? [] : nearest(index.endingIn(tail), fromPath)
}
