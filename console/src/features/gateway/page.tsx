import { useMemo } from "react"
import { hasCode, toWireError } from "../../base/errors.ts"
import { visibleLine } from "../../base/format.ts"
import { formatExact, type GatewayShow, plural } from "../../contract.ts"
import { leaveOne, type PageProps } from "../../data/params.ts"
import { type GatewayParams, type GatewayWho, paths } from "../../data/paths.ts"
import { AreaChart } from "../../ui/area-chart/area-chart.tsx"
import { Button, LinkButton } from "../../ui/button/button.tsx"
import { CollectionPage } from "../../ui/collection/collection.tsx"
import { CommandLine, Empty } from "../../ui/empty/empty.tsx"
import { Failure, LoadFailure } from "../../ui/failure/failure.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { RowNote, RowSkeleton } from "../../ui/list/list.tsx"
import { Notice } from "../../ui/notice/notice.tsx"
import { Pane, PaneFoot, PaneHead } from "../../ui/pane/pane.tsx"
import { Facets } from "../../ui/tabs/tabs.tsx"
import { formatTick } from "../../ui/waterfall/axis.ts"
import { Detail } from "./detail.tsx"
import { GatewayHeader } from "./header.tsx"
import { chartOf, countByAgent, readKey, wholeMsOf } from "./lines.ts"
import { RequestList } from "./request-list.tsx"
import { isRunId, useRun, useShow } from "./use-gateway.ts"
import { GatewayVitals } from "./vitals.tsx"

export type GatewayPageProps = PageProps<GatewayParams> & {
  readonly id: string
}

export function GatewayPage({ id, now, params, onParams }: GatewayPageProps) {
  const show = useShow(id, params.all)
  const run = useRun(id)
  const isOpen = readKey(params.at) !== undefined
  const window = run.data?.contextWindow ?? null
  return (
    <CollectionPage
      name="gateway"
      detailPx={480}
      header={<GatewayHeader id={id} now={now} run={run.data} show={show.data} />}
      list={<ListPane {...{ now, id, show, run, window, params, onParams }} />}
      detail={
        isOpen ? (
          <Detail
            key={params.at}
            id={id}
            sessions={show.data?.sessions ?? []}
            params={params}
            onParams={onParams}
          />
        ) : null
      }
      onLeave={leaveOne(
        onParams,
        [isOpen && params.piece !== null, { piece: null }],
        [isOpen, { at: "", find: "", from: null }],
      )}
    />
  )
}

type ListPaneProps = PageProps<GatewayParams> & {
  readonly id: string
  readonly show: ReturnType<typeof useShow>
  readonly run: ReturnType<typeof useRun>
  readonly window: number | null
}

function ListPane(props: ListPaneProps) {
  const { show } = props
  return (
    <Pane label="Gateway requests">
      {show.data === undefined ? <NoAnswer {...props} /> : null}
      {show.data === undefined ? null : <GatewayContent {...props} data={show.data} />}
    </Pane>
  )
}

function NoAnswer({ id, show, run }: ListPaneProps) {
  if (show.error === null) return <RowSkeleton rows={10} />
  const isNothing = hasCode(show.error, "GATEWAY_SESSION_UNKNOWN")
  if (isNothing && isRunId(id)) return <NotProxied run={run} />
  return <Failure size="pane" error={toWireError(show.error)} onRetry={() => void show.refetch()} />
}

function NotProxied({ run }: Pick<ListPaneProps, "run">) {
  if (run.data !== undefined) return <NeverProxied />
  if (run.error === null) return <RowSkeleton rows={10} />
  return <LoadFailure error={run.error} missing={MISSING} onRetry={() => void run.refetch()} />
}

const MISSING = {
  code: "AGENTS_RUN_UNKNOWN",
  text: "No run has this id. It may have been deleted.",
  all: "All runs",
  href: paths.runs(),
} as const

type GatewayContentProps = ListPaneProps & { readonly data: GatewayShow }

function GatewayContent(props: GatewayContentProps) {
  const { data, params, onParams } = props
  if (data.sessions.length === 0) return <NotProxied run={props.run} />
  const latched = data.sessions.filter((it) => it.latchedOff !== null)
  const notice = data.sessions.at(-1)?.notice
  return (
    <>
      <GatewayVitals show={data} />
      {latched.map((it) => (
        <Notice key={it.id} tone="warn" description={describeFoldStop(it.latchedOff ?? "")} />
      ))}
      {notice === undefined ? null : <Notice tone="warn" description={notice} />}
      {data.requests.length === 0 ? (
        <RowNote>{describeNoRequest(data)}</RowNote>
      ) : (
        <>
          <Chart {...props} />
          <Who show={data} params={params} onParams={onParams} />
          <RequestList show={data} params={params} onParams={onParams} />
          <Foot show={data} params={params} onParams={onParams} />
        </>
      )}
    </>
  )
}

function describeFoldStop(reason: string): string {
  const sentence = visibleLine(reason.trim()).replace(/\.$/, "")
  return `Folding stopped in this session: ${sentence}. Its requests are forwarded unchanged.`
}

function describeNoRequest({ sessions }: GatewayShow): string {
  return sessions.some((it) => it.isAlive)
    ? "Its requests go through the gateway. It has sent none yet."
    : "It ended without a request to the model."
}

function Chart({ data, window, params, onParams }: GatewayContentProps) {
  const { points, marks } = useMemo(() => chartOf(data), [data])
  if (points.length < 2) return null
  return (
    <AreaChart
      label="Window over time"
      points={points}
      marks={marks}
      wholeMs={wholeMsOf(data)}
      limit={window === null ? null : { tokens: window, label: `window ${formatTick(window)}` }}
      picked={params.at}
      onPick={(at) => onParams({ at, piece: null, from: null })}
    />
  )
}

type WhoProps = Pick<ListPaneProps, "params" | "onParams"> & { readonly show: GatewayShow }

function Who({ show, params, onParams }: WhoProps) {
  const counts = countByAgent(show)
  const pick = (who: GatewayWho) => onParams({ who }, "replace")
  const hasBoth = counts.main > 0 && counts.agents > 0
  useKey("gateway.who", hasBoth ? () => pick(NEXT[params.who]) : undefined)
  if (!hasBoth) return null
  return (
    <PaneHead edge="page">
      <Facets
        label="Agent filter"
        active={params.who}
        facets={WHO.map(({ value, label }) => ({
          value,
          label,
          count: formatExact(counts[value]),
        }))}
        onPick={(value) => pick(WHO.find((it) => it.value === value)?.value ?? "all")}
      />
    </PaneHead>
  )
}

const WHO = [
  { value: "all", label: "All requests" },
  { value: "main", label: "Main conversation" },
  { value: "agents", label: "Sub-agents" },
] as const satisfies readonly { readonly value: GatewayWho; readonly label: string }[]

const NEXT: Readonly<Record<GatewayWho, GatewayWho>> = {
  all: "main",
  main: "agents",
  agents: "all",
}

function Foot({ show, params, onParams }: WhoProps) {
  const { earlier } = show
  return (
    <>
      {earlier === 0 ? null : (
        <RowNote>
          {plural(earlier, "earlier request is", "earlier requests are")} not listed; the totals
          above include them.
          {params.all ? null : (
            <Button small onPress={() => onParams({ all: true }, "replace")}>
              List more
            </Button>
          )}
        </RowNote>
      )}
      <PaneFoot>
        Tokens are the provider's numbers; ≈ marks our estimate where it gave none. The pale part of
        a bar is the time to the first byte.
      </PaneFoot>
    </>
  )
}

function NeverProxied() {
  return (
    <Empty description="The gateway runs on this machine between an agent and its model provider. This page shows each request: its content, what is new in it, its exact cost, and what folding left out. The gateway is off by default; turn it on for one run:">
      <CommandLine command='qm run --gateway record "your task"'>
        <LinkButton small href={paths.runs({ beside: "new" })}>
          New run
        </LinkButton>
      </CommandLine>
    </Empty>
  )
}
