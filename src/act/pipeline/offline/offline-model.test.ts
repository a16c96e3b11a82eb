import fc from "fast-check"
import { expect, test } from "vitest"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import { Config } from "#ground/contract"
import { createModel } from "#ground/model"
import { RECIPES } from "#test/handbook"
import { fcParameters } from "#test/seed"
import { createFolders } from "../folder/folders.ts"
import { shapeContext } from "../stages/context.ts"
import { Answer, Plan } from "../stages/outputs.ts"
import { fence, promptFor } from "../stages/prompt.ts"
import { countWords, stageInput } from "../stages/stage-input.fixture.ts"
import { feedbackOf } from "../stages/verify.ts"
import { offlineBrain } from "./offline-model.ts"

const folders = createFolders({
  shipped: RECIPES,
  user: [],
  project: [],
  trustFile: "/none/agents.json",
  log: silentLog,
})
const shipped = await Promise.all(["deep-research", "dev-loop"].map(folders.find))

const questions = shipped.flatMap(({ recipe, prompts }) =>
  (recipe.config?.stages ?? []).flatMap((stage) => {
    const template = prompts.find((it) => it.file === stage.prompt)?.text
    const isEnabled = template !== undefined && stage.output !== undefined && stage.kind !== "agent"
    return isEnabled ? [{ stage, template, schema: stage.output ?? {} }] : []
  }),
)

/** Through the scripted provider, which checks the answer against its schema. */
const model = createModel({
  settings: Config.parse({}).model,
  key: async () => undefined,
  price: () => 0,
  clock: systemClock,
  random: systemRandom,
  log: silentLog,
  script: offlineBrain,
})
const asked = { name: "any/stage", instructions: "", maxOutputTokens: 1_000 }

async function thinks(prompt: string, schema: Readonly<Record<string, unknown>>) {
  const { signal } = new AbortController()
  const { value, problem } = await model.ask({ ...asked, prompt, schema, signal })
  expect(problem).toBeUndefined()
  return value
}

const fields = (...names: string[]) => ({
  type: "object",
  required: names,
  properties: Object.fromEntries(names.map((it) => [it, {}])),
})

const paragraph = (id: string, text: string, tier: "primary" | "guide" = "primary") => ({
  id,
  text,
  tier,
  title: "Order",
  citation: `Order § ${id}`,
  score: 1,
  by: [1],
  isPrior: false,
})

function about(query: string, paragraphs: ReturnType<typeof paragraph>[], feedback = "(nothing)") {
  const material = { paragraphs, web: [], prior: undefined }
  const { text } = shapeContext(material, { budgetTokens: 10_000, count: countWords })
  return [fence("query", query), fence("context", text), fence("feedback", feedback)].join("\n")
}

test("the offline model gives every shipped stage an answer that matches its schema", async () => {
  expect(questions.map((it) => it.stage.name)).toEqual([
    "analyze_query",
    "websearch_calibration",
    "synthesize",
    "analyze",
    "plan",
    "review",
    "refine",
    "decide",
  ])
  const anything = fc.oneof(fc.string(), fc.string({ unit: "grapheme", maxLength: 300 }))
  await fc.assert(
    fc.asyncProperty(anything, fc.array(anything, { maxLength: 3 }), async (query, amendments) => {
      for (const { stage, template, schema } of questions) {
        const fixture = stageInput({ stage, query, amendments })
        await thinks(promptFor(fixture, template, {}), schema)
      }
    }),
    fcParameters({ numRuns: 60 }),
  )
})

test("an unknown stage gets an answer that matches its schema", async () => {
  const schema = {
    type: "object",
    additionalProperties: false,
    required: ["verdict", "score", "items", "nested", "either"],
    properties: {
      verdict: { type: "string", enum: ["good", "bad"] },
      score: { type: "number", minimum: 2, maximum: 5 },
      items: { type: "array", minItems: 2, items: { type: "string", minLength: 3 } },
      nested: { type: "object", required: ["isSo"], properties: { isSo: { type: "boolean" } } },
      either: { anyOf: [{ type: "integer" }, { type: "null" }] },
    },
  }
  expect(await thinks(fence("query", "ab"), schema)).toEqual({
    verdict: "good",
    score: 2,
    items: ["ab.", "ab."],
    nested: { isSo: false },
    either: 0,
  })
})

test("a question is split by its own words, into no more parts than requested", async () => {
  const prompt = `Write at most 4 sub-queries.\n${fence("query", "When may a berth be moved after arrival?")}`
  const value = await thinks(prompt, fields("subQueries", "clarity", "clarify", "intent"))
  expect(Plan.parse(value).subQueries.map((it) => it.question)).toEqual([
    "When may a berth be moved after arrival?",
    "What counts as arrival?",
    "Which conditions must be met: berth moved after arrival?",
    "Who decides about berth moved after arrival?",
  ])
  expect(value).toMatchObject({ clarity: 0.86, clarify: "" })
})

test("an amendment becomes a part of the plan and makes a vague question clear", async () => {
  const schema = fields("subQueries", "clarity", "clarify")
  expect(await thinks(fence("query", "Dues?"), schema)).toMatchObject({
    clarity: 0.4,
    clarify: "What do you want to know about “Dues?”?",
  })
  const wish = "1. Who pays the dues of a hospital ship?"
  const amended = [fence("query", "Dues?"), fence("amendments", wish)].join("\n")
  const value = await thinks(amended, schema)
  expect(value).toMatchObject({ clarity: 0.86 })
  expect(Plan.parse(value).subQueries[1]?.question).toBe("Who pays the dues of a hospital ship?")
})

test("an answer copies sentences with their labels and states that it is copied", async () => {
  const said = "A berth may be moved after arrival on an order of the Harbour Master."
  const prompt = about("When may a berth be moved?", [paragraph("1", `1.2 ${said} Nobody asks.`)])
  const answer = Answer.parse(await thinks(prompt, fields("sections")))
  expect(answer.shortAnswer).toBe(`${said} [P1]`)
  expect(answer.sections.at(-1)?.text).toContain("No model wrote this")
})

test("a sentence about another number of the same thing does not come first", async () => {
  const other = "The crane of chapter 1 lifts at most 3 tonnes, as § 1.1 says."
  const own = "The crane of chapter 3 lifts at most 9 tonnes, as § 2.1 says."
  const paragraphs = [paragraph("1", other), paragraph("2", own)]
  const prompt = about("How much does the crane of chapter 3 lift?", paragraphs)
  const answer = Answer.parse(await thinks(prompt, fields("sections")))
  expect(answer.shortAnswer).toMatch(/^The crane of chapter 3 lifts at most 9 tonnes/)
})

test("an answer without matching text states that nothing matches", async () => {
  const prompt = about("What is a quark?", [paragraph("1", "A berth is kept for two hours.")])
  const answer = Answer.parse(await thinks(prompt, fields("sections")))
  expect(answer.shortAnswer).toBe("The documents found say nothing about this.")
  expect(answer.keyPoints).toEqual([])
})

test("sentences named in the feedback are left out, and of two contradicting sentences the guide's", async () => {
  const rule = "The notice must be given to the Master within 24 hours."
  const old = "The notice must be given to the Master within 48 hours."
  const scores = { contradictions: 1 }
  const failures = [{ check: "contradictions", sentence: rule, problem: "", evidence: old }]
  const failed = { scores, bars: { contradictions: 0 }, isPassed: false, by: "words", failures }
  const { feedback } = feedbackOf(failed)
  const question = "Within how many hours must the notice be given?"
  const guided = about(question, [paragraph("1", rule), paragraph("2", old, "guide")], feedback)
  const settled = Answer.parse(await thinks(guided, fields("sections")))
  expect(settled.shortAnswer).toBe(`${rule} [P1]`)
  const alike = about(question, [paragraph("1", rule), paragraph("2", old)], feedback)
  const chosen = Answer.parse(await thinks(alike, fields("sections")))
  expect(chosen.shortAnswer).toBe(`${old} [P2]`)
})

test("the offline model judges no citation", async () => {
  expect(await thinks(fence("pairs", "1. Sentence: a"), fields("verdicts"))).toEqual({
    verdicts: [],
  })
})

test("only a complete question about another subject counts as leaving the topic", async () => {
  const schema = fields("breakout", "confidence")
  const judge = async (message: string) => {
    const topic = "<topic>When may a booking be re-priced after arrival?</topic>"
    const value = await thinks(
      `${topic}\n<sub_queries></sub_queries>\n<message>${message}</message>`,
      schema,
    )
    return value
  }
  const left = { breakout: true, confidence: 0.75 }
  expect(await judge("What will the weather be in Bergen?")).toEqual(left)
  const stays = { breakout: false, confidence: 0.5 }
  for (const message of [
    "Looks good",
    "What does arrival mean?",
    "Wie wird morgen das Wetter?",
    "weather?",
    "",
  ]) {
    expect(await judge(message), message).toEqual(stays)
  }
})

test("after the end the offline model answers from the summary alone", async () => {
  const block = `<orchestrator_prior_research run="p-1">
Findings:
- The notice must be given to the Master within 24 hours. [P1]
</orchestrator_prior_research>`
  const { text } = await offlineBrain({
    ...asked,
    prompt: `${block}\n\nWhen must the notice be given?`,
  })
  expect(text).toContain("within 24 hours. [P1]")
  const other = await offlineBrain({ ...asked, prompt: `${block}\n\nWho owns the lighthouse?` })
  expect(other.text).toMatch(/^The stored research says nothing about this/)
})
