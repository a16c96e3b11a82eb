import { formatUsd } from "#ground/base/format"
import { formatRound, visibleLine } from "../../base/format.ts"
import { PIPELINE_MARKS, type Status } from "../../base/status.ts"
import {
  formatCount,
  formatDuration,
  type PipelineEvent,
  type PipelineRun,
  type PipelineStage,
  plural,
} from "../../contract.ts"
import type { BudgetLine } from "../../ui/budget-lines/budget-lines.tsx"
import type { IconName } from "../../ui/icon/icon.tsx"
import type { StageDot, StageUnit } from "../../ui/stages/stages.tsx"
import type { Activity, Section } from "./sections.ts"

export type RunStarted = Extract<PipelineEvent["body"], { type: "run_started" }>

export function startOf(events: readonly PipelineEvent[]): RunStarted | undefined {
  const [first] = events
  return first?.body.type === "run_started" ? first.body : undefined
}

const STAGE_MARKS: Readonly<Record<PipelineStage["status"], Status>> = {
  waiting: "queued",
  running: "running",
  done: "done",
  failed: "failed",
  skipped: "cancelled",
  paused: "paused",
}

function markOf({ status }: PipelineStage, run: PipelineRun): Status {
  if (status !== "running" || run.status === "running") return STAGE_MARKS[status]
  return PIPELINE_MARKS[run.status]
}

export function dotsOf(run: PipelineRun, start: RunStarted | undefined): readonly StageDot[] {
  return run.stages.map((stage) => ({
    key: stage.name,
    title: visibleLine(stage.title),
    description: describeStage(stage, start),
    mark: markOf(stage, run),
    place: placeOf(stage),
  }))
}

function placeOf({ status }: PipelineStage): StageDot["place"] {
  if (status === "running" || status === "paused" || status === "failed") return "on"
  return status === "waiting" ? "next" : "past"
}

function describeStage(stage: PipelineStage, start: RunStarted | undefined): string {
  const cost = stage.cost.spentUsd === 0 ? "" : formatUsd(stage.cost.spentUsd)
  switch (stage.status) {
    case "skipped":
      return "skipped"
    case "waiting":
      return stage.rounds > 0 ? describeFailed(stage.rounds) : describePlan(stage, start)
    case "running":
      return join(stage.rounds > 0 ? `round ${stage.rounds + 1}` : "running", cost)
    case "paused":
      return join("paused", cost)
    case "failed":
      return join("failed", cost)
    case "done":
      return join(formatElapsed(stage), cost)
    default:
      return stage.status satisfies never
  }
}

function formatElapsed({ startedAt, endedAt }: PipelineStage): string {
  if (startedAt === null || endedAt === null) return "done"
  return formatDuration(Math.max(0, endedAt - startedAt))
}

function describeFailed(rounds: number): string {
  return rounds === 1 ? "failed once" : `failed ${rounds} times`
}

const WORK: Readonly<Record<PipelineStage["kind"], string>> = {
  ask: "asks a model",
  web: "web search",
  retrieve: "knowledge base",
  verify: "4 scores",
  document: "document",
  agent: "an agent",
  tools: "tools of sources",
}

function describePlan(
  { name, kind, pauses }: PipelineStage,
  start: RunStarted | undefined,
): string {
  const tokens = start?.config.stages.find((it) => it.name === name)?.contextTokens
  const work = tokens === undefined ? WORK[kind] : `${formatRound(tokens)} context`
  return pauses ? `${work}, pauses` : work
}

export function unitsOf({ repairs }: PipelineRun): readonly StageUnit[] {
  return repairs.map(({ first, last, used, most }) => ({
    first,
    last,
    description:
      used === 0
        ? `Repair unit, at most ${plural(most, "round")}`
        : `Repair unit, round ${used} of ${most} used`,
  }))
}

export function spendOf({ stages }: PipelineRun): readonly BudgetLine[] {
  return stages.map(({ name, title, status, rounds, cost }) => {
    const { spentUsd, budgetUsd } = cost
    const isAhead = status === "waiting" || status === "skipped"
    return {
      key: name,
      name: rounds > 1 ? `${visibleLine(title)}, ${rounds} rounds` : visibleLine(title),
      spent: formatSpent(cost) || (isAhead ? "" : formatUsd(0)),
      budget: budgetUsd === null ? "" : formatUsd(budgetUsd),
      share: budgetUsd === null || budgetUsd === 0 ? null : spentUsd / budgetUsd,
      isAhead,
    }
  })
}

/** Empty without calls; a call of unknown price is named, never counted as 0. */
export function formatSpent({ spentUsd, unknownCalls }: PipelineRun["cost"]): string {
  if (unknownCalls === 0) return spentUsd === 0 ? "" : formatUsd(spentUsd)
  const calls = `${plural(unknownCalls, "call")} unknown`
  return spentUsd === 0 ? calls : `${formatUsd(spentUsd)}, ${calls}`
}

const ICONS: Readonly<Record<Activity["what"], IconName>> = {
  read: "file",
  edit: "edit",
  command: "terminal",
  search: "search",
  fetch: "globe",
  agent: "fork",
  mcp: "plug",
  plan: "events",
  stage: "pipeline",
  other: "agent",
}

export function iconOf({ tool, what, outcome }: Activity): IconName {
  if (outcome === "failed" || outcome === "denied") return "close"
  if (/knowledge|retrieval/i.test(tool)) return "book"
  if (/verif|ground|preserv|contradict|validated|accuracy/i.test(tool)) return "check"
  if (/context/i.test(tool)) return "pack"
  return ICONS[what]
}

export function figuresOf({ tokens, durationMs, usd }: Activity): readonly string[] {
  return [
    tokens === null || tokens === 0 ? "" : formatCount(tokens),
    durationMs === null ? "" : formatDuration(durationMs),
    usd === null || usd === 0 ? "" : formatUsd(usd),
  ]
}

export type OutcomeText = { readonly description: string; readonly tone?: "bad" | "warn" }

export function describeActivity(activity: Activity, isLive: boolean): OutcomeText {
  const { title, outcome, detail } = activity
  const words = visibleLine(title)
  switch (outcome) {
    case null:
      return isLive ? { description: words } : { description: join(words, "cut"), tone: "warn" }
    case "failed":
      return { description: join(words, visibleLine(detail) || "failed"), tone: "bad" }
    case "denied":
      return { description: join(words, visibleLine(detail) || "denied"), tone: "bad" }
    case "stopped":
      return { description: join(words, "interrupted, cost unknown"), tone: "warn" }
    case "done":
    case "noted":
      return { description: words }
    default:
      return outcome satisfies never
  }
}

export function describeSection(section: Section, isLive: boolean): OutcomeText {
  const { problems, summary, round, rounds, iteration, attempts, isSkipped, isCarried } = section
  const which = join(
    rounds > 1 ? `round ${round}` : "",
    iteration > 0 ? "with feedback" : "",
    attempts > 1 ? `attempt ${attempts}` : "",
    isCarried ? "reused" : "",
  )
  if (problems.length > 0) {
    return { description: join(which, problems.map(visibleLine).join("; ")), tone: "bad" }
  }
  if (isSkipped) return { description: join(which, "skipped", visibleLine(summary ?? "")) }
  if (summary === null) return { description: isLive ? which : join(which, "not finished") }
  return { description: join(which, visibleLine(summary), section.answer) }
}

export function describeSectionNumbers(section: Section, isLive: boolean, now: number): string {
  if (isLive) return `running, ${formatDuration(Math.max(0, now - section.startedAt))}`
  const count = section.items.filter((it) => it.kind === "activity").length
  return count === 0 ? "" : plural(count, "activity", "activities")
}

/** "after" a finished stage; "at" a failed one, because it is retried. */
export function describePaused({ pause, stages }: PipelineRun): string {
  const title = pause === null ? undefined : stages[pause.stage]?.title
  if (title === undefined) return "Paused"
  return `Paused ${pause?.reason === "error" ? "at" : "after"} ${inSentence(title)}`
}

function inSentence(title: string): string {
  const shown = visibleLine(title)
  return /^[A-Z][a-z]/.test(shown) ? `${shown[0]?.toLowerCase()}${shown.slice(1)}` : shown
}

export function join(...parts: readonly string[]): string {
  return parts.filter((it) => it !== "").join(", ")
}

type End = { readonly title: string; readonly description: string; readonly tone?: "bad" | "warn" }

/** How it ended, or that no process works on it; undefined while it is active. */
export function describeEnd({ status, reason, isPartial, error }: PipelineRun): End | undefined {
  const why = visibleLine(reason ?? "")
  const part = isPartial ? "The result is partial." : ""
  switch (status) {
    case "running":
    case "paused":
      return undefined
    case "interrupted":
      return {
        title: "Interrupted.",
        description:
          "The process that ran it has ended. Recorded stages are stored and do not run again.",
        tone: "warn",
      }
    case "completed":
      return { title: "Completed.", description: why, ...(isPartial ? { tone: "warn" } : {}) }
    case "breakout":
      return {
        title: "Exited.",
        description: sentences(why || "The research so far is stored.", part),
      }
    case "stopped":
      return { title: "Stopped.", description: sentences(why, part) }
    case "over-budget":
      return { title: "Over budget.", description: sentences(why, part), tone: "warn" }
    case "failed":
      return { title: error?.message ?? "Failed.", description: error?.hint ?? why, tone: "bad" }
    default:
      return status satisfies never
  }
}

/** A stored reason has no period of its own. */
function sentences(...parts: readonly string[]): string {
  return parts
    .filter((it) => it !== "")
    .map((it) => (/[.!?]$/.test(it) ? it : `${it}.`))
    .join(" ")
}
