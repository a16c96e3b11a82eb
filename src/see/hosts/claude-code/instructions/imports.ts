import path from "node:path"
import type { Token, Tokens } from "marked"
import { MOST_MENTIONS } from "../../limits.ts"
import { removeComments } from "./transform.ts"

export type Import = {
  readonly written: string
  readonly path: string
  readonly line: number
}

/**
 * Imports in order, each once. They count only in plain text, not in code or comments. Paths are
 * relative to the real folder of the file.
 */
export function findImports(
  tokens: readonly Token[],
  file: { readonly realPath: string; readonly raw: string },
  home: string,
): readonly Import[] {
  const imports = new Map<string, Import>()
  for (const written of writtenIn(tokens)) {
    const target = resolveImport(written, path.dirname(file.realPath), home)
    if (target === undefined || imports.has(target)) continue
    if (imports.size === MOST_MENTIONS) break
    imports.set(target, { written, path: target, line: lineOf(file.raw, `@${written}`) })
  }
  return [...imports.values()]
}

/**
 * `@name` and `@scope/package` are common words, not paths.
 */
export function looksLikePath(written: string): boolean {
  return /^(?:\.\.?\/|~\/|\/)/.test(written) || /\.[a-z][a-z0-9]*$/i.test(written)
}

/** Files with other extensions are not imported; those without one are. */
export function isTextName(file: string): boolean {
  const ending = path.extname(file).toLowerCase()
  return ending === "" || TEXT_ENDINGS.has(ending)
}

function writtenIn(tokens: readonly Token[]): readonly string[] {
  const texts: string[] = []
  const waiting: Token[] = tokens.toReversed()
  for (let token = waiting.pop(); token !== undefined; token = waiting.pop()) {
    texts.push(...mentions(ownText(token)))
    waiting.push(...childrenOf(token).toReversed())
  }
  return texts
}

function ownText(token: Token): string {
  if (token.type === "text" && "text" in token) return String(token.text)
  // The host finds text after a comment on the same line.
  const isComment = token.type === "html" && token.raw.trimStart().startsWith("<!--")
  return isComment && token.raw.includes("-->") ? removeComments(token.raw) : ""
}

function childrenOf(token: Token): readonly Token[] {
  if (token.type === "code" || token.type === "codespan" || token.type === "html") return []
  const own = "tokens" in token && token.tokens !== undefined ? token.tokens : []
  return [...own, ...(isList(token) ? token.items : [])]
}

function isList(token: Token): token is Tokens.List {
  return token.type === "list"
}

function mentions(text: string): readonly string[] {
  return [...text.matchAll(/(?:^|\s)@((?:[^\s\\]|\\ )+)/g)].map((it) => it[1] ?? "")
}

function resolveImport(written: string, folder: string, home: string): string | undefined {
  const [beforeHash = ""] = written.split("#")
  const plain = beforeHash.replaceAll("\\ ", " ")
  const isAllowed = plain !== "/" && /^(?:\.\/|~\/|\/|[a-zA-Z0-9._-])/.test(plain)
  if (!isAllowed) return undefined
  return plain.startsWith("~/")
    ? path.join(home, plain.slice("~/".length))
    : path.resolve(folder, plain)
}

function lineOf(text: string, part: string): number {
  const at = text.indexOf(part)
  return at === -1 ? 1 : text.slice(0, at).split("\n").length
}

const TEXT_ENDINGS = new Set(
  [
    "md txt text json yaml yml toml xml csv html htm css scss sass less js ts tsx jsx mjs cjs",
    "mts cts py pyi pyw rb erb rake go rs java kt kts scala c cpp cc cxx h hpp hxx cs swift sh",
    "bash zsh fish ps1 bat cmd env ini cfg conf config properties sql graphql gql proto vue",
    "svelte astro ejs hbs pug jade php pl pm lua r dart ex exs erl hrl clj cljs cljc edn hs lhs",
    "elm ml mli f f90 f95 for cmake make makefile gradle sbt rst adoc asciidoc org tex latex",
    "lock log diff patch",
  ].flatMap((line) => line.split(" ").map((it) => `.${it}`)),
)
