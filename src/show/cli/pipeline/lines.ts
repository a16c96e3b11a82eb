import { formatCount, formatDuration, visible } from "#ground/base"
import { type PipelineEvent, type PipelineRun } from "#ground/contract"
import { rowText } from "../render/lines.ts"
import type { Screen } from "../terminal/screen.ts"

/** Most events add one line, some none. */
export function eventLines(
  { body }: PipelineEvent,
  run: PipelineRun,
  screen: Screen,
): readonly string[] {
  const { paint, width } = screen
  const room = width - 6
  switch (body.type) {
    case "stage_started":
      return [stageLine(body, run, screen)]
    case "substep":
      return body.phase === "ended" ? [stepLine(body, screen)] : []
    case "stage_output":
      return [`  ${paint.ok("✓")} ${rowText(visible(body.summary), room)}`]
    case "validation_failed":
      return body.problems.map((it) => `  ${paint.bad("✗")} ${rowText(visible(it), room)}`)
    case "repair_started":
      return [paint.warn(`  repair ${body.iteration}: repeat with the problems found`)]
    case "skipped":
      return [paint.muted(`  – skipped: ${rowText(visible(body.reason), room)}`)]
    case "budget_warned":
    case "budget_exceeded":
      return [
        paint.warn(
          `  $${body.spentUsd.toFixed(2)} of $${body.budgetUsd.toFixed(2)} (${body.scope})`,
        ),
      ]
    case "error":
      return [paint.bad(`  ✗ ${rowText(visible(body.message), room)}`)]
    default:
      return []
  }
}

type Body<Type extends string> = Extract<PipelineEvent["body"], { type: Type }>

function stageLine(body: Body<"stage_started">, run: PipelineRun, { paint }: Screen): string {
  const title = run.stages[body.stage]?.title ?? String(body.stage)
  const again = [
    ...(body.iteration > 0 ? [`round ${body.iteration + 1}`] : []),
    ...(body.attempt > 1 ? [`attempt ${body.attempt}`] : []),
  ]
  return `${paint.bold(visible(title))}${again.length === 0 ? "" : paint.muted(` ${again.join(", ")}`)}`
}

function stepLine(body: Body<"substep">, { paint, width }: Screen): string {
  const figures = [
    body.tokens === undefined ? "" : `${formatCount(body.tokens)} tokens`,
    body.durationMs === undefined ? "" : formatDuration(body.durationMs),
    body.usd === undefined || body.usd === null ? "" : `$${body.usd.toFixed(2)}`,
  ].filter((it) => it !== "")
  const sign =
    body.outcome === "failed" || body.outcome === "denied" ? paint.bad("✗") : paint.muted("·")
  const detail = body.outcome === "failed" && body.detail !== undefined ? `: ${body.detail}` : ""
  const text = rowText(
    visible(`${body.tool}  ${body.title}${detail}`),
    Math.max(20, width - 6 - figures.join("  ").length),
  )
  return `  ${sign} ${text}  ${paint.muted(figures.join("  "))}`.trimEnd()
}
