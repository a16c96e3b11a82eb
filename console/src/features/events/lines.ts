import { nameDay } from "../../base/format.ts"
import type { JournalEntry } from "../../contract.ts"
import { matchesText } from "../../data/journal.ts"

export type Line =
  | { readonly kind: "day"; readonly name: string; readonly count: number }
  | { readonly kind: "event"; readonly entry: JournalEntry }

export type View = {
  readonly text: string
  readonly until: number | null
  readonly now: number
}

export function shownEntries(
  entries: readonly JournalEntry[],
  { text, until }: Pick<View, "text" | "until">,
): readonly JournalEntry[] {
  return entries.filter((it) => (until === null || it.seq <= until) && matchesText(it, text))
}

export function linesOf(entries: readonly JournalEntry[], now: number): readonly Line[] {
  const days = Map.groupBy(entries, (it) => nameDay(it.at, now))
  return [...days].flatMap(([name, ofDay]) => [
    { kind: "day", name, count: ofDay.length } as const,
    ...ofDay.map((entry) => ({ kind: "event", entry }) as const),
  ])
}

export function roomsOf(entries: readonly JournalEntry[]): readonly string[] {
  return [...new Set(entries.map((it) => `${it.name.split(".")[0]}.`))].toSorted()
}

/** Body in one line: the fields in their order, lists and objects by their size. */
export function sayBody(body: JournalEntry["body"]): string {
  return Object.entries(body)
    .map(([name, value]) => `${name} ${sayValue(value)}`)
    .join(", ")
}

function sayValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length}]`
  if (typeof value === "object" && value !== null) return `{${Object.keys(value).length}}`
  return String(value)
}
