import type { WireItem } from "#ground/contract"
import { itemsOf, type LinkRow } from "./rows.ts"

/**
 * A request is stored as its difference to the previous one; after this many the whole list is
 * stored again, so that one query reads a list and cleanup removes whole chains.
 */
export const MOST_LINKED_REQUESTS = 50

/** Cached lists; a forgotten one starts a new chain. */
export const MOST_LINKS = 200

export type Link = {
  readonly seq: number
  readonly baseSeq: number
  readonly length: number
  readonly items: readonly WireItem[]
}

export type Tail = {
  readonly before: Link | undefined
  readonly kept: number
  readonly items: readonly WireItem[]
}

/** The whole list when there is none before, or the chain is long enough. */
export function tailOf(items: readonly WireItem[], before: Link | undefined): Tail {
  if (before === undefined) return { before, kept: 0, items }
  const sharedCount = sameFromTheStart(items, before.items)
  const tail = { before, kept: sharedCount, items: items.slice(sharedCount) }
  return before.length >= MOST_LINKED_REQUESTS ? wholeList(tail) : tail
}

export function wholeList(tail: Tail): Tail {
  return { before: undefined, kept: 0, items: listIn(tail) }
}

/** Items that stay keep the reason they were stored with. */
function listIn({ before, kept, items }: Tail): readonly WireItem[] {
  return before === undefined ? items : [...before.items.slice(0, kept), ...items]
}

export function linkAfter(tail: Tail, seq: number): Link {
  const { before } = tail
  const items = listIn(tail)
  if (before === undefined) return { seq, baseSeq: seq, length: 1, items }
  return { seq, baseSeq: before.baseSeq, length: before.length + 1, items }
}

function sameFromTheStart(a: readonly WireItem[], b: readonly WireItem[]): number {
  let same = 0
  for (const [at, item] of a.entries()) {
    const other = b[at]
    if (other === undefined || !isSame(item, other)) break
    same++
  }
  return same
}

/** Compares all fields but the reason: a file may have changed on disk since. */
function isSame(a: WireItem, b: WireItem): boolean {
  const isSameText = a.sha256 === b.sha256 && a.tokens === b.tokens && a.bytes === b.bytes
  const isSameThing = a.kind === b.kind && a.name === b.name && a.context === b.context
  const isSameFile = a.path === b.path && a.isConfirmed === b.isConfirmed
  return isSameText && isSameThing && isSameFile && a.isDeferred === b.isDeferred
}

type KnownList = {
  readonly items: readonly WireItem[]
  /** Items at the start that are lost, because a link is missing. */
  readonly missing: number
}

/**
 * Rebuilds a list from its chain. Concurrent requests link to the same one, so the links form a
 * tree.
 */
export function listOf(links: readonly LinkRow[], seq: number): KnownList {
  let list: KnownList = { items: [], missing: 0 }
  for (const { kept, items } of wayTo(links, seq)) list = grown(list, kept, itemsOf(items))
  return list
}

function wayTo(links: readonly LinkRow[], seq: number): readonly LinkRow[] {
  const bySeq = new Map(links.map((it) => [it.seq, it]))
  const way: LinkRow[] = []
  let next = bySeq.get(seq)
  while (next !== undefined) {
    way.push(next)
    const { beforeSeq, seq: own } = next
    // Links point backwards; anything else would be a cycle.
    next = beforeSeq === null || beforeSeq >= own ? undefined : bySeq.get(beforeSeq)
  }
  return way.toReversed()
}

function grown(
  { items, missing }: KnownList,
  keptCount: number,
  tail: readonly WireItem[],
): KnownList {
  const reused = keptCount - missing
  const isComplete = reused >= 0 && reused <= items.length
  if (!isComplete) return { items: tail, missing: keptCount }
  return { items: [...items.slice(0, reused), ...tail], missing }
}

export function createLinks() {
  const links = new Map<string, Link>()
  const keyOf = (sessionId: string, line: string): string => `${sessionId} ${line}`
  return {
    of: (sessionId: string, line: string): Link | undefined => links.get(keyOf(sessionId, line)),
    set(sessionId: string, line: string, link: Link): void {
      const key = keyOf(sessionId, line)
      links.delete(key)
      links.set(key, link)
      const [oldest] = links.keys()
      if (links.size > MOST_LINKS && oldest !== undefined) links.delete(oldest)
    },
    forget(sessionId: string): void {
      const own = [...links.keys()].filter((it) => it.startsWith(`${sessionId} `))
      for (const key of own) links.delete(key)
    },
  }
}
