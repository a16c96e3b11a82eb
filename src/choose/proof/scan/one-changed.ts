import type { IndexedTree, SourceEntry, TreeSource } from "#know/map"

/**
 * The same tree with a line more in one of its files, without writing anything. The file is one of
 * middle size; undefined when there is none.
 */
export function withOneChanged(source: TreeSource, { files }: IndexedTree): TreeSource | undefined {
  const code = files.filter((it) => it.language !== undefined && it.fileClass === "source")
  const bySize = code.toSorted((a, b) => a.sizeBytes - b.sizeBytes)
  const chosen = bySize[bySize.length >> 1]?.path
  if (chosen === undefined) return undefined
  let asListed: SourceEntry | undefined
  return {
    ...source,
    async list(signal) {
      const listed = await source.list(signal)
      asListed = listed.entries.find((it) => it.path === chosen)
      const entries = listed.entries.map((it) =>
        // Of this one neither content nor stamp is known: it has to be read.
        it.path === chosen ? { path: it.path, sizeBytes: it.sizeBytes } : it,
      )
      return { ...listed, entries }
    },
    async *read(entries, signal) {
      // A commit finds its texts by the ids it listed.
      const known = entries.map((it) => (it.path === chosen ? (asListed ?? it) : it))
      for await (const read of source.read(known, signal)) {
        if ("skip" in read || read.path !== chosen) yield read
        else yield { ...read, bytes: Buffer.concat([read.bytes, Buffer.from(ONE_LINE_MORE)]) }
      }
    },
  }
}

const ONE_LINE_MORE = "\n\n"
