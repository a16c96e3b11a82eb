import { useEffect, useMemo, useRef, useState } from "react"
import { toWireError } from "../../../base/errors.ts"
import { visible } from "../../../base/format.ts"
import { formatExact, plural, type Run } from "../../../contract.ts"
import type { ParamsProps } from "../../../data/params.ts"
import type { RunParams } from "../../../data/paths.ts"
import type { Transcript, TranscriptState } from "../../../data/transcript/transcript.ts"
import { isAtEnd } from "../../../data/transcript/transcript-window.ts"
import { Button } from "../../../ui/button/button.tsx"
import { Failure } from "../../../ui/failure/failure.tsx"
import { Icon } from "../../../ui/icon/icon.tsx"
import { useKey } from "../../../ui/keys/keys.tsx"
import { RowNote, RowSkeleton } from "../../../ui/list/list.tsx"
import { PaneScroll } from "../../../ui/pane/pane.tsx"
import { Flow, type FlowHandle } from "../../../ui/transcript/flow.tsx"
import { Entry, Floating, LineState, MessageText } from "../../../ui/transcript/transcript.tsx"
import { ownMessages } from "./entry.ts"
import { canOpen, messagesIn, type Row } from "./flat.ts"
import type { RowHandlers } from "./row-handlers.ts"
import { RowView } from "./row-view.tsx"
import type { RowsState } from "./use-transcript.ts"

type TranscriptPaneProps = ParamsProps<RunParams> & {
  readonly run: Run
  readonly transcript: Transcript
  readonly state: TranscriptState
  readonly rows: RowsState
  readonly handlers: Omit<RowHandlers, "toggle" | "pick" | "isWhole" | "wantWhole" | "writing">
}

export function TranscriptPane(props: TranscriptPaneProps) {
  const { transcript, state, rows, params, onParams } = props
  const flow = useRef<FlowHandle>(null)
  const [isReaderAtEnd, setIsReaderAtEnd] = useState(true)
  const handlers: RowHandlers = {
    ...props.handlers,
    writing: state.writing,
    isWhole: rows.isWhole,
    wantWhole: rows.wantWhole,
    toggle(key) {
      const row = rows.rows.find((it) => it.key === key)
      if (row !== undefined) rows.toggle(row)
    },
    pick(key, seq) {
      rows.pick(key, seq)
      onParams({ at: seq }, "replace")
    },
  }
  const toLatest = () => {
    transcript.follow(true)
    onParams({ at: null }, "replace")
    if (isAtEnd(state.window)) flow.current?.toEnd()
    else void transcript.open(null).then(() => flow.current?.toEnd())
  }
  const toFirst = () => {
    transcript.follow(false)
    onParams({ at: null }, "replace")
    if (state.window.hasStart) flow.current?.toStart()
    else void transcript.open(1).then(() => flow.current?.toStart())
  }
  useRowKeys({ rows, handlers, toLatest, toFirst })
  useArrival({ rows, params, transcript, state, flow })
  const matches = useMemo(() => new Set(rows.found), [rows.found])
  if (state.phase === "failed") {
    return (
      <PaneScroll>
        <Failure
          size="page"
          error={toWireError(state.error)}
          onRetry={() => void transcript.open(params.at)}
        />
      </PaneScroll>
    )
  }
  if (state.phase === "opening") {
    return (
      <PaneScroll>
        <RowSkeleton rows={10} />
      </PaneScroll>
    )
  }
  const isEnd = isAtEnd(state.window)
  return (
    <>
      {state.window.messages.length === 0 ? <NothingYet run={props.run} /> : null}
      <Flow
        ref={flow}
        label="Transcript"
        items={rows.rows}
        guessPx={guessPx}
        sticks={isEnd && params.at === null}
        onNearStart={() => void transcript.loadOlder()}
        onNearEnd={() => void transcript.loadNewer()}
        onEnd={(isThere) => {
          setIsReaderAtEnd(isThere)
          transcript.follow(isThere && isEnd)
        }}
        renderItem={(row) => (
          <RowView
            row={row}
            isSelected={row.key === rows.selectedKey}
            isFound={matches.size > 0 && holds(row, matches)}
            handlers={handlers}
          />
        )}
        tail={isEnd ? <Writing state={state} /> : null}
      />
      <Latest state={state} isFar={!isEnd || !isReaderAtEnd} onPress={toLatest} />
      <LineWords state={state} />
      {state.error === null ? null : (
        <Failure
          size="row"
          error={toWireError(state.error)}
          onRetry={() => void transcript.loadOlder()}
        />
      )}
    </>
  )
}

/** Estimated height: one line, or the lines of its text at 72 characters. */
function guessPx({ entry }: Row): number {
  switch (entry.kind) {
    case "user":
    case "said":
    case "error":
      return 10 + 20 * Math.max(1, Math.ceil(entry.message.content.length / 72))
    case "approval":
      return entry.resolved === null ? 116 : 30
    case "pause":
      return entry.isOver ? 30 : 220
    case "context":
      return 66
    case "activity": {
      const diff = entry.ended?.event.diff ?? ""
      return diff === "" ? 30 : 60 + 18 * Math.min(28, diff.split("\n").length)
    }
    default:
      return 30
  }
}

function holds({ entry, isOpen }: Row, seqs: ReadonlySet<number>): boolean {
  const messages = isOpen ? ownMessages(entry) : messagesIn(entry)
  return messages.some((it) => seqs.has(it.seq))
}

type Arrival = Pick<TranscriptPaneProps, "rows" | "params" | "transcript" | "state"> & {
  readonly flow: { readonly current: FlowHandle | null }
}

function useArrival({ rows, params, transcript, state, flow }: Arrival): void {
  const { at } = params
  const isThere = rows.selectedKey !== ""
  const isOpen = state.phase === "open"
  useEffect(() => {
    if (at === null || !isOpen) return
    transcript.follow(false)
    if (isThere) flow.current?.reveal(rows.selectedKey)
    else if (at <= transcript.state().window.lastSeq) void transcript.open(at)
  }, [at, isOpen, isThere, rows.selectedKey, transcript, flow])
}

function NothingYet({ run }: { readonly run: Run }) {
  if (run.status === "queued") {
    return <RowNote>Queued: waiting for a free slot. Messages will appear here.</RowNote>
  }
  return <RowNote>No messages yet.</RowNote>
}

function Writing({ state }: { readonly state: TranscriptState }) {
  const text = state.writing.get("")
  if (text === undefined) return null
  return (
    <Entry
      id="writing"
      time=""
      mark={<Icon name="agent" />}
      depth={0}
      isSelected={false}
      isFound={false}
      label="Streamed text"
      onPick={() => undefined}
    >
      <MessageText variant="writing">{visible(text)}</MessageText>
    </Entry>
  )
}

type LatestProps = {
  readonly state: TranscriptState
  readonly isFar: boolean
  onPress(): void
}

function Latest({ state, isFar, onPress }: LatestProps) {
  const { window } = state
  const held = window.messages.at(-1)?.seq ?? 0
  const newer = window.lastSeq - held
  if (!isFar) return null
  return (
    <Floating>
      <Button small icon="down" keyId="run.last" onPress={onPress}>
        {newer > 0 ? `Jump to latest, ${formatExact(newer)} new` : "Jump to latest"}
      </Button>
    </Floating>
  )
}

function LineWords({ state }: { readonly state: TranscriptState }) {
  const { line } = state
  if (line === "on") return null
  if (line === "lost") {
    return <LineState mood="warn">Reconnecting. No messages are lost.</LineState>
  }
  return (
    <LineState mood="ok">
      Caught up
      {line.caughtUp === 0 ? ", nothing was missed" : `, ${plural(line.caughtUp, "message")}`}
    </LineState>
  )
}

type RowKeys = {
  readonly rows: RowsState
  readonly handlers: RowHandlers
  toLatest(): void
  toFirst(): void
}

function useRowKeys({ rows, handlers, toLatest, toFirst }: RowKeys): void {
  const { index, selected } = rows
  const go = (to: number) => {
    const row = rows.rows[to]
    if (row !== undefined) handlers.pick(row.key, row.entry.seq)
  }
  const last = rows.rows.length - 1
  useKey("list.next", () => go(index < 0 ? last : index + 1))
  useKey("list.previous", () => go(index < 0 ? last : index - 1))
  useKey("list.first", toFirst)
  useKey("run.first", toFirst)
  useKey("list.last", toLatest)
  const isFoldable = selected !== undefined && canOpen(selected.entry)
  useKey("run.open", isFoldable ? () => rows.toggle(selected) : undefined)
  useKey("run.expand", isFoldable ? () => rows.expand(selected) : undefined)
}
