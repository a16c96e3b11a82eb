import { extractJson } from "#ground/model"
import { AgentNotCompleted } from "../errors.ts"
import type { StageInput, StageWork } from "../stage.ts"
import { passing, summarize, summaryLine } from "./outputs.ts"
import type { StagePorts } from "./ports.ts"
import { instructionsFor, promptFor, templateOf } from "./prompt.ts"

const MOST_AGENT_CHARACTERS = 100_000

/** In a scope: the agent that is configured for pipelines. */
export const ANY_AGENT = "default"

/** The agent's run is one activity here and has its own page. */
export function agentStage(ports: Pick<StagePorts, "startAgent">): StageWork {
  return async (input) => {
    const { text } = await working(input, ports)
    const output = outputOf(input, text)
    return { output, summary: summarize(output), ...passing(input.stage, output) }
  }
}

function working(input: StageInput, ports: Pick<StagePorts, "startAgent">) {
  const { agent: type, title, mode = "plan", scope } = input.stage
  const template = templateOf(input)
  const prompt = promptFor(input, withoutScripts(template), {})
  const name = type ?? ANY_AGENT
  const label = {
    tool: "Agent",
    kind: "agent",
    title: `${title}: ${summaryLine(input.query)}`,
  } as const
  const needs = { kind: "agent", type: name } as const
  return input.effects.step("agent", { ...label, needs }, async (signal) => {
    const end = await ports.startAgent({
      type,
      mode,
      budgetUsd: input.leftUsd(),
      signal,
      paths: scope.paths,
      title: label.title,
      person: input.person,
      prompt: [instructionsFor(input), prompt, ...schemaOf(input)].join("\n\n"),
      script: readScripts(template).at(input.iteration) ?? readScripts(template).at(-1),
      onApproval: (approval) => noteApproval(approval, input),
    })
    const { runId, outcome, usd, tokens } = end
    signal.throwIfAborted()
    // Not stored, because a resume should do the work again.
    if (outcome !== "completed") {
      const error = AgentNotCompleted({ type: name, outcome, run: runId })
      return { error, detail: `${error.message} [${error.code}]`, usd, tokens }
    }
    const text = end.text.slice(0, MOST_AGENT_CHARACTERS)
    return { result: { runId, text }, detail: runId, usd, tokens }
  })
}

function noteApproval(
  { id, title }: { readonly id: string; readonly title: string },
  { effects }: StageInput,
): void {
  const label = { tool: "Approval needed", kind: "other" } as const
  const note = { ...label, title: `${summaryLine(title)} (\`qm approve ${id}\`)` }
  // Rejects if the stage was aborted meanwhile; the agent is stopped then.
  effects.note(`approval-${id}`, note).catch(() => {})
}

/** A provider passes the schema to its model; an agent has to read it. */
function schemaOf({ stage }: StageInput): readonly string[] {
  return stage.output === undefined ? [] : [`JSON schema: ${JSON.stringify(stage.output)}`]
}

/** An agent writes text before its answer, so search its last message for JSON. */
function outputOf(input: StageInput, text: string): unknown {
  if (input.stage.output === undefined) return { text }
  const json = extractJson(text)
  return json.kind === "found" ? json.value : { text }
}

const BLOCK = /(?<![^\n])```script\n((?:`{0,2}(?:[^`\n][^\n]*)?\n)*)```\n?/g

/**
 * The script of the synthetic agent, so that a shipped recipe runs offline: one block per round of
 * a repair, the last for all further rounds.
 */
export function readScripts(template: string): readonly string[] {
  return Array.from(template.matchAll(BLOCK), (it) => it[1] ?? "")
}

function withoutScripts(template: string): string {
  return template.replaceAll(BLOCK, "").trimEnd()
}
