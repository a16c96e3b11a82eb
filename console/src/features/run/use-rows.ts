import { useMemo, useState } from "react"
import type { Message } from "../../contract.ts"
import type { RunParams } from "../../data/paths.ts"
import { type Entry, eventOf } from "./entry.ts"
import { entriesAlong, flatten, openableIn, type Row, trailTo, withOpen } from "./flat.ts"
import { foldMessages } from "./rows.ts"

export type RowsState = ReturnType<typeof useRows>

type PickedRow = { readonly key: string; readonly seq: number }

export function useRows(messages: readonly Message[], params: RunParams) {
  const [turned, setTurned] = useState<ReadonlySet<string>>(() => new Set())
  const [picked, setPicked] = useState<PickedRow | null>(null)
  const entries = useMemo(() => foldMessages(messages), [messages])
  const trail = useMemo(
    () => (params.at === null ? [] : trailTo(entries, params.at)),
    [entries, params.at],
  )
  const shown = useMemo(() => openAlong(turned, entries, trail), [turned, entries, trail])
  const rows = useMemo(() => flatten(entries, shown), [entries, shown])
  const selectedKey = keyOf(picked, params.at, trail)
  const index = rows.findIndex((it) => it.key === selectedKey)
  const matches = useMemo(() => findIn(messages, params.find), [messages, params.find])
  return {
    entries,
    rows,
    selectedKey,
    index,
    selected: rows[index],
    found: matches,
    isWhole: (seq: number) => turned.has(`w${seq}`),
    wantWhole: (seq: number) => setTurned((it) => new Set(it).add(`w${seq}`)),
    toggle: (row: Row) => setTurned(withOpen(shown, [row.entry], !row.isOpen)),
    expand(row: Row) {
      const within = openableIn(row.entry)
      const isAllOpen = within.every((it) => rows.some((one) => one.key === it.key && one.isOpen))
      setTurned(withOpen(shown, within, !isAllOpen))
    },
    pick: (key: string, seq: number) => setPicked({ key, seq }),
  }
}

function keyOf(picked: PickedRow | null, at: number | null, trail: readonly string[]): string {
  if (at === null) return ""
  return picked?.seq === at ? picked.key : (trail.at(-1) ?? "")
}

function openAlong(
  turned: ReadonlySet<string>,
  entries: readonly Entry[],
  trail: readonly string[],
): ReadonlySet<string> {
  const around = entriesAlong(entries, trail.slice(0, -1))
  return around.length === 0 ? turned : withOpen(turned, around)
}

export function findIn(messages: readonly Message[], text: string): readonly number[] {
  const needle = text.trim().toLowerCase()
  if (needle === "") return []
  return messages.filter((it) => wordsOf(it).toLowerCase().includes(needle)).map((it) => it.seq)
}

function wordsOf(message: Message): string {
  const event = eventOf(message)
  switch (event?.event) {
    case "activity.started":
      return `${event.title} ${event.tool} ${event.input}`
    case "activity.ended":
      return `${message.content} ${event.diff ?? ""}`
    case "approval.requested":
      return `${event.title} ${event.input}`
    default:
      return message.content
  }
}
