import { useMutation, useQueryClient } from "@tanstack/react-query"
import { lazy, Suspense, useMemo, useState } from "react"
import { toWireError } from "../../base/errors.ts"
import { visibleLine } from "../../base/format.ts"
import {
  type AgentMode,
  formatExact,
  type Message,
  type PipelineLine,
  type Run,
  type RunSpan,
} from "../../contract.ts"
import { takesTurns, useSendAgain } from "../../data/actions/use-send-again.ts"
import { useSeconds } from "../../data/clock.ts"
import { keys } from "../../data/keys.ts"
import type { PageProps } from "../../data/params.ts"
import { paths, type RunParams } from "../../data/paths.ts"
import { useClient, useOperation, useReadOnly } from "../../data/queries.tsx"
import type { TranscriptState } from "../../data/transcript/transcript.ts"
import { LinkButton } from "../../ui/button/button.tsx"
import { useCopyText } from "../../ui/copy/copy.tsx"
import { LoadFailure } from "../../ui/failure/failure.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { RowNote, RowSkeleton } from "../../ui/list/list.tsx"
import { Notice } from "../../ui/notice/notice.tsx"
import { Pane } from "../../ui/pane/pane.tsx"
import { Strip, type StripSpan } from "../../ui/strip/strip.tsx"
import { useToast } from "../../ui/toast/toast.tsx"
import { TranscriptFrame } from "../../ui/transcript/transcript.tsx"
import { useFactsPane } from "../../ui/use-facts-pane.ts"
import { useLater } from "../../ui/use-later.ts"
import { RunComposer } from "./composer.tsx"
import { Drawer } from "./drawer.tsx"
import { RunHeader } from "./header.tsx"
import { type Entry, eventOf } from "./transcript/entry.ts"
import { messagesIn } from "./transcript/flat.ts"
import type { RowHandlers } from "./transcript/row-handlers.ts"
import { TranscriptPane } from "./transcript/transcript-pane.tsx"
import { hasWords, useRows, useTranscript } from "./transcript/use-transcript.ts"
import { lastHostReport } from "./usage-source.ts"
import { useApprovals } from "./use-approvals.ts"
import { RunVitals } from "./vitals.tsx"
import { copyText, isWorking } from "./words.ts"

export type RunPageProps = PageProps<RunParams> & {
  readonly id: string
  readonly areFactsHidden: boolean
  onToggleFacts(): void
}

export function RunPage(props: RunPageProps) {
  const { id } = props
  const run = useOperation("agents.show", { id })
  if (run.data !== undefined) return <KnownRun {...props} run={run.data} />
  return (
    <>
      <Header isDetail title={id} parent={{ label: "Runs", href: paths.runs() }} />
      <Pane label="Run">
        {run.isPending ? <RowSkeleton rows={8} /> : null}
        <LoadFailure
          size="page"
          error={run.error}
          missing={MISSING}
          onRetry={() => void run.refetch()}
        />
      </Pane>
    </>
  )
}

const MISSING = {
  code: "AGENTS_RUN_UNKNOWN",
  text: "No run has this id. It may have been deleted.",
  all: "All runs",
  href: paths.runs(),
} as const

const RawPane = lazy(async () => {
  try {
    return { default: (await import("./transcript/raw-pane.tsx")).RawPane }
  } catch {
    return { default: NoRawPane }
  }
})

// Most visits never open it, and the first load has a limit.
const ContextOverTime = lazy(async () => {
  try {
    return { default: (await import("./context-over-time.tsx")).ContextOverTime }
  } catch {
    return { default: NoChart }
  }
})

function NoChart() {
  return (
    <RowNote>The chart is not loaded, and the server does not respond. Reload the page.</RowNote>
  )
}

function NoRawPane() {
  return (
    <Pane label="Raw message">
      <RowNote>This part is not loaded, and the server does not respond. Reload the page.</RowNote>
    </Pane>
  )
}

const loadHandoff = async () => (await import("./handoff.tsx")).Handoff

type KnownRunProps = RunPageProps & { readonly run: Run }

function KnownRun(props: KnownRunProps) {
  const { id, run, params, onParams } = props
  const { transcript, state } = useTranscript(id, params.at)
  const hostReportedAt = useMemo(
    () => lastHostReport(state.window.messages),
    [state.window.messages],
  )
  const rows = useRows(state.window.messages, params)
  const now = useSeconds(isWorking(run.status), props.now)
  const [isHandingOff, setIsHandingOff] = useState(false)
  const { part: Handoff, want: wantHandoff } = useLater(loadHandoff)
  const approvals = useApprovals(id, rows.selected)
  const setMode = useMode(id)
  const isReadOnly = useReadOnly()
  const again = useAgain(props, state.window.messages)
  const goTo = (seq: number) => onParams({ at: seq }, "push")
  const findNext = async () => {
    const needle = params.find.trim().toLowerCase()
    if (needle === "") return
    const next =
      rows.found.find((seq) => seq > (params.at ?? 0)) ??
      rows.found[0] ??
      (await transcript.findOlder((it) => hasWords(it, needle)))
    if (next !== undefined) onParams({ at: next }, "replace")
  }
  const actions = useEntryActions(props)
  useSelectionKeys({ params, onParams, actions, selected: rows.selected?.entry })
  const drawer = useFactsPane(props)
  if (state.phase === "deleted") return <Deleted title={run.title} />
  const isRaw = params.raw && params.at !== null
  return (
    <>
      <RunHeader
        run={run}
        isReadOnly={isReadOnly}
        isDrawerShown={drawer.isShown}
        isChartShown={params.chart}
        onChart={() => onParams({ chart: !params.chart }, "replace")}
        onDrawer={drawer.toggle}
        onHandoff={() => wantHandoff(() => setIsHandingOff(true))}
      />
      <TranscriptFrame
        beside={<Beside {...props} {...{ hostReportedAt, drawer }} onPick={goTo} />}
        isBeside={isRaw || drawer.isShown}
        width={isRaw ? "wide" : drawer.width}
      >
        <Pane label="Run">
          <RunVitals
            run={run}
            now={now}
            isReadOnly={isReadOnly}
            hostReportedAt={hostReportedAt}
            find={params.find}
            found={describeMatches(rows.found, params, state)}
            onMode={setMode}
            onFind={(find) => onParams({ find }, "replace")}
            onNextFound={() => void findNext()}
          />
          {params.chart ? (
            <Suspense fallback={<RowSkeleton rows={4} />}>
              <ContextOverTime
                run={run}
                messages={state.window.messages}
                at={params.at}
                onPick={goTo}
              />
            </Suspense>
          ) : (
            <RunStrip run={run} now={now} onPick={goTo} />
          )}
          <PipelineNotice session={id} />
          <TranscriptPane
            run={run}
            transcript={transcript}
            state={state}
            rows={rows}
            handlers={{ runId: id, cwd: run.cwd, now, isReadOnly, again, ...approvals, ...actions }}
            params={params}
            onParams={onParams}
          />
          <RunComposer
            run={run}
            isReadOnly={isReadOnly}
            isFirst={params.compose}
            onMode={setMode}
            onSent={() => onParams({ at: null }, "replace")}
          />
        </Pane>
      </TranscriptFrame>
      {Handoff === undefined || !isHandingOff ? null : (
        <Handoff run={run} onClose={() => setIsHandingOff(false)} />
      )}
    </>
  )
}

type BesideProps = KnownRunProps & {
  readonly drawer: ReturnType<typeof useFactsPane>
  readonly hostReportedAt: number | null
  onPick(seq: number): void
}

function Beside(props: BesideProps) {
  const { id, run, params, onParams, onPick, drawer, hostReportedAt } = props
  if (params.raw && params.at !== null) {
    return (
      <Suspense fallback={<Pane label="Raw message">{null}</Pane>}>
        <RawPane
          id={id}
          seq={params.at}
          onSeq={(at) => onParams({ at }, "replace")}
          onClose={() => onParams({ raw: false }, "replace")}
        />
      </Suspense>
    )
  }
  if (!drawer.isShown) return null
  const facts = { id, cwd: run.cwd, hostReportedAt, hasEnded: !isWorking(run.status) }
  return <Drawer {...facts} onClose={drawer.toggle} onPick={onPick} />
}

function Deleted({ title }: { readonly title: string }) {
  return (
    <>
      <Header isDetail title={title} parent={{ label: "Runs", href: paths.runs() }} />
      <Pane label="Run">
        <RowNote>
          This run was deleted while it was open; its messages are no longer stored.
          <LinkButton small href={paths.runs()}>
            All runs
          </LinkButton>
        </RowNote>
      </Pane>
    </>
  )
}

const SHOWN_FROM_MS = 1_000

type RunStripProps = { readonly run: Run; readonly now: number; onPick(seq: number): void }

function RunStrip({ run, now, onPick }: RunStripProps) {
  const { id, startedAt, endedAt } = run
  const { data } = useOperation("agents.timeline", { id })
  const spans = useMemo(() => spansOf(data?.spans ?? []), [data])
  const tookMs = startedAt === null ? 0 : (endedAt ?? now) - startedAt
  const isNothing = data !== undefined && spans.length === 0
  if (tookMs < SHOWN_FROM_MS || isNothing) return null
  return <Strip durationMs={data?.durationMs ?? tookMs} spans={spans} onPick={onPick} />
}

function describeMatches(
  matches: readonly number[],
  { find, at }: RunParams,
  { window, isLoadingOlder }: TranscriptState,
): string {
  if (find.trim() === "") return ""
  if (isLoadingOlder && matches.length === 0) return "searching older messages"
  if (matches.length === 0) return window.hasStart ? "no match" : "no match yet; Enter: older"
  const index = at === null ? -1 : matches.indexOf(at)
  return index < 0
    ? `${formatExact(matches.length)} found`
    : `${index + 1} of ${formatExact(matches.length)}`
}

function useMode(id: string): (mode: AgentMode) => void {
  const client = useClient()
  const queries = useQueryClient()
  const toast = useToast()
  const change = useMutation({
    mutationFn: (mode: AgentMode) => client.write("agents.mode", { id, mode }),
    onSuccess: (run) => queries.setQueryData(keys.operation("agents.show", { id }), run),
    onError: (error: unknown) => toast.fail(toWireError(error)),
  })
  return (mode) => change.mutate(mode)
}

type Selection = Pick<RunPageProps, "id" | "params" | "onParams">

function useAgain(
  { run, onParams }: KnownRunProps,
  messages: readonly Message[],
): RowHandlers["again"] {
  const toast = useToast()
  const isReadOnly = useReadOnly()
  const { mutate, isPending } = useSendAgain(run, toast.fail)
  const onSuccess = () => onParams({ at: null }, "replace")
  if (run.status !== "failed" || isReadOnly || isPending || !takesTurns(run)) return null
  const last = messages.findLast((it) => eventOf(it)?.event === "turn.ended")
  return last === undefined ? null : { seq: last.seq, send: () => mutate(undefined, { onSuccess }) }
}

function useEntryActions({ id, params, onParams }: Selection) {
  const copy = useCopyText()
  return {
    copyLink: ({ seq }: Entry) =>
      copy(`${window.location.origin}${paths.run(id, { at: seq })}`, "Link copied"),
    copyText: (entry: Entry) => copy(copyText(messagesIn(entry)), "Text copied"),
    showRaw: () => onParams({ raw: !params.raw }, "replace"),
  }
}

type SelectionKeys = Omit<Selection, "id"> & {
  readonly selected: Entry | undefined
  readonly actions: ReturnType<typeof useEntryActions>
}

function useSelectionKeys({ params, onParams, selected, actions }: SelectionKeys): void {
  const has = selected !== undefined
  useKey("run.raw", has ? actions.showRaw : undefined)
  useKey("run.link", has ? () => actions.copyLink(selected) : undefined)
  useKey("run.copy", has ? () => actions.copyText(selected) : undefined)
  const layer = params.raw ? { raw: false } : { at: null }
  useKey("leave", params.at === null ? undefined : () => onParams(layer, "replace"))
}

function spansOf(spans: readonly RunSpan[]): readonly StripSpan[] {
  return spans.map(({ lane, kind, title, fromMs, toMs, seq }) => ({
    lane,
    variant: lane === "waiting" ? "waiting" : (LOOKS[kind ?? ""] ?? "plain"),
    title,
    fromMs,
    toMs,
    seq,
  }))
}

const LOOKS: Readonly<Record<string, StripSpan["variant"]>> = {
  read: "read",
  search: "search",
  fetch: "search",
  mcp: "search",
  edit: "edit",
  command: "command",
}

function PipelineNotice({ session }: { readonly session: string }) {
  const { data } = useOperation("pipeline.list", { session, limit: 1 })
  const newest = data?.runs[0]
  // A pause has its card in the transcript.
  if (newest === undefined || newest.endedAt !== null || newest.status === "paused") return null
  return (
    <Notice description={describePipeline(newest)}>
      <LinkButton small href={paths.pipeline(newest.id)}>
        Open {newest.id}
      </LinkButton>
    </Notice>
  )
}

function describePipeline({ agent, status, query }: PipelineLine): string {
  const question = visibleLine(query)
  return status === "interrupted"
    ? `${agent} was interrupted: ${question}`
    : `${agent} is working on: ${question}`
}
