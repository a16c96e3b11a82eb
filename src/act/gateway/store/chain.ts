import type { WireItem } from "#ground/contract"
import { itemsOf, type LinkRow } from "./rows.ts"

/**
 * A request is kept as what it has more than the one before it. After so many the whole list is
 * written again: a list is then read with one query of at most about so many rows, and what is
 * taken away later goes in pieces of that size.
 */
export const MOST_LINKED_REQUESTS = 50

/** Lines of requests whose newest list is in memory; one that is forgotten begins a whole list. */
export const MOST_LINKS = 200

/** The newest list of a conversation that was written. */
export type Link = {
  readonly seq: number
  /** The request that has the whole list at the bottom of it. */
  readonly baseSeq: number
  /** How many requests lie on that one, itself included. */
  readonly length: number
  readonly items: readonly WireItem[]
}

/** A list as it is written: how much of the one before stays, and what follows. */
export type Tail = {
  readonly before: Link | undefined
  readonly kept: number
  readonly items: readonly WireItem[]
}

/** Whole when there is nothing to lean on, or when a chain is long enough. */
export function tailOf(items: readonly WireItem[], before: Link | undefined): Tail {
  if (before === undefined) return { before, kept: 0, items }
  const kept = sameFromTheStart(items, before.items)
  const tail = { before, kept, items: items.slice(kept) }
  return before.length >= MOST_LINKED_REQUESTS ? wholeList(tail) : tail
}

/** The same without anything to lean on. */
export function wholeList(tail: Tail): Tail {
  return { before: undefined, kept: 0, items: listIn(tail) }
}

/** Pieces that stay are those of before, with the reason for which they once came. */
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

/**
 * All of it, not only the hash: the file of a piece may have changed on the disk since. Why it came
 * is said once: that the call beside it has left does not make it another piece.
 */
function isSame(a: WireItem, b: WireItem): boolean {
  const isSameText = a.sha256 === b.sha256 && a.tokens === b.tokens && a.bytes === b.bytes
  const isSameThing = a.kind === b.kind && a.name === b.name && a.context === b.context
  const isSameFile = a.path === b.path && a.isConfirmed === b.isConfirmed
  return isSameText && isSameThing && isSameFile && a.isDeferred === b.isDeferred
}

type KnownList = {
  readonly items: readonly WireItem[]
  /** Pieces at the start that are not known any more, because a link is missing. */
  readonly missing: number
}

/**
 * The list of a request, from the links of its chain. Requests that were under way together lean
 * on the same one, so the links are a tree, and each is followed by its number.
 */
export function listOf(links: readonly LinkRow[], seq: number): KnownList {
  let list: KnownList = { items: [], missing: 0 }
  for (const { kept, items } of wayTo(links, seq)) list = grown(list, kept, itemsOf(items))
  return list
}

/** From the bottom of the chain up to this request. */
function wayTo(links: readonly LinkRow[], seq: number): readonly LinkRow[] {
  const bySeq = new Map(links.map((it) => [it.seq, it]))
  const way: LinkRow[] = []
  let next = bySeq.get(seq)
  while (next !== undefined) {
    way.push(next)
    const { beforeSeq, seq: own } = next
    // A link leans on an earlier one; anything else would lead in a circle.
    next = beforeSeq === null || beforeSeq >= own ? undefined : bySeq.get(beforeSeq)
  }
  return way.toReversed()
}

function grown({ items, missing }: KnownList, kept: number, tail: readonly WireItem[]): KnownList {
  const known = kept - missing
  const isKnown = known >= 0 && known <= items.length
  if (!isKnown) return { items: tail, missing: kept }
  return { items: [...items.slice(0, known), ...tail], missing }
}

/** The newest link of each line of requests in this process; the longest unused are forgotten. */
export function createLinks() {
  const links = new Map<string, Link>()
  const keyOf = (carry: string, line: string): string => `${carry} ${line}`
  return {
    of: (carry: string, line: string): Link | undefined => links.get(keyOf(carry, line)),
    set(carry: string, line: string, link: Link): void {
      const key = keyOf(carry, line)
      links.delete(key)
      links.set(key, link)
      const [oldest] = links.keys()
      if (links.size > MOST_LINKS && oldest !== undefined) links.delete(oldest)
    },
    forget(carry: string): void {
      const own = [...links.keys()].filter((it) => it.startsWith(`${carry} `))
      for (const key of own) links.delete(key)
    },
  }
}
