import { ownCopy } from "#ground/base"
import type { WireItem } from "#ground/contract"
import { MOST_REMEMBERED_PIECES, MOST_STRANDS } from "./limits.ts"
import type { Piece } from "./question.ts"

export type News = {
  readonly added: readonly WireItem[]
  readonly gone: number
  readonly kept: number
}

type Strand = { readonly keys: readonly string[]; readonly isTold: boolean }

/**
 * What is new in a request beside those before it in the same conversation. A host asks for titles
 * and summaries under the same session: these are no continuation, and a later request is held
 * against the one it continues.
 */
export function createConversations() {
  /** The newest of each strand, the latest last; conversations by when they last spoke. */
  const strandsOf = new Map<string, readonly Strand[]>()
  let pieces = 0
  const remember = (conversation: string, strands: readonly Strand[]): void => {
    forget(conversation)
    strandsOf.set(conversation, strands)
    pieces += sizeOf(strands)
    for (const oldest of strandsOf.keys()) {
      if (pieces <= MOST_REMEMBERED_PIECES || oldest === conversation) break
      forget(oldest)
    }
  }
  const forget = (conversation: string): void => {
    pieces -= sizeOf(strandsOf.get(conversation) ?? [])
    strandsOf.delete(conversation)
  }
  return {
    news(
      conversation: string,
      items: readonly WireItem[],
      told: readonly Piece[] | undefined,
    ): News {
      const keys = items.map(keyOf)
      const given = told === undefined ? [] : [{ keys: told.map(keyOf), isTold: true }]
      const strands = strandsOf.get(conversation) ?? given
      const before = continued(strands, keys)
      const others = strands.filter((it) => it !== before).slice(-(MOST_STRANDS - 1))
      remember(conversation, [...others, { keys, isTold: false }])
      const { added, gone } = difference(before?.keys ?? [], keys)
      return {
        added: added.flatMap((at) => items[at] ?? []),
        gone,
        kept: commonStart(strands.at(-1)?.keys ?? [], keys),
      }
    },
  }
}

function keyOf({ kind, name, sha256 }: Piece): string {
  return ownCopy(`${kind} ${sha256} ${name}`)
}

function sizeOf(strands: readonly Strand[]): number {
  return strands.reduce((total, it) => total + it.keys.length, 0)
}

/** The one with which it has most in common, if that is a fair part of the shorter one. */
function continued(strands: readonly Strand[], keys: readonly string[]): Strand | undefined {
  const size = keys.filter(isTelling).length
  const ranked = strands.toReversed().map((it) => {
    const telling = it.keys.filter(isTelling)
    const shared = size - difference(telling, keys.filter(isTelling)).added.length
    return { it, shared, isPart: it.isTold || shared * 2 > Math.min(telling.length, size) }
  })
  return ranked.toSorted((a, b) => b.shared - a.shared).find((it) => it.isPart)?.it
}

/** Who asks and by which limits is the same in every request, also in those for a title. */
function isTelling(key: string): boolean {
  return !key.startsWith("other ")
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  const end = Math.min(a.length, b.length)
  let at = 0
  while (at < end && a[at] === b[at]) at += 1
  return at
}

/** By how often each piece is there: one that only moved is neither new nor gone. */
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
