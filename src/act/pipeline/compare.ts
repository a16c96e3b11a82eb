import { isDeepStrictEqual } from "node:util"
import { truncate } from "#ground/base"
import type { PipelineCompare, PipelineLine, PipelineStage } from "#ground/contract"

export type ComparedRun = {
  readonly line: PipelineLine
  readonly stages: readonly PipelineStage[]
  readonly outputs: Readonly<Record<string, unknown>>
}

/**
 * In the order of the left run's stages, then those only in the right run. A side is null, or the
 * stage left out, where the stage was not reached.
 */
export function compareRuns(left: ComparedRun, right: ComparedRun): PipelineCompare {
  const ofLeft = new Set(left.stages.map((it) => it.name))
  const stages = [...left.stages, ...right.stages.filter((it) => !ofLeft.has(it.name))]
  return {
    left: left.line,
    right: right.line,
    stages: stages
      .map(({ name, title }) => ({
        name,
        title,
        left: sideOf(left, name),
        right: sideOf(right, name),
        isSame: isSameOutput(left, right, name),
      }))
      .filter((it) => it.left !== null || it.right !== null),
  }
}

type Side = PipelineCompare["stages"][number]["left"]

function sideOf(run: ComparedRun, name: string): Side {
  const stage = run.stages.find((it) => it.name === name)
  if (stage === undefined || !isReached(stage)) return null
  return {
    summary: stage.summary,
    usd: stage.cost.spentUsd,
    rounds: stage.rounds,
    output: hasOutput(run, name) ? textOf(run.outputs[name]) : "",
  }
}

function isReached({ status, rounds }: PipelineStage): boolean {
  return status !== "waiting" || rounds > 0
}

function isSameOutput(left: ComparedRun, right: ComparedRun, name: string): boolean {
  if (!hasOutput(left, name) || !hasOutput(right, name)) return false
  return isDeepStrictEqual(left.outputs[name], right.outputs[name])
}

function hasOutput(run: ComparedRun, name: string): boolean {
  return Object.hasOwn(run.outputs, name)
}

/** The run's own page shows whole outputs; here the first part is enough to see a difference. */
const LONGEST_OUTPUT_CHARACTERS = 20_000

function textOf(output: unknown): string {
  const text = typeof output === "string" ? output : (JSON.stringify(output, null, 2) ?? "")
  return truncate(text, LONGEST_OUTPUT_CHARACTERS)
}
