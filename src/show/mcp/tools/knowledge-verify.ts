import { z } from "zod"
import { KbContradictions, KbVerification } from "#ground/contract"
import { meterBody, sayBody } from "./body.ts"
import { areOfWeb } from "./knowledge-body.ts"
import { sayContradictions, sayVerification } from "./say-knowledge.ts"
import { ask, BODY, defineTool, session_id, type ToolCall } from "./tool.ts"

const answer = z.string().min(1).max(200_000).describe("With citations such as [P1]")
const ids = z.array(z.string().min(1).max(200)).max(100)

const VerifyInput = z.strictObject({
  answer,
  paragraphs: ids.min(1).describe("Ids in the order of the labels"),
  session_id,
})
const VERIFIED = {
  score: z.number(),
  bar: z.number(),
  is_passed: z.boolean(),
  checked: z.int(),
  failed: z.int(),
  ...BODY,
}

type Verifying = {
  readonly tool: string
  readonly what: string
  readonly operation: "kb.entities" | "kb.citations" | "kb.relations"
}

async function verify(how: Verifying, input: z.output<typeof VerifyInput>, call: ToolCall) {
  const { answer: text, paragraphs } = input
  const report = KbVerification.parse(await ask(call, how.operation, { answer: text, paragraphs }))
  const said = { label: how.what, text: sayVerification(how.what, report) }
  const isUntrusted = await areOfWeb(paragraphs, call)
  const body = await meterBody({ tool: how.tool, given: input, ...said, isUntrusted }, call)
  const { score, bar, isPassed, checked, failed } = report
  const fields = { score, bar, is_passed: isPassed, checked, failed: failed.length, ...body }
  return { text: sayBody(body), fields }
}

const set = "knowledge"
const annotations = { readOnlyHint: true }

export const entityVerify = defineTool({
  name: "kb_entity_verify",
  set,
  title: "Verify names and figures",
  description: "Which numbers, terms and names of an answer stand in the paragraphs it cites.",
  annotations,
  input: VerifyInput,
  output: z.object(VERIFIED),
  call: (input, call) =>
    verify(
      { tool: "kb_entity_verify", what: "Entity grounding", operation: "kb.entities" },
      input,
      call,
    ),
})

export const citationVerify = defineTool({
  name: "kb_citation_verify",
  set,
  title: "Verify citations",
  description: "Whether each cited paragraph exists and supports its sentence.",
  annotations,
  input: VerifyInput,
  output: z.object(VERIFIED),
  call: (input, call) =>
    verify(
      { tool: "kb_citation_verify", what: "Citation accuracy", operation: "kb.citations" },
      input,
      call,
    ),
})

export const relationVerify = defineTool({
  name: "kb_relation_verify",
  set,
  title: "Verify relations",
  description: "Whether what an answer relates to each other is related in what it cites.",
  annotations,
  input: VerifyInput,
  output: z.object(VERIFIED),
  call: (input, call) =>
    verify(
      { tool: "kb_relation_verify", what: "Relation preservation", operation: "kb.relations" },
      input,
      call,
    ),
})

export const contradictionCheck = defineTool({
  name: "kb_contradiction_check",
  set,
  title: "Look for contradictions",
  description: "Sentences that contradict each other, or the paragraphs given.",
  annotations,
  input: z.strictObject({ answer, paragraphs: ids.optional().describe("Ids"), session_id }),
  output: z.object({ pairs: z.int(), is_passed: z.boolean(), checked: z.int(), ...BODY }),
  async call(input, call) {
    const { answer: text, paragraphs } = input
    const found = KbContradictions.parse(
      await ask(call, "kb.contradictions", { answer: text, paragraphs }),
    )
    const body = await meterBody(
      {
        tool: "kb_contradiction_check",
        given: input,
        label: "contradictions",
        text: sayContradictions(found),
        isUntrusted: await areOfWeb(paragraphs ?? [], call),
      },
      call,
    )
    const { pairs, isPassed, checked } = found
    const fields = { pairs: pairs.length, is_passed: isPassed, checked, ...body }
    return { text: sayBody(body), fields }
  },
})
