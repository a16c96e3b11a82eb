import type { ContextPack } from "#ground/contract"

type Range = { readonly fromLine: number; readonly toLine: number }

/** Lines of a file with this content. */
export type SentPlace = Range & { readonly path: string; readonly blobId: string }

/** Which lines of which file and content the earlier packages of a session had. */
export function sentBefore(packs: readonly Pick<ContextPack, "files">[]) {
  const rangesByFile = new Map<string, Range[]>()
  for (const file of packs.flatMap((it) => it.files)) {
    // A signature is not the text it stands for.
    if (file.form === "signatures") continue
    const known = rangesByFile.get(keyOf(file)) ?? []
    known.push(...file.pieces)
    rangesByFile.set(keyOf(file), known)
  }
  const joined = new Map([...rangesByFile].map(([key, ranges]) => [key, joinRanges(ranges)]))
  return (lines: SentPlace): boolean =>
    joined
      .get(keyOf(lines))
      ?.some((it) => it.fromLine <= lines.fromLine && it.toLine >= lines.toLine) ?? false
}

/** A copy at another path was not sent: the reader knows nothing of that file. */
function keyOf({ path, blobId }: Pick<SentPlace, "path" | "blobId">): string {
  return `${blobId} ${path}`
}

function joinRanges(ranges: readonly Range[]): readonly Range[] {
  const joined: { fromLine: number; toLine: number }[] = []
  for (const { fromLine, toLine } of ranges.toSorted((a, b) => a.fromLine - b.fromLine)) {
    const last = joined.at(-1)
    if (last !== undefined && fromLine <= last.toLine + 1) {
      last.toLine = Math.max(last.toLine, toLine)
    } else joined.push({ fromLine, toLine })
  }
  return joined
}
