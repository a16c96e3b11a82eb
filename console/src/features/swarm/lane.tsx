import { formatUsd } from "#ground/base/format"
import { formatMoment, formatRound, formatWhen, visibleLine } from "../../base/format.ts"
import { formatCount, type Swarm, type Workstream } from "../../contract.ts"
import { paths } from "../../data/paths.ts"
import { useOperation } from "../../data/queries.tsx"
import { RowBudgetBar } from "../../ui/budget-bar/budget-bar.tsx"
import { Button } from "../../ui/button/button.tsx"
import { Meter } from "../../ui/meter/meter.tsx"
import { Flow, Stack, Value, Values } from "../../ui/pane/pane.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { PlaceLink, Text } from "../../ui/text/text.tsx"
import {
  Track,
  TrackFile,
  TrackLevel,
  TrackLevels,
  TrackLines,
  TrackPart,
} from "../../ui/tracks/tracks.tsx"
import { Changes } from "../../ui/transcript/box.tsx"
import { activityLines } from "./activity-lines.ts"
import { type SwarmActions, useMessages } from "./use-swarm.ts"
import {
  budgetOf,
  type Diff,
  describeFact,
  describeState,
  isActive,
  isClosed,
  isHalted,
  sumOf,
} from "./words.ts"

const MOST_LINES = 8
const MOST_FILES = 6

type LaneProps = {
  readonly swarm: Swarm
  readonly stream: Workstream
  readonly diff: Diff | undefined
  /** Files that a forecast names. */
  readonly conflicting: ReadonlySet<string>
  readonly now: number
  readonly isCurrent: boolean
  readonly isReadOnly: boolean
  readonly actions: SwarmActions
  onPick(): void
}

export function Lane(props: LaneProps) {
  const { stream, now, isCurrent, onPick } = props
  const { mark, word } = describeState(stream)
  const run = stream.runs.at(-1)
  return (
    <Track
      name={stream.name}
      status={mark}
      state={word}
      fact={describeFact(stream, now)}
      isCurrent={isCurrent}
      onPick={onPick}
    >
      <Identity {...props} />
      {isClosed(stream) ? null : <Levels {...props} />}
      {stream.feedback === null || isClosed(stream) ? null : (
        <TrackPart tone="warn">
          <Text as="p" strong size="sm">
            Feedback
          </Text>
          <Text as="p" wrap>
            {visibleLine(stream.feedback)}
          </Text>
        </TrackPart>
      )}
      <Halted {...props} />
      {stream.state === "parked" ? <Parked {...props} /> : null}
      {run === undefined || stream.state === "parked" || isClosed(stream) ? null : (
        <Activity key={run} run={run} isLive={isActive(stream)} />
      )}
      <Files {...props} />
    </Track>
  )
}

function Identity({ swarm, stream }: Pick<LaneProps, "stream" | "swarm">) {
  const { tickets, current, worktree, agent, runs } = stream
  const ticket = tickets[current]
  const run = runs.at(-1)
  if (ticket === undefined) return null
  const place = tickets.length > 1 ? `ticket ${current + 1} of ${tickets.length}` : ""
  return (
    <TrackPart>
      <Text as="h2" size="lg" strong cut title={visibleLine(ticket.title)}>
        {visibleLine(ticket.title)}
      </Text>
      <Flow wrap>
        <PlaceLink href={paths.ticket(ticket.id)}>{ticket.id}</PlaceLink>
        <Text tone="3" cut>
          {`worktree ${worktree}`}
        </Text>
        {place === "" ? null : <Text tone="3">{place}</Text>}
      </Flow>
      <Flow wrap>
        <Text tone="2">{`${agent}, ${visibleLine(swarm.model ?? "its own model")}, ${swarm.tier} tier`}</Text>
        {run === undefined ? null : <PlaceLink href={paths.run(run)}>Transcript</PlaceLink>}
      </Flow>
    </TrackPart>
  )
}

function Levels({ swarm, stream }: Pick<LaneProps, "stream" | "swarm">) {
  const budget = budgetOf(stream, swarm)
  const { costUsd } = stream
  const run = stream.runs.at(-1)
  return (
    <TrackPart>
      <TrackLevels>
        <TrackLevel>{run === undefined ? <NoContext /> : <Context run={run} />}</TrackLevel>
        <TrackLevel>
          <Flow align="apart">
            <Text tone="2">Cost</Text>
            <Text>
              {`${costUsd === null ? "unknown" : formatUsd(costUsd)} of ${formatUsd(budget)}`}
            </Text>
          </Flow>
          <Meter share={(costUsd ?? 0) / budget} label="Share of the budget spent" />
        </TrackLevel>
      </TrackLevels>
    </TrackPart>
  )
}

function NoContext() {
  return (
    <Flow align="apart">
      <Text tone="2">Context</Text>
      <Text tone="3">not started</Text>
    </Flow>
  )
}

function Context({ run }: { readonly run: string }) {
  const { data } = useOperation("agents.context", { id: run })
  const used = data?.wire?.used ?? data?.used ?? null
  const window = data?.window ?? null
  const kinds = data?.wire?.kinds ?? data?.kinds ?? []
  const usedKinds = kinds.filter((it) => it.tokens > 0)
  const tokens =
    usedKinds.length > 0
      ? Object.fromEntries(usedKinds.map((it) => [it.kind, it.tokens]))
      : { history: used ?? 0 }
  return (
    <>
      <Flow align="apart">
        <Text tone="2">Context</Text>
        <Text {...(used === null ? { tone: "3" } : {})}>
          {used === null ? "not known yet" : formatCount(used)}
          {used === null || window === null ? "" : ` of ${formatRound(window)}`}
        </Text>
      </Flow>
      <RowBudgetBar tokens={used === null ? {} : tokens} {...(window === null ? {} : { window })} />
    </>
  )
}

function Activity({ run, isLive }: { readonly run: string; readonly isLive: boolean }) {
  const lines = activityLines(useMessages(run), MOST_LINES)
  return (
    <TrackPart grows>
      {lines.length === 0 ? (
        <Text tone="3">The agent has not reported anything yet.</Text>
      ) : (
        <TrackLines lines={lines} isLive={isLive} />
      )}
    </TrackPart>
  )
}

const capitalise = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)

/** Why it does not work, and what continues it. */
function Halted({ swarm, stream, isReadOnly, actions }: LaneProps) {
  if (!isHalted(stream)) return null
  const { name: workstream, costUsd } = stream
  const budget = budgetOf(stream, swarm)
  const isSpent = stream.state === "paused" && costUsd !== null && costUsd >= budget
  const isOff = isReadOnly || actions.isBusy
  return (
    <TrackPart tone="warn">
      <Stack gap="8">
        <Text wrap>{visibleLine(capitalise(stream.reason ?? "It stopped."))}</Text>
        <Flow>
          {isSpent ? (
            <Button
              small
              disabled={isOff}
              onPress={() => actions.retry({ workstream, budget: budget * 2 })}
            >
              {`Raise budget to ${formatUsd(budget * 2)}`}
            </Button>
          ) : (
            <Button small disabled={isOff} onPress={() => actions.retry({ workstream })}>
              {stream.state === "paused" ? "Continue" : "Restart"}
            </Button>
          )}
        </Flow>
      </Stack>
    </TrackPart>
  )
}

function Parked({ stream, diff, now }: LaneProps) {
  const id = stream.tickets[stream.current]?.id ?? ""
  const { data } = useOperation("ticket.show", { id })
  const acceptance = data?.ticket.acceptance ?? []
  const done = acceptance.filter((it) => it.isDone).length
  const { evidence } = stream
  return (
    <>
      {acceptance.length === 0 ? null : (
        <TrackPart title="Acceptance" aside={`${done} of ${acceptance.length}`}>
          <Stack>
            {acceptance.map((it, at) => (
              <Flow key={`${at} ${it.text}`} gap="tight">
                <StatusMark status={it.isDone ? "done" : "queued"} />
                <Text cut title={visibleLine(it.text)}>
                  {visibleLine(it.text)}
                </Text>
              </Flow>
            ))}
          </Stack>
        </TrackPart>
      )}
      {evidence === null ? null : (
        <TrackPart title="Evidence" aside="run by Quartermaster">
          <Values>
            <Value name="Command">
              <Text mono>{visibleLine(evidence.command)}</Text>
            </Value>
            <Value name="Result">
              <Text tone={evidence.exitCode === 0 ? "ok" : "bad"}>
                {evidence.exitCode === null
                  ? "ended by a signal"
                  : `exit code ${evidence.exitCode}`}
              </Text>
            </Value>
            <Value name="Tree">
              <Text mono>{evidence.tree.slice(0, 9)}</Text>
              {diff?.evidence === "outdated" ? (
                <Text tone="warn"> out of date, the files changed</Text>
              ) : (
                <Text tone="2"> same as the files now</Text>
              )}
            </Value>
            <Value name="Time" title={formatMoment(evidence.at)}>
              {formatWhen(evidence.at, now)}
            </Value>
          </Values>
        </TrackPart>
      )}
    </>
  )
}

/** Committed changes; while the agent works, those that it reported. */
function Files({ stream, diff, conflicting }: LaneProps) {
  const run = stream.runs.at(-1) ?? ""
  const isNew = diff === undefined || diff.files.length === 0
  const { data } = useOperation(
    "agents.context",
    { id: run },
    { isEnabled: isNew && run !== "" && !isClosed(stream) },
  )
  const files: Diff["files"] = isNew ? [...(data?.changes ?? [])] : diff.files
  if (diff?.problem !== undefined && diff.problem !== null)
    return (
      <TrackPart tone="warn">
        <Text wrap>{`The worktree cannot be read: ${visibleLine(diff.problem)}.`}</Text>
      </TrackPart>
    )
  if (files.length === 0) return null
  const { added, removed } = sumOf(files)
  // The conflicting ones last, next to the forecast.
  const ordered = files.toSorted(
    (a, b) => Number(conflicting.has(a.path)) - Number(conflicting.has(b.path)),
  )
  const shown = ordered.slice(-MOST_FILES)
  return (
    <TrackPart
      title={`Files touched ${files.length}`}
      aside={<Changes added={added} removed={removed} />}
    >
      {shown.map((it) => (
        <TrackFile
          key={it.path}
          path={relativeTo(it.path, stream.path)}
          added={it.added}
          removed={it.removed}
          isWarned={conflicting.has(it.path)}
        />
      ))}
      {files.length > shown.length ? (
        <Text size="sm" tone="3">
          {`${files.length - shown.length} more`}
        </Text>
      ) : null}
    </TrackPart>
  )
}

/** Hosts report absolute paths of the worktree. */
function relativeTo(path: string, folder: string | null): string {
  return folder !== null && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path
}
