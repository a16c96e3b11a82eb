import fc from "fast-check"
import { afterAll, beforeAll, expect, test } from "vitest"
import { openHandbook } from "#test/handbook"
import { fcParameters } from "#test/seed"
import { priorOf, Retrieved } from "./outputs.ts"
import type { KnowledgePort } from "./ports.ts"
import { fuse, retrieveStage } from "./retrieve.ts"
import { portsWith, recordEffects, STANDARD, stageInput } from "./stage-input.fixture.ts"

let handbook: Awaited<ReturnType<typeof openHandbook>>
beforeAll(async () => {
  handbook = await openHandbook()
})
afterAll(() => handbook[Symbol.asyncDispose]())

const ask = (question: string) => ({ question, why: "", target: "" })
const PLAN = {
  subQueries: [
    ask("When may a booking be re-priced after arrival?"),
    ask("Which vessels are exempt from port dues?"),
  ],
}

const retrieving = (own: Partial<Parameters<typeof stageInput>[0]> = {}) =>
  stageInput({ stage: { kind: "retrieve" }, outputs: { analyze: PLAN }, ...own })

test("each part is searched, references are followed, and the best results come first", async () => {
  const effects = recordEffects(() => "")
  const { output } = await retrieveStage(handbook)(retrieving({ effects }))
  const { paragraphs } = Retrieved.parse(output)
  expect(paragraphs.length).toBeLessThanOrEqual(STANDARD.paragraphs)
  expect(new Set(paragraphs.map((it) => it.id)).size).toBe(paragraphs.length)
  expect(paragraphs.slice(0, 6).map((it) => it.title)).toContain("Re-pricing Order")
  expect(paragraphs.some((it) => it.by.length === 0)).toBe(true)
  const told = effects.seen.map((it) => (it.what === "ask" ? "" : `${it.tool}: ${it.title}`))
  expect(told.slice(0, 2)).toEqual(
    PLAN.subQueries.map((it) => `Knowledge Base Search: ${it.question}`),
  )
  expect(told[2]).toMatch(/^Deep Retrieval: references of the best \d paragraphs$/)
})

test("without a plan the question itself is searched", async () => {
  const effects = recordEffects(() => "")
  await retrieveStage(handbook)(retrieving({ effects, outputs: {}, query: "berth window" }))
  expect(effects.seen[0]).toMatchObject({ tool: "Knowledge Base Search", title: "berth window" })
})

test("a failed search leaves a note, and without any result each part is reported", async () => {
  const effects = recordEffects(() => "")
  const { knowledge } = handbook
  const flaky: KnowledgePort = {
    ...knowledge,
    search: (input, context) =>
      input.query.startsWith("When")
        ? Promise.reject(new Error("the store is busy"))
        : knowledge.search(input, context),
  }
  const { output } = await retrieveStage({ knowledge: flaky })(retrieving({ effects }))
  expect(Retrieved.parse(output).paragraphs.length).toBeGreaterThan(0)
  expect(output).toMatchObject({ notFound: [PLAN.subQueries[0]?.question] })
  expect(effects.seen[0]).toMatchObject({ outcome: "failed", detail: "the store is busy" })
  const nowhere = retrieving({ outputs: {}, query: "zzyzx qwfp" })
  const empty = await retrieveStage(handbook)(nowhere)
  const problem =
    "The knowledge base has nothing for the question; add documents with `qm kb add docs`"
  expect(empty).toMatchObject({
    output: { paragraphs: [], notFound: ["zzyzx qwfp"] },
    summary: problem,
    failed: { problems: [problem], feedback: "" },
  })
})

test("parts that the prior answer covers are not searched again, and its paragraphs come first, marked", async () => {
  const found = await handbook.knowledge.search({
    query: "exempt from port dues",
    limit: 2,
    hops: 0,
  })
  const paragraphs = found.hits.map((it) => it.paragraph.id)
  const text = "Hospital ships and other vessels are exempt from port dues."
  const prior = {
    run: "p-1",
    query: "exemptions",
    sections: [{ title: "Which vessels are exempt", text, paragraphs }],
  }
  const effects = recordEffects(() => "")
  const { output, summary } = await retrieveStage(handbook)(retrieving({ effects, prior }))
  const retrieved = Retrieved.parse(output).paragraphs
  expect(retrieved.slice(0, 2).map((it) => [it.id, it.isPrior])).toEqual(
    paragraphs.map((id) => [id, true]),
  )
  expect(retrieved.slice(2).every((it) => !it.isPrior)).toBe(true)
  expect(output).toMatchObject({
    answered: [{ question: PLAN.subQueries[1]?.question, section: "Which vessels are exempt" }],
  })
  expect(summary).toContain("1 sub-queries answered by the earlier run")
  const keys = effects.seen.map((it) => it.key)
  expect(keys).toEqual(["prior", "kb:1", "hops"])
})

test("a prior section that answers no part of the plan is left out with its paragraphs", async () => {
  const found = await handbook.knowledge.search({ query: "pilot", limit: 1, hops: 0 })
  const paragraphs = found.hits.map((it) => it.paragraph.id)
  expect(paragraphs).toHaveLength(1)
  const section = { title: "Swimming pools", text: "The pool opens at nine.", paragraphs }
  const prior = { run: "p-1", query: "pools", sections: [section] }
  const effects = recordEffects(() => "")
  const { output } = await retrieveStage(handbook)(retrieving({ effects, prior }))
  expect(Retrieved.parse(output).paragraphs.some((it) => it.isPrior)).toBe(false)
  expect(effects.seen.map((it) => it.key)).toEqual(["kb:1", "kb:2", "hops"])
  expect(priorOf(retrieving({ prior }))?.sections).toEqual([])
  expect(priorOf(retrieving({ prior, outputs: {} }))?.sections).toEqual([section])
})

test("a prior section without paragraphs covers no part", async () => {
  const section = { title: PLAN.subQueries[0]?.question ?? "", text: "", paragraphs: [] }
  const prior = { run: "p-1", query: "q", sections: [section] }
  const { output } = await retrieveStage(handbook)(retrieving({ prior }))
  expect(output).toMatchObject({ answered: [] })
})

test("fusing lists keeps each item once, within the limit, for any order of the lists", () => {
  const list = fc.uniqueArray(
    fc.integer({ min: 0, max: 30 }).map((it) => ({ id: `p${it}` })),
    {
      selector: (it) => it.id,
      maxLength: 20,
    },
  )
  fc.assert(
    fc.property(
      fc.array(list, { maxLength: 6 }),
      fc.integer({ min: 1, max: 15 }),
      (lists, most) => {
        const ranked = lists.map((items, index) => ({ items, isPrior: index === 0, by: [index] }))
        const fused = fuse(ranked, most)
        const ids = fused.map((it) => it.id)
        expect(new Set(ids).size).toBe(ids.length)
        expect(ids.length).toBe(Math.min(most, new Set(lists.flat().map((it) => it.id)).size))
        expect(fuse(ranked.toReversed(), most).map((it) => it.id)).toEqual(ids)
      },
    ),
    fcParameters({ numRuns: 300 }),
  )
})

test("items with the same ranks in different lists have the same score", () => {
  const lists = [
    ["p23", "p0", "p2", "p3", "p4", "p1", "p7"],
    ["p0", "p1", "p8", "p9", "p2", "p10", "p23"],
    ["p0", "p7"],
    ["p7"],
    ["p0", "p23"],
  ].map((ids, index) => ({ items: ids.map((id) => ({ id })), isPrior: index === 0, by: [index] }))
  const ids = fuse(lists, 2).map((it) => it.id)
  expect(fuse(lists.toReversed(), 2).map((it) => it.id)).toEqual(ids)
})

test("a retrieval replayed over recorded results does not touch the knowledge base", async () => {
  const effects = recordEffects(() => "")
  const first = await retrieveStage(handbook)(retrieving({ effects }))
  const again = await retrieveStage(portsWith({}))(retrieving({ effects: effects.again() }))
  expect(again).toEqual(first)
})
