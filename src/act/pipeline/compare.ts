import { isDeepStrictEqual } from "node:util"
import type { PipelineCompare, PipelineLine, PipelineStage } from "#ground/contract"

/** One run as it is compared; outputs are the newest of each stage, by its name. */
export type ComparedRun = {
  readonly line: PipelineLine
  readonly stages: readonly PipelineStage[]
  readonly outputs: Readonly<Record<string, unknown>>
}

/** Two runs stage by stage: the left one's order, then what only the right one has. */
export function compareRuns(left: ComparedRun, right: ComparedRun): PipelineCompare {
  const ofLeft = new Set(left.stages.map((it) => it.name))
  const stages = [...left.stages, ...right.stages.filter((it) => !ofLeft.has(it.name))]
  return {
    left: left.line,
    right: right.line,
    stages: stages.map(({ name, title }) => ({
      name,
      title,
      left: sideOf(left, name),
      right: sideOf(right, name),
      isSame: isSameOutput(left, right, name),
    })),
  }
}

type Side = PipelineCompare["stages"][number]["left"]

function sideOf(run: ComparedRun, name: string): Side {
  const stage = run.stages.find((it) => it.name === name)
  if (stage === undefined) return null
  return {
    summary: stage.summary,
    usd: stage.cost.spentUsd,
    rounds: stage.rounds,
    output: hasOutput(run, name) ? textOf(run.outputs[name]) : "",
  }
}

/** Two stages that gave nothing gave nothing that could be the same. */
function isSameOutput(left: ComparedRun, right: ComparedRun, name: string): boolean {
  if (!hasOutput(left, name) || !hasOutput(right, name)) return false
  return isDeepStrictEqual(left.outputs[name], right.outputs[name])
}

function hasOutput(run: ComparedRun, name: string): boolean {
  return Object.hasOwn(run.outputs, name)
}

/** Long outputs are for the run's own page; here their beginning is enough to see a difference. */
const LONGEST_OUTPUT_CHARACTERS = 20_000

function textOf(output: unknown): string {
  const text = typeof output === "string" ? output : (JSON.stringify(output, null, 2) ?? "")
  if (text.length <= LONGEST_OUTPUT_CHARACTERS) return text
  return `${text.slice(0, LONGEST_OUTPUT_CHARACTERS).replace(/[\ud800-\udbff]$/, "")}…`
}
