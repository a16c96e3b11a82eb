import type { Message } from "../../../contract.ts"
import { type Entry, ownMessages } from "./entry.ts"

/** An entry as a list row; each visible child is its own row, so that it is virtual too. */
export type Row = {
  readonly key: string
  readonly entry: Entry
  readonly depth: number
  readonly isOpen: boolean
}

export function flatten(
  entries: readonly Entry[],
  turned: ReadonlySet<string>,
  depth = 0,
): readonly Row[] {
  const rows: Row[] = []
  for (const entry of entries) {
    const isOpen = isOpenByDefault(entry) !== turned.has(entry.key)
    rows.push({ key: entry.key, entry, depth, isOpen })
    if (isOpen) rows.push(...flatten(childrenOf(entry), turned, depth + 1))
  }
  return rows
}

function isOpenByDefault(entry: Entry): boolean {
  return entry.kind === "activity" && (entry.ended?.event.diff ?? "") !== ""
}

function childrenOf(entry: Entry): readonly Entry[] {
  return entry.kind === "activity" || entry.kind === "group" ? entry.children : []
}

export function canOpen(entry: Entry): boolean {
  return ["activity", "group", "quiet", "context"].includes(entry.kind)
}

export function trailTo(entries: readonly Entry[], seq: number): readonly string[] {
  for (const entry of entries) {
    if (ownMessages(entry).some((it) => it.seq === seq)) return [entry.key]
    const within = trailTo(childrenOf(entry), seq)
    if (within.length > 0) return [entry.key, ...within]
  }
  return []
}

export function openableIn(entry: Entry): readonly Entry[] {
  return [entry, ...childrenOf(entry).flatMap(openableIn)].filter(canOpen)
}

export function withOpen(
  turned: ReadonlySet<string>,
  entries: readonly Entry[],
  isOpen = true,
): ReadonlySet<string> {
  const next = new Set(turned)
  for (const entry of entries) {
    if (isOpenByDefault(entry) === isOpen) next.delete(entry.key)
    else next.add(entry.key)
  }
  return next
}

export function messagesIn(entry: Entry): readonly Message[] {
  return [...ownMessages(entry), ...childrenOf(entry).flatMap(messagesIn)]
}

export function entriesAlong(
  entries: readonly Entry[],
  trail: readonly string[],
): readonly Entry[] {
  const [key, ...rest] = trail
  const entry = entries.find((it) => it.key === key)
  return entry === undefined ? [] : [entry, ...entriesAlong(childrenOf(entry), rest)]
}
