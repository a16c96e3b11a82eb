import { Visitor } from "vite"
import { type Findings, fail } from "./finding.ts"
import { lineAt, resolveImport, type Source, type Tree } from "./tree.ts"

/** Functions that exist once, in `src/ground/base`; each had several copies before. */
const SHARED_HELPERS: ReadonlySet<string> = new Set([
  "firstLine",
  "formatAgo",
  "formatBytes",
  "formatCount",
  "formatDuration",
  "formatExact",
  "formatUsd",
  "isInside",
  "isRecord",
  "once",
  "onceUnlessRejected",
  "oneLine",
  "openOnce",
  "parseJson",
  "parseJsonRecord",
  "plural",
  "sliceBytes",
  "sliceText",
  "truncate",
])

const BASE_INDEX = "src/ground/base/index.ts"

/** A function with the name of a shared helper is a copy of it, or misleads a reader. */
export function checkHelpers(tree: Tree): Findings {
  const owners = ownersOf(tree)
  return fail(
    ...tree.sources
      .filter(({ path }) => /^(?:src|console\/src)\//.test(path))
      .flatMap((source) => functionsIn(source).map((it) => ({ ...it, source })))
      .filter(({ name, source }) => SHARED_HELPERS.has(name) && owners.get(name) !== source.path)
      .map(({ name, start, source }) => ({
        where: `${source.path}:${lineAt(source.text, start)}`,
        wrong: `\`${name}\` is declared again.`,
        instead: `Import it from "#ground/base", or give a function that differs its own name.`,
      })),
  )
}

function ownersOf(tree: Tree): ReadonlyMap<string, string | undefined> {
  const index = tree.sources.find(({ path }) => path === BASE_INDEX)
  const entries = index?.parsed.module.staticExports.flatMap((it) => it.entries) ?? []
  return new Map(
    entries.map((it) => [
      it.exportName.name ?? "",
      resolveImport(BASE_INDEX, it.moduleRequest?.value ?? ""),
    ]),
  )
}

type DeclaredName = { readonly name: string; readonly start: number }

function functionsIn(source: Source): readonly DeclaredName[] {
  const found: DeclaredName[] = []
  new Visitor({
    FunctionDeclaration(node) {
      if (node.id) found.push({ name: node.id.name, start: node.start })
    },
    VariableDeclarator(node) {
      const isFunction = /^(?:Arrow)?Function/.test(node.init?.type ?? "")
      if (isFunction && node.id.type === "Identifier")
        found.push({ name: node.id.name, start: node.start })
    },
  }).visit(source.parsed.program)
  return found
}
