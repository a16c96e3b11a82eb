import { posix } from "node:path"
import { compareText, giveOthersATurn } from "#ground/base"
import type { FollowedImport, TreeGraph } from "../graph/graph.ts"
import type { Content, IndexedFile } from "../tree/types.ts"
import { describeSymbol, type Redact } from "./describe.ts"

type ExportedModule = { readonly path: string; readonly text: string }

const FILE_NAME = "ast_context.json"

/** Depends only on the folder's own files, so a change elsewhere changes nothing here. */
export async function* exportModules(
  graph: TreeGraph,
  { below, redact }: { readonly below: string; readonly redact: Redact },
): AsyncGenerator<ExportedModule> {
  const positions = [...graph.tree.files.keys()].filter((indexed) => {
    const file = graph.tree.files[indexed]
    return file?.language !== undefined && isWithin(folderOf(file), below)
  })
  const byFolder = Map.groupBy(positions, (it) => folderOf(graph.tree.files[it]))
  for (const [folder, own] of [...byFolder].toSorted(([a], [b]) => compareText(a, b))) {
    const text = await moduleText(graph, own, { folder, redact })
    yield { path: posix.join(folder, FILE_NAME), text }
    await giveOthersATurn()
  }
}

async function moduleText(
  graph: TreeGraph,
  positions: readonly number[],
  { folder, redact }: { readonly folder: string; readonly redact: Redact },
): Promise<string> {
  const files = positions.flatMap((it) => graph.tree.files[it] ?? [])
  const contents = await graph.tree.contents([...new Set(files.map((it) => it.content))])
  const imports = await graph.imports(positions)
  const pathAt = (it: number) => graph.tree.files[it]?.path ?? ""
  const edges = positions.flatMap((from) =>
    edgesOf(imports.get(from) ?? []).map(({ to, names }) => ({
      from: pathAt(from),
      to: pathAt(to),
      names: names.map(redact),
    })),
  )
  const described = positions.flatMap((position) => {
    const file = graph.tree.files[position]
    if (file === undefined) return []
    const own = describeFile(file, contents.get(file.content), redact)
    return [
      { ...own, imports: (imports.get(position) ?? []).map((it) => importOf(it, pathAt, redact)) },
    ]
  })
  const exported = { format: "ast-context/1", module: folder, files: described, edges }
  return `${JSON.stringify(exported, undefined, 2)}\n`
}

function describeFile(file: IndexedFile, content: Content | undefined, redact: Redact) {
  return {
    path: file.path,
    language: file.language ?? null,
    fileClass: file.fileClass,
    blobId: file.blobId,
    lines: file.lines,
    tokens: file.tokens,
    symbols: (content?.symbols ?? []).map((definition) => {
      const { path: _, ...symbol } = describeSymbol(file.path, definition, redact)
      return symbol
    }),
  }
}

function importOf(
  { specifier, line, names, positions }: FollowedImport,
  pathAt: (it: number) => string,
  redact: Redact,
) {
  return {
    specifier: redact(specifier),
    line,
    ...(names !== undefined && { names: names.map(redact) }),
    paths: positions.map(pathAt),
  }
}

function edgesOf(imports: readonly FollowedImport[]) {
  const names = new Map<number, Set<string>>()
  for (const { positions, names: importedNames = [] } of imports) {
    for (const to of positions) {
      const nameSet = names.get(to) ?? new Set()
      for (const it of importedNames) nameSet.add(it)
      names.set(to, nameSet)
    }
  }
  return [...names]
    .toSorted(([a], [b]) => a - b)
    .map(([to, nameSet]) => ({ to, names: [...nameSet].toSorted(compareText) }))
}

function folderOf(file: IndexedFile | undefined): string {
  return file?.path.slice(0, Math.max(0, file.path.lastIndexOf("/"))) ?? ""
}

function isWithin(folder: string, below: string): boolean {
  return below === "" || folder === below || folder.startsWith(`${below}/`)
}
