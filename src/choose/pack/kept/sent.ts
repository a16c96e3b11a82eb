import type { ContextPack } from "#ground/contract"

type Range = { readonly fromLine: number; readonly toLine: number }

/** Which lines of which content the earlier packages of a session had. */
export function sentBefore(packs: readonly Pick<ContextPack, "files">[]) {
  const rangesByBlob = new Map<string, Range[]>()
  for (const { blobId, form, pieces } of packs.flatMap((it) => it.files)) {
    // A signature is not the text it stands for.
    if (form === "signatures") continue
    const known = rangesByBlob.get(blobId) ?? []
    known.push(...pieces)
    rangesByBlob.set(blobId, known)
  }
  const joined = new Map([...rangesByBlob].map(([blobId, ranges]) => [blobId, joinRanges(ranges)]))
  return (blobId: string, fromLine: number, toLine: number): boolean =>
    joined.get(blobId)?.some((it) => it.fromLine <= fromLine && it.toLine >= toLine) ?? false
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
