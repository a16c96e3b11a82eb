import { Visitor } from "vite"
import { type Finding, type Findings, fail } from "./finding.ts"
import { lineAt, resolveImport, type Source, type Tree } from "./tree.ts"

/** Functions that exist once, in `src/ground/base`; each had several copies before. */
const SHARED_HELPERS: ReadonlySet<string> = new Set([
  "firstLine",
  "asRecord",
  "escapeMarkup",
  "formatAgo",
  "formatBytes",
  "formatCount",
  "formatDuration",
  "formatExact",
  "formatUsd",
  "isInside",
  "isRecord",
  "nestingOf",
  "once",
  "onceUnlessRejected",
  "oneLine",
  "openOnce",
  "parseJson",
  "parseJsonRecord",
  "plural",
  "sliceBytes",
  "sliceText",
  "sliceFrontMatter",
  "truncate",
  "tryRename",
])

/** Code that does what a helper does, under any name. */
const COPIES: readonly { readonly helper: string; readonly pattern: RegExp }[] = [
  {
    helper: "parseJson",
    pattern: /try \{\s*return JSON\.parse\([^()]*\)\s*\} catch \{\s*return undefined\s*\}/g,
  },
  {
    helper: "isRecord",
    pattern:
      /typeof (\w+) (?:=== "object" && \1 !== null && !|!== "object" \|\| \1 === null \|\| )Array\.isArray\(\1\)/g,
  },
  { helper: "truncate", pattern: /\.slice\(0,[^()\n]*\)(?:\.join\(""\))?\}\s?…(?!\$)/g },
  {
    helper: "sliceText",
    pattern: /\.slice\(0,[^()\n]*\)\.(?:toWellFormed\(|replace\(\/\[\\ud8)/gi,
  },
  // In the bundle a module's own folder is another one.
  { helper: "packageFile", pattern: /import\.meta\.(?:url|dirname|filename)/g },
]

/** They reproduce how a host truncates. */
const REPRODUCED = "src/see/hosts/"

const BASE_INDEX = "src/ground/base/index.ts"

/** A function with the name of a shared helper is a copy of it, or misleads a reader. */
export function checkHelpers(tree: Tree): Findings {
  const owners = ownersOf(tree)
  const sources = tree.sources.filter(({ path }) => /^(?:src|console\/src)\//.test(path))
  return fail(
    ...sources
      .flatMap((source) => functionsIn(source).map((it) => ({ ...it, source })))
      .filter(({ name, source }) => SHARED_HELPERS.has(name) && owners.get(name) !== source.path)
      .map(({ name, start, source }) => ({
        where: `${source.path}:${lineAt(source.text, start)}`,
        wrong: `\`${name}\` is declared again.`,
        instead: `Import it from "#ground/base", or give a function that differs its own name.`,
      })),
    ...sources
      .filter(
        ({ path, isTest }) =>
          !isTest && !path.startsWith(REPRODUCED) && !path.includes(".fixture."),
      )
      .flatMap((source) => copiesIn(source, owners)),
  )
}

function copiesIn({ path, text }: Source, owners: Owners): readonly Finding[] {
  return COPIES.filter(({ helper }) => owners.has(helper) && owners.get(helper) !== path).flatMap(
    ({ helper, pattern }) =>
      [...text.matchAll(pattern)].map((match) => ({
        where: `${path}:${lineAt(text, match.index)}`,
        wrong: `This code repeats \`${helper}\`.`,
        instead: `Call \`${helper}\` of "#ground/base".`,
      })),
  )
}

type Owners = ReturnType<typeof ownersOf>

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
  const names: DeclaredName[] = []
  new Visitor({
    FunctionDeclaration(node) {
      if (node.id) names.push({ name: node.id.name, start: node.start })
    },
    VariableDeclarator(node) {
      const isFunction = /^(?:Arrow)?Function/.test(node.init?.type ?? "")
      if (isFunction && node.id.type === "Identifier")
        names.push({ name: node.id.name, start: node.start })
    },
  }).visit(source.parsed.program)
  return names
}
