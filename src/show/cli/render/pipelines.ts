import { formatDuration, plural } from "#ground/base"
import {
  type PipelineCompare,
  type PipelineDocument,
  type PipelineLine,
  type PipelineList,
  type PipelinePause,
  type PipelineRun,
  type PipelineShow,
  type PipelineStage,
  type PipelineStatus,
  type PipelineSummary,
} from "#ground/contract"
import { layOutProse } from "../live-run/prose.ts"
import type { Paint } from "../paint.ts"
import { type Screen, table } from "../screen.ts"
import { sayTime } from "./capture-observed.ts"
import { oneLine, quoted } from "./lines.ts"

const NONE =
  'No pipeline has run here yet. `qm pipeline run deep-research "<question>"` starts one; `qm agent` lists what can be run.'

export function renderPipelines({ runs }: PipelineList, screen: Screen): string {
  const { paint, width } = screen
  if (runs.length === 0) return paint.muted(NONE)
  return table(
    runs.map((it) => [
      it.id,
      sayPipelineStatus(it.status, paint),
      it.agent,
      sayPlace(it),
      sayMoney(it.cost),
      sayTime(it.createdAt),
      oneLine(it.query, Math.max(20, width - 76)),
    ]),
  )
}

function sayPlace({ stagesDone, stagesTotal }: PipelineLine): string {
  return `${stagesDone} of ${stagesTotal}`
}

/** A run with its stages, and what it asks when it waits. */
export function renderPipelineRun(run: PipelineRun, screen: Screen): string {
  const { paint, width } = screen
  return [
    `${paint.bold(oneLine(run.query, width - 24))}  ${paint.muted(`${run.agent} ${run.id}`)}`,
    `${sayPipelineStatus(run.status, paint)}${sayWhy(run)}, ${run.depth}, ${sayMoney(run.cost)}, ${run.provider}`,
    "",
    table(run.stages.map((it) => stageRow(it, screen))),
    ...sayRepairs(run, paint),
    ...(run.error === null ? [] : ["", paint.bad(run.error.message), paint.muted(run.error.hint)]),
    ...(run.pause === null ? [] : ["", ...pauseCard(run.pause, screen)]),
    ...sayNext(run, paint),
  ].join("\n")
}

export function renderPipelineShow({ run }: PipelineShow, screen: Screen): string {
  return renderPipelineRun(run, screen)
}

function sayWhy({ reason }: PipelineRun): string {
  return reason === null || reason === "" ? "" : ` (${oneLine(reason, 80)})`
}

function stageRow(stage: PipelineStage, { paint, width }: Screen): readonly string[] {
  const time =
    stage.startedAt === null || stage.endedAt === null
      ? ""
      : formatDuration(stage.endedAt - stage.startedAt)
  const rounds = stage.rounds > 1 ? `round ${stage.rounds}` : ""
  return [
    STAGE_SIGNS[stage.status](paint),
    stage.title,
    paint.muted([rounds, time].filter((it) => it !== "").join(", ")),
    stage.cost.spentUsd === 0 && stage.cost.budgetUsd === null ? "" : sayMoney(stage.cost),
    oneLine(stage.summary ?? "", Math.max(16, width - 62)),
  ]
}

type Sign = (paint: Paint) => string
const STAGE_SIGNS: Readonly<Record<PipelineStage["status"], Sign>> = {
  waiting: (paint) => paint.muted("○"),
  running: (paint) => paint.accent("◐"),
  done: (paint) => paint.ok("●"),
  failed: (paint) => paint.bad("✗"),
  skipped: (paint) => paint.muted("–"),
  paused: (paint) => paint.warn("‖"),
}

function sayRepairs({ repairs, stages }: PipelineRun, paint: Paint): readonly string[] {
  const used = repairs.filter((it) => it.used > 0)
  const said = used.map(({ first, last, used: rounds, most }) => {
    const names = `${stages[first]?.title ?? ""} to ${stages[last]?.title ?? ""}`
    return `${names}: repair ${rounds} of at most ${most}`
  })
  return said.length === 0 ? [] : ["", ...said.map((it) => paint.muted(it))]
}

/** What a person is asked, as it stands until it is answered. */
export function pauseCard(pause: PipelinePause, { paint, width }: Screen): readonly string[] {
  const lines = pause.lines.map(
    (it, i) =>
      `${String(i + 1).padStart(4)}  ${oneLine(it.text, width - 24)}${it.note === "" ? "" : paint.muted(`  ${oneLine(it.note, 16)}`)}`,
  )
  const choices = pause.choices.map((it) => [
    "",
    paint.bold(it.key),
    it.word,
    paint.muted(oneLine(it.consequence, Math.max(20, width - 24))),
  ])
  return [
    `${paint.warn("‖")} ${paint.bold(oneLine(pause.question, width - 4))}`,
    ...lines,
    "",
    table(choices),
  ]
}

function sayNext({ id, status, hasDocument }: PipelineRun, paint: Paint): readonly string[] {
  if (status === "paused") {
    return [
      "",
      paint.muted(
        `Answer with \`qm pipeline resume ${id}\`, \`qm pipeline amend ${id} "<text>"\`, or \`qm pipeline say ${id} 3\`.`,
      ),
    ]
  }
  if (status === "interrupted") {
    return ["", paint.muted(`Its process ended. \`qm pipeline resume ${id}\` goes on with it.`)]
  }
  return hasDocument ? ["", paint.muted(`\`qm pipeline document ${id}\` shows its document.`)] : []
}

/** The money of a run or stage against its budget; what nobody knows is said. */
export function sayMoney({ spentUsd, budgetUsd, unknownCalls }: PipelineLine["cost"]): string {
  const spent = `$${spentUsd.toFixed(2)}`
  const of = budgetUsd === null ? "" : ` of $${budgetUsd.toFixed(2)}`
  return `${spent}${of}${unknownCalls === 0 ? "" : `, ${plural(unknownCalls, "call")} unknown`}`
}

export function sayPipelineStatus(status: PipelineStatus, paint: Paint): string {
  return STATUS_PAINTS[status](paint)
}

const STATUS_PAINTS: Readonly<Record<PipelineStatus, Sign>> = {
  running: (paint) => paint.accent("◐ running"),
  paused: (paint) => paint.warn("‖ paused"),
  interrupted: (paint) => paint.warn("◌ interrupted"),
  completed: (paint) => paint.ok("● completed"),
  breakout: () => "○ left",
  stopped: () => "○ stopped",
  failed: (paint) => paint.bad("✗ failed"),
  "over-budget": (paint) => paint.bad("✗ over budget"),
}

export function renderPipelineDocument(document: PipelineDocument, screen: Screen): string {
  const { paint, width } = screen
  const partial = document.isPartial
    ? [paint.warn("Partial: the run did not come to its end."), ""]
    : []
  return [...partial, ...layOutProse(document.markdown, width, paint)].join("\n")
}

export function renderPipelineSummary(summary: PipelineSummary, { paint }: Screen): string {
  return [
    `${paint.bold(oneLine(summary.query, 100))} ${paint.muted(`${summary.agent} ${summary.run}, ${summary.exitReason}`)}`,
    "",
    quoted(summary.longer),
  ].join("\n")
}

export function renderPipelineCompare(compare: PipelineCompare, screen: Screen): string {
  const { paint, width } = screen
  const half = Math.max(16, Math.floor((width - 40) / 2))
  const side = (it: PipelineCompare["stages"][number]["left"]) =>
    it === null ? "not reached" : oneLine(`$${it.usd.toFixed(2)} ${it.summary ?? ""}`, half)
  const rows = compare.stages.map((it) => [
    it.isSame ? paint.muted("=") : paint.warn("≠"),
    it.title,
    it.isSame ? paint.muted(side(it.left)) : side(it.left),
    it.isSame ? paint.muted("the same") : side(it.right),
  ])
  const { left, right } = compare
  return [
    table([
      ["", "", paint.bold(left.id), paint.bold(right.id)],
      ["", "Status", sayPipelineStatus(left.status, paint), sayPipelineStatus(right.status, paint)],
      ["", "Cost", sayMoney(left.cost), sayMoney(right.cost)],
      ...rows,
    ]),
  ].join("\n")
}
