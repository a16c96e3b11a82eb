import { nameDay } from "../../base/format.ts"
import type { VerdictLine } from "../../contract.ts"

export type GuardRow = {
  readonly kind: "verdict"
  readonly key: string
  readonly line: VerdictLine
}
export type Line =
  | { readonly kind: "day"; readonly name: string; readonly count: number }
  | GuardRow

/**
 * Verdicts have no id: their time is one, and those of one moment are counted from the oldest, so
 * that what comes in later moves no selection.
 */
export function keyed(newestFirst: readonly VerdictLine[]): readonly GuardRow[] {
  const seen = new Map<number, number>()
  const rows = newestFirst.toReversed().map((line): GuardRow => {
    const place = seen.get(line.at) ?? 0
    seen.set(line.at, place + 1)
    return { kind: "verdict", key: place === 0 ? `${line.at}` : `${line.at}-${place}`, line }
  })
  return rows.toReversed()
}

/** Those that have every word, in their order. */
export function matching(rows: readonly GuardRow[], text: string): readonly GuardRow[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return rows
  return rows.filter(({ line }) => {
    const { host, session, event, tool, rule, paths } = line
    const all = [host, session, event, tool ?? "", rule ?? "", ...paths, line.text]
    const haystack = all.join(" ").toLowerCase()
    return words.every((word) => haystack.includes(word))
  })
}

export function byDay(rows: readonly GuardRow[], now: number): readonly Line[] {
  const days = Map.groupBy(rows, ({ line }) => nameDay(line.at, now))
  return [...days].flatMap(([name, ofDay]) => [
    { kind: "day", name, count: ofDay.length } as const,
    ...ofDay,
  ])
}
