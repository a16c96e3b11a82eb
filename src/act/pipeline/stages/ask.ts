import { asRecord, isRecord, plural } from "#ground/base"
import type { Effects, StageInput, StageResult, StageWork } from "../stage.ts"
import { type ShapedContext, shapeContext } from "./context.ts"
import { labelAnswer } from "./document/post-process.ts"
import {
  Answer,
  findOutput,
  passing,
  priorOf,
  Retrieved,
  summarize,
  WebFindings,
} from "./outputs.ts"
import type { StagePorts } from "./ports.ts"
import { instructionsFor, placeholdersOf, promptFor, templateOf } from "./prompt.ts"

const CLARITY_BAR = 0.7

export function askStage(ports: Pick<StagePorts, "count">): StageWork {
  return async (input) => {
    const template = templateOf(input)
    const isGrounded = placeholdersOf(template).includes("context")
    const shaped = isGrounded ? await shape(input, ports) : undefined
    const web = findOutput(input.outputs, WebFindings)?.web ?? []
    const material = { web, ...(shaped === undefined ? {} : { context: shaped.text }) }
    const { text, value } = await input.effects.ask("ask", {
      title: titleOf(input),
      instructions: instructionsFor(input),
      prompt: promptFor(input, template, material),
      schema: input.stage.output,
      effort: input.stage.effort,
      maxOutputTokens: input.stage.maxOutputTokens,
    })
    const answer = input.stage.output === undefined ? { text } : value
    return labelled(resultOf(input, withReferences(limited(answer, input), shaped)))
  }
}

function titleOf({ stage, iteration, amendments }: StageInput): string {
  if (iteration > 0) return `${stage.title}, repair ${iteration}`
  return amendments.length > 0 ? `${stage.title}, with your changes` : stage.title
}

async function shape(input: StageInput, ports: Pick<StagePorts, "count">): Promise<ShapedContext> {
  const paragraphs = findOutput(input.outputs, Retrieved)?.paragraphs ?? []
  const web = findOutput(input.outputs, WebFindings)?.web ?? []
  const budgetTokens = Math.min(
    input.stage.contextTokens ?? input.depth.contextTokens,
    input.depth.contextTokens,
  )
  const count = await ports.count()
  const shaped = shapeContext({ paragraphs, web, prior: priorOf(input) }, { budgetTokens, count })
  await noteShape(input.effects, shaped, budgetTokens)
  return shaped
}

/** Derived from the shaped context, so it is the same when the stage is repeated. */
function noteShape(effects: Effects, shaped: ShapedContext, budgetTokens: number): Promise<void> {
  const left = shaped.left.length === 0 ? "" : `, ${shaped.left.length} paragraphs left out`
  return effects.note("context", {
    tool: "Context shaped",
    kind: "plan",
    title: `${shaped.tokens} of ${budgetTokens} tokens, ${shaped.references.length} texts${left}`,
  })
}

/** A model may plan more parts than requested; the depth limits them. */
function limited(answer: unknown, { depth }: StageInput): unknown {
  if (!isRecord(answer) || !Array.isArray(answer["subQueries"])) return answer
  return { ...answer, subQueries: answer["subQueries"].slice(0, depth.subQueries) }
}

function withReferences(answer: unknown, shaped: ShapedContext | undefined): unknown {
  if (shaped === undefined || !isRecord(answer)) return answer
  return { ...answer, references: shaped.references }
}

/** Before verification, so that the scores are those of the text that is delivered. */
function labelled(result: StageResult): StageResult {
  const draft = Answer.safeParse(result.output)
  if (!draft.success || draft.data.references.length === 0) return result
  const { answer, added, dropped } = labelAnswer(draft.data)
  const parts = [
    result.summary,
    added > 0 ? `${plural(added, "label")} added` : "",
    dropped.length > 0 ? `${plural(dropped.length, "unknown label")} dropped` : "",
  ]
  const output = { ...asRecord(result.output), ...answer }
  return { ...result, output, summary: parts.filter((it) => it !== "").join(", ") }
}

function resultOf(input: StageInput, output: unknown): StageResult {
  const result: StageResult = { output, summary: summarize(output) }
  const question = clarification(output)
  if (question !== undefined) return { ...result, pause: { reason: "clarify", question } }
  return { ...result, ...passing(input.stage, output) }
}

function clarification(output: unknown): string | undefined {
  if (!isRecord(output)) return undefined
  const { clarity, clarify } = output
  if (typeof clarity !== "number" || clarity >= CLARITY_BAR) return undefined
  const hasQuestion = typeof clarify === "string" && clarify.trim() !== ""
  return hasQuestion
    ? clarify
    : "What exactly do you mean? Rephrase the question, or continue as it is."
}
