import { lazy, Suspense, useState } from "react"
import { formatUsd } from "#ground/base/format"
import { formatMinutes, formatWhen, visibleLine } from "../../base/format.ts"
import { plural, type Swarm, type SwarmReview } from "../../contract.ts"
import { leaveOne, type PageProps } from "../../data/params.ts"
import type { SwarmParams } from "../../data/paths.ts"
import { useReadOnly } from "../../data/queries.tsx"
import { Button } from "../../ui/button/button.tsx"
import { CollectionPage, Loaded } from "../../ui/collection/collection.tsx"
import { Empty } from "../../ui/empty/empty.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { Icon } from "../../ui/icon/icon.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { Meter } from "../../ui/meter/meter.tsx"
import { Notice } from "../../ui/notice/notice.tsx"
import { Flow, Pane } from "../../ui/pane/pane.tsx"
import { recall, remember } from "../../ui/remember.ts"
import { Text } from "../../ui/text/text.tsx"
import { Conflict, Tracks, TracksPage } from "../../ui/tracks/tracks.tsx"
import { Vital, Vitals, Wide } from "../../ui/transcript/transcript.tsx"
import { Lane } from "./lane.tsx"
import { PauseAll } from "./pause-all.tsx"
import { Review } from "./review.tsx"
import { type SwarmActions, useReview, useSwarmActions } from "./use-swarm.ts"
import {
  budgetOf,
  describeCounts,
  forecastKey,
  formatCostOf,
  isActive,
  isClosed,
  type SpannedForecast,
  spanForecasts,
  suggestOrder,
} from "./words.ts"

type Props = PageProps<SwarmParams>
type OpenReview = SwarmReview & { readonly swarm: Swarm }

// Loaded when they are opened, so that the first load of the page stays below its limit.
const DiffPane = lazy(async () => {
  try {
    return { default: (await import("./side-panes.tsx")).DiffPane }
  } catch {
    return { default: NoPane }
  }
})
const PlanPane = lazy(async () => {
  try {
    return { default: (await import("./side-panes.tsx")).PlanPane }
  } catch {
    return { default: NoPane }
  }
})

function NoPane() {
  return (
    <Pane label="Not loaded">
      <Text tone="2">
        This part is not loaded, and the server does not respond. Reload the page.
      </Text>
    </Pane>
  )
}

export function SwarmPage(props: Props) {
  const { params, onParams } = props
  const review = useReview()
  const isReadOnly = useReadOnly()
  const actions = useSwarmActions()
  const swarm = review.data?.swarm ?? null
  const isOpen = swarm !== null && !swarm.workstreams.every(isClosed)
  const selected = swarm?.workstreams.find((it) => it.name === params.at)
  const plan = () => onParams({ show: params.show === "plan" ? null : "plan" })
  const facts = swarm === null ? "" : plural(swarm.workstreams.length, "workstream")
  const close = () => onParams({ show: null })
  const diff =
    params.show === "diff" && selected !== undefined ? (
      <Suspense fallback={<Pane label="Diff">{null}</Pane>}>
        <DiffPane key={selected.name} stream={selected} onClose={close} />
      </Suspense>
    ) : null
  const detail =
    params.show === "plan" ? (
      <Suspense fallback={<Pane label="Plan">{null}</Pane>}>
        <PlanPane isOpen={isOpen} isReadOnly={isReadOnly} actions={actions} onClose={close} />
      </Suspense>
    ) : (
      diff
    )
  return (
    <CollectionPage
      name="swarm"
      detailPx={392}
      header={
        <Header title="Swarm" facts={<Text tone="2">{facts}</Text>}>
          {swarm === null ? null : (
            <PauseAll swarm={swarm} isReadOnly={isReadOnly} actions={actions} />
          )}
          <Button icon="plus" variant="primary" keyId="swarm.plan" onPress={plan} shrinks>
            {isOpen ? "Add workstream" : "Plan a swarm"}
          </Button>
        </Header>
      }
      list={
        <Loaded query={review} rows={10}>
          {(data) =>
            data.swarm === null ? (
              <NoSwarm onPlan={plan} />
            ) : (
              <SwarmView
                {...props}
                review={{ ...data, swarm: data.swarm }}
                isReadOnly={isReadOnly}
                actions={actions}
              />
            )
          }
        </Loaded>
      }
      detail={detail}
      onLeave={leaveOne(
        onParams,
        [params.show !== null, { show: null }],
        [params.at !== "", { at: "" }],
      )}
    />
  )
}

function NoSwarm({ onPlan }: { onPlan(): void }) {
  return (
    <Empty
      description="No swarm ran yet. A swarm works on ready tickets at the same time, each with an agent in its own worktree, up to testing. You approve the result."
      command="qm swarm plan"
    >
      <Button onPress={onPlan}>Plan a swarm</Button>
    </Empty>
  )
}

type SwarmViewProps = Props & {
  readonly review: OpenReview
  readonly isReadOnly: boolean
  readonly actions: SwarmActions
}

function SwarmView({ now, params, onParams, review, isReadOnly, actions }: SwarmViewProps) {
  const { swarm, diffs, isDriven } = review
  const streams = swarm.workstreams
  const { conflicts, ignored, ignore, restore } = useForecasts(review)
  const open = streams.filter((it) => !isClosed(it))
  const lanes = open.length === 0 ? streams : open
  const selected = streams.find((it) => it.name === params.at)
  const pick = (name: string | undefined) => {
    if (name !== undefined) onParams({ at: name }, "replace")
  }
  useStreamKeys(
    streams.map((it) => it.name),
    selected?.name,
    pick,
  )
  const isIdle = !isDriven && streams.some(isActive)
  return (
    <TracksPage
      vitals={
        <>
          <SwarmVitals
            now={now}
            review={review}
            open={conflicts.length}
            ignored={ignored}
            onRestore={restore}
          />
          {isIdle ? (
            <Notice tone="warn" description="No process works on this swarm.">
              <Button small disabled={isReadOnly || actions.isBusy} onPress={actions.resume}>
                Continue
              </Button>
            </Notice>
          ) : null}
        </>
      }
      bottom={
        <Review
          review={review}
          selected={selected}
          isReadOnly={isReadOnly}
          actions={actions}
          onPick={pick}
          onDiff={() => onParams({ show: params.show === "diff" ? null : "diff" })}
        />
      }
    >
      <Tracks label="Workstreams">
        {lanes.map((it) => (
          <Lane
            key={it.name}
            {...{ swarm, now, isReadOnly, actions }}
            stream={it}
            diff={diffs.find((row) => row.workstream === it.name)}
            conflicting={
              new Set(
                conflicts
                  .filter((row) => row.workstream === it.name || row.with === it.name)
                  .flatMap((row) => row.files),
              )
            }
            isCurrent={it.name === params.at}
            onPick={() => pick(it.name)}
          />
        ))}
        {spanForecasts(
          conflicts,
          lanes.map((it) => it.name),
        ).map((it) => (
          <ForecastBox
            key={`${it.workstream} ${it.with}`}
            forecast={it}
            diffs={diffs}
            onDiff={() => onParams({ at: it.workstream, show: "diff" })}
            onIgnore={() => ignore(it)}
          />
        ))}
      </Tracks>
    </TracksPage>
  )
}

const IGNORED = "swarm.ignored"
const MOST_IGNORED = 50

/** Ignored ones are stored in this browser, and return when the files that collide change. */
function useForecasts({ swarm, conflicts }: OpenReview) {
  const [ignored, setIgnored] = useState(() => recall(IGNORED)?.split("\n") ?? [])
  const store = (next: readonly string[]) => {
    const stored = next.slice(-MOST_IGNORED)
    remember(IGNORED, stored.join("\n"))
    setIgnored([...stored])
  }
  const keyOf = (it: Parameters<typeof forecastKey>[1]) => forecastKey(swarm.id, it)
  const open = conflicts.filter((it) => !ignored.includes(keyOf(it)))
  return {
    conflicts: open,
    ignored: conflicts.length - open.length,
    ignore: (it: Parameters<typeof forecastKey>[1]) => store([...ignored, keyOf(it)]),
    restore: () => store(ignored.filter((key) => !conflicts.some((it) => keyOf(it) === key))),
  }
}

type SwarmVitalsProps = {
  readonly now: number
  readonly review: OpenReview
  readonly open: number
  readonly ignored: number
  onRestore(): void
}

function SwarmVitals({ now, review, open, ignored, onRestore }: SwarmVitalsProps) {
  const { swarm } = review
  const spent = swarm.workstreams.reduce((sum, it) => sum + (it.costUsd ?? 0), 0)
  const budget = swarm.workstreams.reduce((sum, it) => sum + budgetOf(it, swarm), 0)
  const isOver = swarm.workstreams.every(isClosed)
  return (
    <Vitals>
      <Vital>
        {isOver ? null : (
          <>
            <b>{formatMinutes(Math.max(0, now - swarm.createdAt))}</b>
            <Text tone="3">elapsed</Text>
          </>
        )}
        <Wide>
          <Text tone="3">{`since ${formatWhen(swarm.createdAt, now)}`}</Text>
        </Wide>
      </Vital>
      <Vital yields>
        <Text tone="2" cut>
          {describeCounts(swarm)}
        </Text>
      </Vital>
      <Vital wide>
        <Meter share={spent / budget} label="Share of all budgets spent" />
        <span>{`${formatCostOf(swarm.workstreams)} of ${formatUsd(budget)}`}</span>
      </Vital>
      <Vital wide>
        <Text tone="2">{`base ${visibleLine(swarm.baseRef)} at `}</Text>
        <Text mono>{swarm.baseCommit.slice(0, 7)}</Text>
      </Vital>
      {open === 0 ? null : (
        <Vital tone="warn" push>
          <Icon name="warning" />
          {`${plural(open, "conflict")} forecast`}
        </Vital>
      )}
      {ignored === 0 ? null : (
        <Vital push={open === 0}>
          <Button small variant="ghost" onPress={onRestore}>
            {`Show ${plural(ignored, "ignored forecast")}`}
          </Button>
        </Vital>
      )}
    </Vitals>
  )
}

type ForecastBoxProps = {
  readonly forecast: SpannedForecast
  readonly diffs: SwarmReview["diffs"]
  onDiff(): void
  onIgnore(): void
}

/** The forecast suggests an order and gives the reason; it never applies it. */
function ForecastBox({ forecast, diffs, onDiff, onIgnore }: ForecastBoxProps) {
  const { workstream, with: other, files, from, to, row } = forecast
  return (
    <Conflict
      {...{ from, to, row }}
      title={
        <Text as="h2" strong>
          {`Conflict forecast: ${workstream} with ${visibleLine(other)}`}
        </Text>
      }
      description={[
        `Both change ${visibleLine(files.join(", "))}.`,
        suggestOrder(forecast, diffs) ??
          `Send ${workstream} back with the request to merge the base.`,
      ].join(" ")}
    >
      <Flow>
        <Button small onPress={onDiff}>
          {`Diff of ${workstream}`}
        </Button>
        <Button small variant="ghost" onPress={onIgnore}>
          Ignore
        </Button>
      </Flow>
    </Conflict>
  )
}

function useStreamKeys(
  names: readonly string[],
  at: string | undefined,
  pick: (name: string | undefined) => void,
): void {
  const index = at === undefined ? -1 : names.indexOf(at)
  useKey("list.next", () => pick(names[index + 1]))
  useKey("list.previous", () => pick(names[index < 0 ? 0 : index - 1]))
  useKey("list.first", () => pick(names[0]))
  useKey("list.last", () => pick(names.at(-1)))
  useKey("swarm.first", () => pick(names[0]))
  useKey("swarm.second", () => pick(names[1]))
  useKey("swarm.third", () => pick(names[2]))
  useKey("swarm.fourth", () => pick(names[3]))
  useKey("swarm.fifth", () => pick(names[4]))
}
