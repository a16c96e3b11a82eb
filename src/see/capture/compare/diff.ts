import type { CaptureChange, CaptureText, ManifestItem } from "#ground/contract"
import { diffLines } from "./line-diff.ts"

export type Side = {
  readonly items: readonly ManifestItem[]
  textOf(path: string): CaptureText | undefined
}

export function diffCaptures(before: Side, after: Side): CaptureChange[] {
  const [old, now] = [byPath(before.items), byPath(after.items)]
  const removed = before.items.filter((it) => !now.has(it.path)).map(removedChange)
  const moved = findMoved(before.items, after.items)
  const rest = after.items.flatMap((item): CaptureChange[] => {
    const earlier = old.get(item.path)
    if (earlier === undefined) return [addedChange(item)]
    if (!isSame(earlier, item)) return [contentChange(earlier, item, { before, after })]
    return moved.has(item.path) ? [movedChange(earlier, item)] : []
  })
  return [...removed, ...rest]
}

function byPath(items: readonly ManifestItem[]): ReadonlyMap<string, ManifestItem> {
  return new Map(items.map((it) => [it.path, it]))
}

function isSame(a: ManifestItem, b: ManifestItem): boolean {
  return (
    a.sha256 === b.sha256 &&
    a.sentSha256 === b.sentSha256 &&
    a.load === b.load &&
    a.tokens === b.tokens
  )
}

function removedChange({ path, label, tokens }: ManifestItem): CaptureChange {
  return { path, label, change: "removed", tokensBefore: tokens, tokensAfter: 0 }
}

function addedChange({ path, label, tokens }: ManifestItem): CaptureChange {
  return { path, label, change: "added", tokensBefore: 0, tokensAfter: tokens }
}

function movedChange(earlier: ManifestItem, item: ManifestItem): CaptureChange {
  const { path, label } = item
  return { path, label, change: "moved", tokensBefore: earlier.tokens, tokensAfter: item.tokens }
}

function contentChange(
  earlier: ManifestItem,
  item: ManifestItem,
  sides: { readonly before: Side; readonly after: Side },
): CaptureChange {
  const { path, label } = item
  const [before, after] = [sides.before.textOf(path), sides.after.textOf(path)]
  const canCompare = isWhole(before) && isWhole(after)
  const lines = canCompare ? diffLines(wholeText(before), wholeText(after)) : undefined
  return {
    path,
    label,
    change: "changed",
    tokensBefore: earlier.tokens,
    tokensAfter: item.tokens,
    ...(lines === undefined
      ? {}
      : { linesAdded: lines.added, linesRemoved: lines.removed, lines: [...lines.lines] }),
  }
}

function isWhole(text: CaptureText | undefined): text is CaptureText {
  return text !== undefined && text.withheld === undefined && !text.isCut
}

function wholeText({ text, later }: CaptureText): string {
  return [text, later].filter((it) => it !== "").join("\n")
}

/**
 * Items whose position relative to the others changed. Unmoved items are a longest increasing run
 * of old positions (patience sorting), so one file moved to the front is one move, not fifty.
 */
function findMoved(
  before: readonly ManifestItem[],
  after: readonly ManifestItem[],
): ReadonlySet<string> {
  const placeBefore = new Map(before.map((it, index) => [it.path, index]))
  const common = after.flatMap(({ path }) => {
    const place = placeBefore.get(path)
    return place === undefined ? [] : [{ path, place }]
  })
  const unmoved = longestRising(common)
  return new Set(common.map((it) => it.path).filter((path) => !unmoved.has(path)))
}

type PlacedItem = { readonly path: string; readonly place: number }
type Link = PlacedItem & { readonly previous: Link | undefined }

function longestRising(items: readonly PlacedItem[]): ReadonlySet<string> {
  const tops: Link[] = []
  for (const item of items) {
    const pile = tops.findIndex((top) => top.place >= item.place)
    const at = pile === -1 ? tops.length : pile
    tops[at] = { ...item, previous: tops[at - 1] }
  }
  const unmoved = new Set<string>()
  for (let link = tops.at(-1); link !== undefined; link = link.previous) unmoved.add(link.path)
  return unmoved
}
