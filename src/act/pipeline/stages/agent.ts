import { extractJson } from "#ground/model"
import type { StageWork, StageWorld } from "../stage.ts"
import { AgentNotCompleted } from "./errors.ts"
import { MOST_AGENT_CHARACTERS } from "./limits.ts"
import { oneLine, summarize } from "./lines.ts"
import { passing } from "./passing.ts"
import type { StagePorts } from "./ports.ts"
import { instructionsFor, promptFor, templateOf } from "./prompt.ts"
import { readScripts, withoutScripts } from "./script.ts"

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
    title: `${title}: ${oneLine(world.query)}`,
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
