import { expect, test } from "vitest"
import { VERIFY } from "#test/handbook"
import { NothingToVerify } from "../errors.ts"
import { type Reference, Scores } from "./outputs.ts"
import { readFence } from "./prompt.ts"
import { portsWith, recordEffects, stageInput } from "./stage-input.fixture.ts"
import { sentencesNamed, verifyStage } from "./verify.ts"

const reference = (
  label: string,
  text: string,
  tier: Reference["tier"] = "primary",
): Reference => ({
  label,
  text,
  tier,
  title: "Re-pricing Order",
  citation: "Re-pricing Order § 3.4",
  paragraph: label.startsWith("W") ? null : `id-${label}`,
  url: label.startsWith("W") ? "https://harbour.example/1" : null,
  isPrior: false,
})

const RULE = "The Re-pricing Notice must be given to the Master within 24 hours of the event."
const OLD = "The Re-pricing Notice must be given to the Master within 48 hours of the event."
const references = [reference("P1", RULE), reference("P2", OLD, "guide")]

const knowledge = {
  ...portsWith({}).knowledge,
  trace: async () => ({ steps: [] }),
}
const verify = verifyStage({ knowledge, verify: VERIFY })

function verifying(text: string, own: Partial<Parameters<typeof stageInput>[0]> = {}) {
  const sections = [{ title: "Notice", text }]
  return stageInput({
    stage: { kind: "verify", prompt: undefined },
    outputs: { synthesize: { sections, references } },
    template: "{{pairs}}",
    ...own,
  })
}

test("[PIPE-77] an answer that states nothing is not verified, and the report says so", async () => {
  const result = await verify(verifying("The documents found say nothing about this."))
  expect(result.failed).toBeUndefined()
  expect(result.output).toMatchObject({ scores: {}, isPassed: true, by: "nobody" })
  expect(result.summary).toBe(
    "not applicable: the answer states nothing that the documents could support",
  )
})

test("[PIPE-77] an answer that says nothing and quotes the closest paragraphs is not verified, one that adds a claim is", async () => {
  const quoting = (text: string) => {
    const shortAnswer = "The documents found say nothing about this."
    const sections = [{ title: "Closest paragraphs", text }]
    return verifying("", { outputs: { synthesize: { shortAnswer, sections, references } } })
  }
  const quotes = `${RULE} [P1] ${OLD} [P2]`
  expect((await verify(quoting(quotes))).summary).toMatch(/^not applicable/)
  const changed = quotes.replace("24 hours", "36 hours")
  expect((await verify(quoting(changed))).summary).toMatch(/^not passed/)
  const added = `${quotes} The Master pays 40 EUR to the Port Authority.`
  expect((await verify(quoting(added))).summary).toMatch(/^(?:not )?passed/)
})

test("[PIPE-77] an answer is checked against its citations in four steps", async () => {
  const effects = recordEffects(() => "")
  const result = await verify(verifying(`${RULE} [P1]`, { effects }))
  expect(result.failed).toBeUndefined()
  expect(result.output).toMatchObject({
    isPassed: true,
    by: "words",
    scores: { "entity grounding": 1, "citation accuracy": 1, contradictions: 0 },
  })
  expect(effects.seen.map((it) => (it.what === "ask" ? "ask" : it.tool))).toEqual([
    "Entity Verification",
    "Citation Verification",
    "Relation Verification",
    "Contradiction Verification",
  ])
})

test("[PIPE-77] the feedback for a failed check has its sentences and the evidence", async () => {
  const wrong = "The Re-pricing Notice may be sung to the Pilot of Ostmark within 30 weeks."
  const { failed, output } = await verify(verifying(`${wrong} [P1]`))
  expect(output).toMatchObject({ isPassed: false })
  expect(sentencesNamed(failed?.feedback ?? "")).toContain(wrong)
  expect(failed?.feedback).toContain("Evidence read:")
  expect(failed?.feedback).toContain("24 hours")
  expect(failed?.problems.join()).toMatch(/citation accuracy 0, needed 0.75/)
})

test("[PIPE-77] a contradiction counts once, however often the answer repeats it", async () => {
  const both = `${RULE} [P1] ${OLD} [P2]`
  const { output, failed } = await verify(verifying(`${both}\n\n${both}`))
  expect(output).toMatchObject({ scores: { contradictions: 1 }, isPassed: false })
  expect(failed?.feedback.match(/- Sentence:/g)).toHaveLength(1)
})

test("[PIPE-77] a title is not a statement, even if it reads like a rule", async () => {
  const title =
    "The Re-pricing Notice need not be given\nto the Master within 72 hours of the event."
  const outputs = { synthesize: { sections: [{ title, text: `${RULE} [P1]` }], references } }
  const { output } = await verify(verifying("", { outputs }))
  expect(output).toMatchObject({ isPassed: true, failures: [] })
})

test("[PIPE-77] web results count as evidence under their own labels", async () => {
  const page = reference("W1", "Elsewhere the Berth Window has 36 hours.", "web")
  const sections = [{ title: "Elsewhere", text: "Elsewhere the Berth Window has 36 hours. [W1]" }]
  const outputs = { synthesize: { sections, references: [page] } }
  const { output } = await verify(verifying("", { outputs }))
  expect(output).toMatchObject({ isPassed: true, scores: { "citation accuracy": 1 } })
})

test("[PIPE-77] with a prompt, a model judges all citations in one call and can reject them", async () => {
  const effects = recordEffects(() => ({ verdicts: [{ number: 1, isSupported: false }] }))
  const stage = { kind: "verify", prompt: "verify.md" } as const
  const { output, failed } = await verify(verifying(`${RULE} [P1]`, { effects, stage }))
  expect(output).toMatchObject({ by: "words and model", scores: { "citation accuracy": 0 } })
  expect(failed?.feedback).toContain("The model says")
  const asks = effects.seen.filter((it) => it.what === "ask")
  expect(asks).toHaveLength(1)
  expect(readFence(asks[0]?.ask.prompt ?? "", "pairs")).toContain(`1. Sentence: ${RULE}`)
})

test("[PIPE-77] when the model judges nothing, the word checks count and the report says so", async () => {
  const effects = recordEffects(() => ({ verdicts: [] }))
  const stage = { kind: "verify", prompt: "verify.md" } as const
  const { output } = await verify(verifying(`${RULE} [P1]`, { effects, stage }))
  expect(output).toMatchObject({ by: "words", isPassed: true })
})

test("[PIPE-77] an answer without sources is not verified and not repaired", async () => {
  const sections = [{ title: "Notice", text: "Nothing was found about it." }]
  const synthesize = { sections, references: [] }
  const said = await verify(verifying("", { outputs: { synthesize } }))
  expect(said).toEqual({
    output: { scores: {}, bars: {}, isPassed: false, by: "nobody", failures: [] },
    summary: "not verified: there are no sources to check the answer against",
    failed: { problems: ["there are no sources to check the answer against"], feedback: "" },
  })
  const retrieve = { paragraphs: [], notFound: ["notice"] }
  const again = await verify(verifying("", { outputs: { retrieve, synthesize } }))
  expect(again).toMatchObject({ output: { isPassed: false } })
  expect(again.failed).toBeUndefined()
})

test("[PIPE-77] verification without an answer is an error", async () => {
  await expect(verify(verifying("", { outputs: {} }))).rejects.toSatisfy(NothingToVerify.is)
})

test("[PIPE-80] the bars of the recipe decide whether an answer passes", async () => {
  const text = `${RULE} [P1] The Zeppelin of Ostmark waives 900 EUR. [P1]`
  const strict = await verify(verifying(text))
  expect(strict.output).toMatchObject({
    isPassed: false,
    bars: { "entity grounding": 0.8, "citation accuracy": 0.75, "relation preservation": 0.7 },
  })
  const verification = { entityGrounding: 0.1, citationAccuracy: 0.4, relationPreservation: 0 }
  const lenient = await verify(verifying(text, { settings: { verification } }))
  expect(lenient.output).toMatchObject({
    isPassed: true,
    bars: { "entity grounding": 0.1, "citation accuracy": 0.4, "relation preservation": 0 },
  })
  const opposed = `${RULE} [P1] The Re-pricing Notice must be given to the Master within 48 hours. [P1]`
  const bars = { ...verification, citationAccuracy: 0, contradictions: 3 }
  const one = await verify(verifying(opposed, { settings: { verification: bars } }))
  expect(Scores.parse(one.output).scores["contradictions"]).toBeGreaterThan(0)
  expect(one).toMatchObject({ output: { isPassed: true, failures: [] } })
})
