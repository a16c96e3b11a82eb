import { useQueryClient } from "@tanstack/react-query"
import { useContext, useEffect, useMemo, useState, useSyncExternalStore } from "react"
import type { Message } from "../../../contract.ts"
import { browserClock } from "../../../data/clock.ts"
import { keys } from "../../../data/keys.ts"
import type { RunParams } from "../../../data/paths.ts"
import { useClient } from "../../../data/queries.tsx"
import { RunLineContext } from "../../../data/transcript/run-line.ts"
import {
  createTranscript,
  type Transcript,
  type TranscriptState,
} from "../../../data/transcript/transcript.ts"
import { type Entry, eventOf } from "./entry.ts"
import { entriesAlong, flatten, openableIn, type Row, trailTo, withOpen } from "./flat.ts"
import { foldMessages } from "./rows.ts"

export function useTranscript(
  id: string,
  at: number | null,
): { readonly transcript: Transcript; readonly state: TranscriptState } {
  const client = useClient()
  const line = useContext(RunLineContext)
  const queries = useQueryClient()
  // Only the initial position: moving within the transcript loads nothing again.
  const [arrivedAt] = useState(at)
  const [transcript] = useState(() =>
    createTranscript({
      id,
      client,
      line,
      after: browserClock.after,
      onRun: (run) => queries.setQueryData(keys.operation("agents.show", { id }), run),
    }),
  )
  useEffect(() => transcript.start(arrivedAt), [transcript, arrivedAt])
  const state = useSyncExternalStore(transcript.listen, transcript.state, transcript.state)
  return { transcript, state }
}

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
  return messages.filter((it) => hasWords(it, needle)).map((it) => it.seq)
}

export function hasWords(message: Message, lowerCased: string): boolean {
  return wordsOf(message).toLowerCase().includes(lowerCased)
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
