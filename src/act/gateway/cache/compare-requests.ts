import { sliceText } from "#ground/base"
import type { CacheReport, CacheSettings, TokenUsage, WireItem, WireName } from "#ground/contract"

/** A request as the provider's cache sees it. */
export type CachedRequest = {
  readonly proxiedSession: string
  readonly seq: number
  readonly wire: WireName
  readonly model: string | null
  readonly settings: CacheSettings
  readonly items: readonly WireItem[]
  readonly usage: TokenUsage | null
  /** Ids of the branches that the gateway took out of it. */
  readonly folds: readonly string[]
  /** Tool results that the gateway replaced by one line. */
  readonly maskedResults: number
  readonly sentAt: number
  readonly answeredAt: number
}

export type NewRequest = Omit<CachedRequest, "proxiedSession" | "seq"> & {
  readonly proxiedSession: string
}

export type Section = "tools" | "system" | "messages"
type PlacedItem = { readonly item: WireItem; readonly section: Section }

export type Comparison = {
  readonly prefix: number
  readonly items: readonly WireItem[]
  /** Tokens of tools and system prompt, which have markers of their own. */
  readonly headTokens: number
  readonly section: Section | null
  readonly difference: CacheReport["firstDifference"]
  readonly was: WireItem | undefined
  readonly is: WireItem | undefined
}

export function compare(before: CachedRequest, now: NewRequest): Comparison {
  const [old, fresh] = [inCacheOrder(before.items), inCacheOrder(now.items)]
  let prefix = 0
  while (isSame(old[prefix], fresh[prefix])) prefix += 1
  const [was, is] = [old[prefix], fresh[prefix]]
  const items = fresh.map((it) => it.item)
  const head = fresh.filter((it) => it.section !== "messages").map((it) => it.item)
  const shared = { prefix, items, headTokens: sumTokens(head) }
  // Appended items leave the cached prefix unchanged.
  if (was === undefined) {
    return { ...shared, section: null, difference: null, was: undefined, is: is?.item }
  }
  const section = sectionOf(was.section, is?.section)
  const difference = differenceAt({ prefix, was, is, old, fresh })
  return { ...shared, section, difference, was: was.item, is: is?.item }
}

/** The provider renders tools first, then the system prompt; deferred tools are not rendered. */
export function inCacheOrder(items: readonly WireItem[]): readonly PlacedItem[] {
  const settings = items.findIndex((it) => it.kind === "other" && it.name === "settings")
  const placed = items.flatMap((item, at): readonly PlacedItem[] => {
    if (at === settings || item.isDeferred === true) return []
    if (item.kind === "tool") return [{ item, section: "tools" }]
    return [{ item, section: at < settings ? "system" : "messages" }]
  })
  const of = (section: Section) => placed.filter((it) => it.section === section)
  return [...of("tools"), ...of("system"), ...of("messages")]
}

/** By content: names and reasons depend on files that may have changed since. */
function isSame(a: PlacedItem | undefined, b: PlacedItem | undefined): boolean {
  return (
    a !== undefined &&
    b !== undefined &&
    a.section === b.section &&
    a.item.sha256 === b.item.sha256 &&
    (a.section !== "tools" || a.item.name === b.item.name)
  )
}

const SECTIONS: readonly Section[] = ["tools", "system", "messages"]

function sectionOf(was: Section, is: Section | undefined): Section {
  const places = [was, is ?? was].map((it) => SECTIONS.indexOf(it))
  return SECTIONS[Math.min(...places)] ?? was
}

function differenceAt(it: {
  readonly prefix: number
  readonly was: PlacedItem
  readonly is: PlacedItem | undefined
  readonly old: readonly PlacedItem[]
  readonly fresh: readonly PlacedItem[]
}): CacheReport["firstDifference"] {
  const { prefix, was, is, old, fresh } = it
  const isLater = fresh.slice(prefix).some((one) => isSame(one, was))
  const isOld = is !== undefined && old.slice(prefix).some((one) => isSame(one, is))
  const at = (item: WireItem, change: "added" | "removed" | "changed" | "moved") => ({
    place: prefix,
    change,
    kind: item.kind,
    name: sliceText(item.name, 200),
  })
  if (isLater) return is === undefined || isOld ? at(was.item, "moved") : at(is.item, "added")
  const isReplaced =
    is !== undefined && !isOld && is.item.kind === was.item.kind && is.item.name === was.item.name
  return at(was.item, isReplaced ? "changed" : "removed")
}

export function sumTokens(items: readonly WireItem[]): number {
  return items.reduce((sum, it) => sum + it.tokens, 0)
}

/** From our count to the provider's. */
export function scaleOf({ items }: NewRequest, usage: TokenUsage): number {
  const counted = sumTokens(inCacheOrder(items).map((it) => it.item))
  return counted === 0 ? 0 : (usage.input + usage.cacheRead + usage.cacheWrite) / counted
}
