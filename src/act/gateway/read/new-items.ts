import { ownCopy } from "#ground/base"
import type { WireItem } from "#ground/contract"
import type { Piece } from "./reader.ts"

const MOST_REMEMBERED_PIECES = 400_000

/** Requests under one session that do not continue each other: titles, summaries. */
const MOST_HISTORIES = 4

type NewItems = {
  readonly added: readonly WireItem[]
  readonly gone: number
  readonly kept: number
}

type History = { readonly keys: readonly string[]; readonly isTold: boolean }

/**
 * Finds the new items of a request. Requests for titles and summaries run under the same session,
 * so a request is compared with the one it continues.
 */
export function createItemHistory() {
  const historiesOf = new Map<string, readonly History[]>()
  let pieces = 0
  const remember = (conversation: string, histories: readonly History[]): void => {
    forget(conversation)
    historiesOf.set(conversation, histories)
    pieces += sizeOf(histories)
    for (const oldest of historiesOf.keys()) {
      if (pieces <= MOST_REMEMBERED_PIECES || oldest === conversation) break
      forget(oldest)
    }
  }
  const forget = (conversation: string): void => {
    pieces -= sizeOf(historiesOf.get(conversation) ?? [])
    historiesOf.delete(conversation)
  }
  return {
    newItems(
      conversation: string,
      items: readonly WireItem[],
      stored: readonly Piece[] | undefined,
    ): NewItems {
      const keys = items.map(keyOf)
      const previous = stored === undefined ? [] : [{ keys: stored.map(keyOf), isTold: true }]
      const histories = historiesOf.get(conversation) ?? previous
      const before = continued(histories, keys)
      const others = histories.filter((it) => it !== before).slice(-(MOST_HISTORIES - 1))
      remember(conversation, [...others, { keys, isTold: false }])
      const { added, gone } = difference(before?.keys ?? [], keys)
      return {
        added: added.flatMap((at) => items[at] ?? []),
        gone,
        kept: commonStart(histories.at(-1)?.keys ?? [], keys),
      }
    },
  }
}

function keyOf({ kind, name, sha256 }: Piece): string {
  return ownCopy(`${kind} ${sha256} ${name}`)
}

function sizeOf(histories: readonly History[]): number {
  return histories.reduce((total, it) => total + it.keys.length, 0)
}

/** The one with the most in common, if that is over half of the shorter one. */
function continued(histories: readonly History[], keys: readonly string[]): History | undefined {
  const size = keys.filter(isTelling).length
  const ranked = histories.toReversed().map((history) => {
    const ownKeys = history.keys.filter(isTelling)
    const shared = size - difference(ownKeys, keys.filter(isTelling)).added.length
    return {
      it: history,
      shared,
      isPart: history.isTold || shared * 2 > Math.min(ownKeys.length, size),
    }
  })
  return ranked.toSorted((a, b) => b.shared - a.shared).find((it) => it.isPart)?.it
}

/**
 * `other` items (client metadata, limits) are identical in every request, so they say nothing about
 * continuity.
 */
function isTelling(key: string): boolean {
  return !key.startsWith("other ")
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  const end = Math.min(a.length, b.length)
  let at = 0
  while (at < end && a[at] === b[at]) at += 1
  return at
}

/** Counts items: one that only moved is neither new nor removed. */
function difference(before: readonly string[], keys: readonly string[]) {
  const left = new Map<string, number>()
  for (const key of before) left.set(key, (left.get(key) ?? 0) + 1)
  const added: number[] = []
  for (const [at, key] of keys.entries()) {
    const count = left.get(key) ?? 0
    if (count === 0) added.push(at)
    else left.set(key, count - 1)
  }
  return { added, gone: [...left.values()].reduce((total, it) => total + it, 0) }
}
