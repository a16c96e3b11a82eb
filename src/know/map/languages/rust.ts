import { posix } from "node:path"
import type { Node } from "web-tree-sitter"
import type { ImportStatement } from "../facts.ts"
import type { Definition, Language } from "../parse/language.ts"
import { firstOf, foldersAbove, nearest, within } from "../resolve.ts"
import type { SourceIndex } from "../source-index.ts"

const QUERY = `
[(line_comment) (block_comment)] @comment
(attribute_item) @attribute
(function_item name: (identifier) @name) @def.function
(function_signature_item name: (identifier) @name) @def.function
(struct_item name: (type_identifier) @name) @def.class
(union_item name: (type_identifier) @name) @def.class
(enum_item name: (type_identifier) @name) @def.enum
(trait_item name: (type_identifier) @name) @def.interface
(type_item name: (type_identifier) @name) @def.type
(const_item name: (identifier) @name) @def.constant
(static_item (mutable_specifier) name: (identifier) @name) @def.variable
(static_item name: (identifier) @name) @def.constant
(macro_definition name: (identifier) @name ["{" "(" "["] @body) @def.function
(mod_item name: (identifier) @name body: (_)) @def.module
(impl_item type: (_) @name) @container
(closure_expression) @scope
(enum_variant name: (identifier) @declared)

(call_expression function: (identifier) @ref)
(call_expression function: (scoped_identifier name: (identifier) @ref))
(call_expression function: (field_expression field: (field_identifier) @ref))
(generic_function function: (identifier) @ref)
(macro_invocation macro: (identifier) @ref)
(token_tree (identifier) @ref . (token_tree . "("))
(type_identifier) @ref
(identifier) @capital

(use_declaration) @import
(mod_item !body) @import
`

export const rust: Language = {
  name: "rust",
  extensions: ["rs"],
  query: QUERY,
  isVisible,
  readImport,
  resolveImport,
}

function isVisible({ head, owner }: Definition): boolean {
  if (owner?.kind === "interface") return true
  if (owner?.kind === "container" && /\bfor\s*$/.test(owner.head)) return true
  if (/\bmacro_rules!/.test(head)) return /#\[macro_export/.test(head)
  return /\bpub\b/.test(head)
}

function readImport(statement: Node): readonly ImportStatement[] {
  if (statement.type === "mod_item") {
    const name = statement.childForFieldName("name")
    return name === null ? [] : [{ specifier: `self::${name.text}` }]
  }
  const argument = statement.childForFieldName("argument")
  return argument === null ? [] : byPath(usesOf(argument, ""))
}

type Use = { readonly path: string; readonly name: string }

function usesOf(node: Node, prefix: string): readonly Use[] {
  const join = (path: string) => (prefix === "" ? path : `${prefix}::${path}`)
  switch (node.type) {
    case "use_list":
      return node.namedChildren.flatMap((it) => usesOf(it, prefix))
    case "scoped_use_list": {
      const path = node.childForFieldName("path")?.text ?? ""
      const list = node.childForFieldName("list")
      return list === null ? [] : usesOf(list, path === "" ? prefix : join(path))
    }
    case "use_as_clause": {
      const path = node.childForFieldName("path")
      return path === null ? [] : usesOf(path, prefix)
    }
    case "use_wildcard":
      return [{ path: join(node.firstNamedChild?.text ?? ""), name: "*" }]
    case "scoped_identifier": {
      const path = node.childForFieldName("path")?.text ?? ""
      return [{ path: join(path), name: node.childForFieldName("name")?.text ?? "" }]
    }
    default:
      return [{ path: prefix, name: node.text }]
  }
}

function byPath(uses: readonly Use[]): readonly ImportStatement[] {
  return [...Map.groupBy(uses, (it) => it.path)].flatMap(([path, sharing]) => {
    const names = sharing.map((it) => it.name)
    return path === ""
      ? names.map((specifier) => ({ specifier }))
      : [{ specifier: path.replace(/\s/g, ""), names }]
  })
}

function resolveImport(
  { specifier, names = [] }: ImportStatement,
  fromPath: string,
  index: SourceIndex,
): readonly string[] {
  const paths = names.length === 0 ? [specifier] : names.map((it) => `${specifier}::${it}`)
  const files = paths.flatMap((it) => deepest(it.split("::"), fromPath, index))
  return [...new Set(files)]
}

function deepest(
  segments: readonly string[],
  fromPath: string,
  index: SourceIndex,
): readonly string[] {
  const start = startOf(segments, fromPath, index)
  if (start === undefined) return []
  for (let count = start.rest.length; count > 0; count--) {
    const base = within(start.folder, start.rest.slice(0, count).join("/"))
    const files = firstOf(index, [`${base}.rs`, within(base, "mod.rs")])
    if (files.length > 0) return files
  }
  return start.file
}

type Start = {
  readonly folder: string
  readonly rest: readonly string[]
  readonly file: readonly string[]
}

function startOf(
  segments: readonly string[],
  fromPath: string,
  index: SourceIndex,
): Start | undefined {
  const [first = "", ...rest] = segments
  const own = moduleFolder(fromPath)
  if (first === "crate") return crateStart(rest, crateFolder(fromPath, index), index)
  if (first === "self") return { folder: own, rest, file: [] }
  if (first === "super") {
    const ups = segments.findIndex((it) => it !== "super")
    const count = ups < 0 ? segments.length : ups
    const folder = posix.join(own, "../".repeat(count)).replace(/\/$/, "")
    return { folder: folder === "." ? "" : folder, rest: segments.slice(count), file: [] }
  }
  // A crate of the workspace: its folder has its name, with hyphens or underscores.
  const roots = [first.replaceAll("_", "-"), first].flatMap((it) =>
    index.endingIn(`${it}/src/lib.rs`),
  )
  const [root] = nearest(roots, fromPath)
  if (root !== undefined) return crateStart(rest, posix.dirname(root), index)
  // Since 2018 a path may begin with a module of this file.
  const hasModule = firstOf(index, [`${within(own, first)}.rs`, within(own, `${first}/mod.rs`)])
  return hasModule.length > 0 ? { folder: own, rest: segments, file: [] } : undefined
}

function crateStart(rest: readonly string[], folder: string, index: SourceIndex): Start {
  const file = firstOf(index, [within(folder, "lib.rs"), within(folder, "main.rs")])
  return { folder, rest, file }
}

function crateFolder(fromPath: string, index: SourceIndex): string {
  const isRoot = (it: string) => index.has(within(it, "lib.rs")) || index.has(within(it, "main.rs"))
  return foldersAbove(fromPath).find(isRoot) ?? "src"
}

function moduleFolder(fromPath: string): string {
  const folder = foldersAbove(fromPath)[0] ?? ""
  const name = posix.basename(fromPath, ".rs")
  return ["mod", "lib", "main"].includes(name) ? folder : within(folder, name)
}
