import { extractJson } from "#ground/model"
import { AgentNotCompleted } from "../errors.ts"
import type { StageWork, StageWorld } from "../stage.ts"
import { passing, summarize, summaryLine } from "./outputs.ts"
import type { StagePorts } from "./ports.ts"
import { instructionsFor, promptFor, templateOf } from "./prompt.ts"

/** The last text of an agent that is kept as a stage's output. */
const MOST_AGENT_CHARACTERS = 100_000

/** In a scope: whichever agent is set up for pipelines. */
export const ANY_AGENT = "default"

/** Lets an agent do a piece of work; its run is one activity here and has a page of its own. */
export function agentStage(ports: Pick<StagePorts, "startAgent">): StageWork {
  return async (world) => {
    const { text } = await working(world, ports)
    const output = outputOf(world, text)
    return { output, summary: summarize(output), ...passing(world.stage, output) }
  }
}

function working(world: StageWorld, ports: Pick<StagePorts, "startAgent">) {
  const { agent: type, title, mode = "plan", scope } = world.stage
  const template = templateOf(world)
  const prompt = promptFor(world, withoutScripts(template), {})
  const name = type ?? ANY_AGENT
  const label = {
    tool: "Agent",
    kind: "agent",
    title: `${title}: ${summaryLine(world.query)}`,
  } as const
  const needs = { kind: "agent", type: name } as const
  return world.effects.step("agent", { ...label, needs }, async (signal) => {
    const end = await ports.startAgent({
      type,
      mode,
      budgetUsd: world.leftUsd(),
      signal,
      paths: scope.paths,
      title: label.title,
      prompt: [instructionsFor(world), prompt, ...schemaOf(world)].join("\n\n"),
      script: readScripts(template).at(world.iteration) ?? readScripts(template).at(-1),
    })
    const { runId, outcome, usd, tokens } = end
    signal.throwIfAborted()
    // Not kept: whoever resumes the pipeline wants the work done, not its failure.
    if (outcome !== "completed") {
      const error = AgentNotCompleted({ type: name, outcome, run: runId })
      return { error, detail: `${error.message} [${error.code}]`, usd, tokens }
    }
    const text = end.text.slice(0, MOST_AGENT_CHARACTERS)
    return { result: { runId, text }, detail: runId, usd, tokens }
  })
}

/** A model is handed the schema by its provider; an agent reads it. */
function schemaOf({ stage }: StageWorld): readonly string[] {
  return stage.output === undefined ? [] : [`JSON schema: ${JSON.stringify(stage.output)}`]
}

/** An agent talks before it answers: its JSON is looked for in what it said last. */
function outputOf(world: StageWorld, text: string): unknown {
  if (world.stage.output === undefined) return { text }
  const found = extractJson(text)
  return found.kind === "found" ? found.value : { text }
}

const BLOCK = /^```script\n([\s\S]*?)^```\n?/gm

/**
 * What the synthetic agent plays instead of working, so that a shipped agent runs offline: blocks
 * in its prompt, one for each round of a repair, the last for all that follow.
 */
export function readScripts(template: string): readonly string[] {
  return Array.from(template.matchAll(BLOCK), (it) => it[1] ?? "")
}

/** The prompt as an agent that can work gets it. */
function withoutScripts(template: string): string {
  return template.replaceAll(BLOCK, "").trimEnd()
}
