import { useMemo } from "react"
import { toWireError } from "../../../base/errors.ts"
import { formatShare, visibleLine } from "../../../base/format.ts"
import { hostTitle } from "../../../base/hosts.ts"
import {
  type Capture,
  type ContextKind,
  formatCount,
  formatExact,
  type HostName,
  type Manifest,
  plural,
} from "../../../contract.ts"
import type { PageProps } from "../../../data/params.ts"
import type { CaptureParams, CaptureTab } from "../../../data/paths.ts"
import { BudgetBar } from "../../../ui/budget-bar/budget-bar.tsx"
import { Button } from "../../../ui/button/button.tsx"
import { CommandLine, Empty } from "../../../ui/empty/empty.tsx"
import { Failure } from "../../../ui/failure/failure.tsx"
import { ChoiceField } from "../../../ui/field/field.tsx"
import { Figure, FigureBarSkeleton } from "../../../ui/figure/figure.tsx"
import { RowSkeleton } from "../../../ui/list/list.tsx"
import { Notice } from "../../../ui/notice/notice.tsx"
import { Flow, Pane, PaneHead } from "../../../ui/pane/pane.tsx"
import { Facets } from "../../../ui/tabs/tabs.tsx"
import { type Axis, axisFor, formatTick } from "../../../ui/waterfall/axis.ts"
import { Cuts } from "../advice.tsx"
import { Biggest } from "../detail/biggest.tsx"
import { Diff } from "../detail/diff.tsx"
import { AgreementMark, ObservationNotice } from "../detail/observation.tsx"
import { EffectiveSettings } from "../detail/settings.tsx"
import type { CaptureData } from "../use-capture.ts"
import { countLoads, shortener } from "./lines.ts"
import { Loads } from "./loads.tsx"
import { SearchedPaths } from "./searched-paths.tsx"

export type ListPaneProps = PageProps<CaptureParams> & {
  readonly data: CaptureData
  readonly isReadOnly: boolean
  readonly isBusy: boolean
  onTake(): void
  onAsk(trust: boolean): void
}

export function ListPane(props: ListPaneProps) {
  const { data, params, isReadOnly, isBusy } = props
  const { capture, error, isNever } = data
  const hasNothing = isNever || (error !== null && capture === undefined)
  return (
    <Pane label="Context window">
      {error === null ? null : (
        <Failure size="pane" error={toWireError(error)} onRetry={data.retry} />
      )}
      {isNever ? (
        <NeverCaptured
          host={params.host}
          isReadOnly={isReadOnly}
          isBusy={isBusy}
          onTake={props.onTake}
        />
      ) : null}
      {hasNothing ? null : <Shown {...props} />}
    </Pane>
  )
}

function Shown(props: ListPaneProps) {
  const { now, data, params, isReadOnly, isBusy, onParams, onAsk } = props
  const { capture, host } = data
  const axis = axisFor(capture?.manifest.totals.tokensInWindow ?? 0)
  return (
    <>
      <Summary
        capture={capture}
        figure={params.figure}
        picked={params.kind}
        onPick={(kind) => onParams({ kind, tab: "loads", at: "" }, "replace")}
      />
      {capture === undefined || capture.historyProblem === null ? null : (
        <Notice tone="warn" description={visibleLine(capture.historyProblem)} />
      )}
      {capture === undefined ? null : (
        <ObservationNotice
          capture={capture}
          host={host}
          isReadOnly={isReadOnly || isBusy}
          onAsk={onAsk}
        />
      )}
      <PaneHead
        edge="page"
        stacks
        actions={
          capture === undefined ? undefined : (
            <Flow align="apart">
              <AgreementMark now={now} observation={capture.observation} host={host} />
              {capture.headline.by === "estimate" ? null : (
                <ChoiceField
                  small
                  label="Total"
                  choices={FIGURES}
                  value={params.figure}
                  onPick={(it) =>
                    onParams({ figure: it === "estimate" ? it : "reported" }, "replace")
                  }
                />
              )}
            </Flow>
          )
        }
      >
        {/* The tabs show their counts at once: a tab that moves under the pointer causes wrong clicks. */}
        {capture === undefined ? null : (
          <TabBar data={data} capture={capture} active={params.tab} onParams={onParams} />
        )}
      </PaneHead>
      {capture === undefined ? (
        <RowSkeleton rows={12} />
      ) : (
        <TabContent {...props} capture={capture} axis={axis} />
      )}
    </>
  )
}

const FIGURES = [
  { value: "reported", label: "Reported" },
  { value: "estimate", label: "Estimate" },
] as const

type TabBarProps = Pick<ListPaneProps, "data" | "onParams"> & {
  readonly capture: Capture
  readonly active: CaptureTab
}

function TabBar({ data, capture, active, onParams }: TabBarProps) {
  const { diff, settings } = data
  const loads = useMemo(() => countLoads(capture), [capture])
  const servers = settings.data?.settings.length
  const tabs = [
    { value: "loads", label: "Loads", count: formatExact(loads) },
    { value: "cuts", label: "Cuts", count: capture.advice.length },
    { value: "found", label: "Found", count: describeMatches(capture) },
    { value: "settings", label: "Settings", count: servers },
    { value: "biggest", label: "Largest" },
    { value: "diff", label: "Diff", count: diff?.changes.length },
  ] as const
  return (
    <Facets
      label="Capture views"
      active={active}
      facets={tabs}
      onPick={(value) => {
        const tab = tabs.find((it) => it.value === value)?.value
        if (tab !== undefined) onParams({ tab, at: "" })
      }}
    />
  )
}

function describeMatches({ manifest }: Capture): string {
  const { searched } = manifest
  const foundCount = searched.filter((it) => it.outcome === "found").length
  return `${formatExact(foundCount)} of ${formatExact(searched.length)}`
}

type TabContentProps = ListPaneProps & { readonly capture: Capture; readonly axis: Axis }

function TabContent({ now, data, capture, axis, params, onParams }: TabContentProps) {
  const { captures, diff, compared, settings } = data
  const { tab, at, open } = params
  const common = {
    at,
    onMove: (it: { readonly key: string }) => onParams({ at: it.key }, "replace"),
    onOpen: (item: { readonly key: string }, how: "press" | "key") => {
      if (how === "key") onParams({ open: !open }, "replace")
      else onParams(item.key === at ? { at: "" } : { at: item.key, open: true })
    },
  }
  switch (tab) {
    case "loads":
      return (
        <>
          {capture.manifest.items.length === 0 ? <NoContext manifest={capture.manifest} /> : null}
          <Loads capture={capture} diff={diff} axis={axis} params={params} onParams={onParams} />
        </>
      )
    case "cuts":
      return <Cuts capture={capture} {...common} />
    case "found":
      return <SearchedPaths capture={capture} {...common} />
    case "settings":
      return (
        <EffectiveSettings
          found={settings.data}
          error={settings.error}
          onRetry={() => void settings.refetch()}
          {...common}
        />
      )
    case "biggest":
      return <Biggest capture={capture} {...common} />
    case "diff":
      return (
        <Diff
          now={now}
          captures={captures}
          from={compared.from}
          to={compared.to}
          diff={compared.data}
          error={compared.error}
          onRetry={() => void compared.refetch()}
          onPick={(change) => onParams({ ...change, at: "" }, "replace")}
          {...common}
        />
      )
    default:
      return tab satisfies never
  }
}

type NeverProps = {
  readonly host: HostName
  readonly isReadOnly: boolean
  readonly isBusy: boolean
  onTake(): void
}

function NeverCaptured({ host, isReadOnly, isBusy, onTake }: NeverProps) {
  return (
    <Empty
      description={`No capture of this host yet. This page shows which files ${hostTitle(host)} loads here, in which order, why, and what they cost. A capture starts no process and calls no model.`}
    >
      <CommandLine command={host === "claude-code" ? "qm capture" : `qm capture --host ${host}`}>
        {isReadOnly ? null : (
          <Button variant="primary" small keyId="capture.take" disabled={isBusy} onPress={onTake}>
            Capture now
          </Button>
        )}
      </CommandLine>
    </Empty>
  )
}

function NoContext({ manifest }: { readonly manifest: Manifest }) {
  return <Empty description={visibleLine(describeNoContext(manifest))} />
}

export function describeNoContext(manifest: Manifest): string {
  const { host, workingDirectory, searched } = manifest
  const shorten = shortener(manifest)
  const own = searched.find((it) => shorten(it.path) !== it.path && isOfProject(it.path, manifest))
  const summary = `${hostTitle(host)} finds no context file from ${workingDirectory}. ${plural(searched.length, "path was", "paths were")} searched; they are listed below.`
  if (own === undefined) return summary
  return `${summary} Create ${shorten(own.path)} in this folder; the host reads it at the next start.`
}

function isOfProject(path: string, { workingDirectory }: Manifest): boolean {
  const rest = path.slice(workingDirectory.length + 1)
  return path.startsWith(`${workingDirectory}/`) && rest.endsWith(".md")
}

/** The host's figure and our estimate are never mixed: one is the headline, the other follows it. */
function describeSource(
  { headline, manifest }: Capture,
  isEstimate: boolean,
): readonly { value: string; description: string }[] {
  const { by, estimate, tokens } = headline
  if (isEstimate && by !== "estimate") {
    return [
      { value: "estimate", description: "of all parts" },
      { value: formatExact(tokens), description: `reported ${REPORTED_BY[by]}` },
    ]
  }
  if (by === "estimate") {
    const version = manifest.start?.baseline?.version
    const { scale } = manifest
    return [
      { value: "estimate", description: version === undefined ? "from files" : `for ${version}` },
      ...(scale === undefined
        ? []
        : [
            {
              value: `× ${scale.factor}`,
              description: `counted for ${visibleLine(scale.model ?? "current Claude models")}`,
            },
          ]),
    ]
  }
  return [
    { value: "reported", description: REPORTED_BY[by] },
    { value: formatExact(estimate), description: describeDistance(estimate, tokens) },
  ]
}

const REPORTED_BY = { host: "by the host", wire: "by the gateway" } as const

/** The rows are estimates, whatever the headline is. A share over a half says nothing. */
function describeDistance(estimate: number, reported: number): string {
  const percent = reported === 0 ? 100 : (100 * (estimate - reported)) / reported
  if (Math.abs(percent) > 50) return "sum of the rows, estimated"
  return `sum of the rows, estimated, ${Math.abs(percent).toFixed(1)} % ${percent < 0 ? "lower" : "higher"}`
}

type SummaryProps = {
  readonly capture: Capture | undefined
  readonly figure: CaptureParams["figure"]
  readonly picked: ContextKind | null
  onPick(kind: ContextKind | null): void
}

const SAYS = "tokens before the first prompt"

function Summary({ capture, figure, picked, onPick }: SummaryProps) {
  if (capture === undefined) {
    return (
      <Figure value={undefined} description={SAYS} facts={[]}>
        <FigureBarSkeleton />
      </Figure>
    )
  }
  const { headline, budget } = capture
  const isEstimate = figure === "estimate"
  const { window } = headline
  const { tokens, kinds } = isEstimate ? budget : headline
  const share = isEstimate ? tokens / window : headline.share
  const { startBudget } = budget
  return (
    <Figure
      value={formatExact(tokens)}
      description={SAYS}
      facts={[
        { value: formatShare(share), description: `of ${formatTick(window)}` },
        {
          value: formatCount(capture.manifest.totals.tokensOnDemand),
          description: "more on demand",
        },
        ...describeSource(capture, isEstimate),
      ]}
      aside={`mark: start budget ${formatTick(startBudget)}`}
    >
      <BudgetBar
        tokens={Object.fromEntries(kinds.map((it) => [it.kind, it.tokens]))}
        budget={startBudget}
        picked={picked}
        onPick={onPick}
      />
    </Figure>
  )
}
