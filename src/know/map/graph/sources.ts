import { onceUnlessRejected } from "#ground/base"
import type { LanguageName } from "../facts.ts"
import { MOST_CONTENTS_AT_ONCE } from "../limits.ts"
import { isNodeManifest, readNodeSources } from "../node-packages.ts"
import { foldersAbove } from "../resolve.ts"
import {
  createSourceIndex,
  type GoModule,
  goModuleName,
  type PackagedFile,
  type SourceIndex,
} from "../source-index.ts"
import type { Content, IndexedTree } from "../tree/types.ts"

const MOST_MANIFESTS = 2_000

export type Sources = (language: LanguageName) => Promise<SourceIndex>

/** Imports name a package, which only the files declare. */
const PACKAGED: ReadonlySet<LanguageName | undefined> = new Set([
  "java",
  "kotlin",
  "scala",
  "csharp",
  "php",
])

export function createSources(tree: IndexedTree): Sources {
  const manifests = onceUnlessRejected(() => readManifests(tree))
  const byPath = onceUnlessRejected(async () => indexOf(tree.files, await manifests()))
  const byPackage = onceUnlessRejected(async () =>
    indexOf(await packagedFiles(tree), await manifests()),
  )
  return (language) => (PACKAGED.has(language) ? byPackage() : byPath())
}

type Manifests = {
  readonly goModules: readonly GoModule[]
  readonly node: ReturnType<typeof readNodeSources>
}

function indexOf(files: readonly PackagedFile[], { goModules, node }: Manifests): SourceIndex {
  return createSourceIndex(
    files.map(({ path, facts }) => ({ path, ...(facts !== undefined && { facts }) })),
    goModules,
    node,
  )
}

async function readManifests(tree: IndexedTree): Promise<Manifests> {
  const paths = tree.files
    .map((it) => it.path)
    .filter((path) => isGoManifest(path) || isNodeManifest(path))
    .slice(0, MOST_MANIFESTS)
  const texts = [...(await tree.texts(paths))].flatMap(([path, text]) =>
    text === undefined ? [] : [{ path, text }],
  )
  return {
    goModules: texts.flatMap(({ path, text }) => {
      const name = isGoManifest(path) ? goModuleName(text) : undefined
      return name === undefined ? [] : [{ folder: foldersAbove(path)[0] ?? "", name }]
    }),
    node: readNodeSources(texts.filter((it) => isNodeManifest(it.path))),
  }
}

function isGoManifest(path: string): boolean {
  return path === "go.mod" || path.endsWith("/go.mod")
}

async function packagedFiles(tree: IndexedTree): Promise<readonly PackagedFile[]> {
  const packaged = tree.files.filter((it) => PACKAGED.has(it.language)).map((it) => it.content)
  const facts = new Map<number, NonNullable<PackagedFile["facts"]>>()
  for await (const { number, packages, symbols } of readContents(tree, packaged)) {
    facts.set(number, { packages, symbols: symbols.map(({ name }) => ({ name })) })
  }
  return tree.files.map(({ path, content }) => {
    const own = facts.get(content)
    return { path, ...(own !== undefined && { facts: own }) }
  })
}

export async function* readContents(
  tree: Pick<IndexedTree, "contents">,
  numbers: readonly number[],
): AsyncGenerator<Content> {
  const unique = [...new Set(numbers)]
  for (let from = 0; from < unique.length; from += MOST_CONTENTS_AT_ONCE) {
    const contents = await tree.contents(unique.slice(from, from + MOST_CONTENTS_AT_ONCE))
    yield* contents.values()
  }
}
