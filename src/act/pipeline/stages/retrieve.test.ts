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
  expect(paragraphs.length).toBeLessThanOrEqual(2 * STANDARD.paragraphs)
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

const priorWith = (title: string, paragraphs: readonly string[]) => ({
  run: "p-1",
  query: "exemptions",
  sections: [{ title, text: "Vessels are exempt from port dues.", paragraphs }],
})

test("[PIPE-79] a follow-up retrieves what a new run does, and marks what the earlier answer cites", async () => {
  const fresh = Retrieved.parse((await retrieveStage(handbook)(retrieving())).output).paragraphs
  const search = { query: PLAN.subQueries[1]?.question ?? "", limit: 3, hops: 0 }
  const { hits } = await handbook.knowledge.search(search)
  const known = hits.map((it) => it.paragraph.id)
  const effects = recordEffects(() => "")
  const input = retrieving({ effects, prior: priorWith("Which vessels are exempt", known) })
  const { output, summary } = await retrieveStage(handbook)(input)
  const { paragraphs } = Retrieved.parse(output)
  expect(paragraphs.map((it) => it.id)).toEqual(fresh.map((it) => it.id))
  expect(
    paragraphs
      .filter((it) => it.isPrior)
      .map((it) => it.id)
      .toSorted(),
  ).toEqual(known.toSorted())
  expect(output).toMatchObject({
    answered: [{ question: PLAN.subQueries[1]?.question, section: "Which vessels are exempt" }],
  })
  expect(summary).toContain("1 sub-query already answered by the earlier run")
  expect(effects.seen.map((it) => it.key)).toEqual(["kb:1", "kb:2", "hops"])
})

test("[PIPE-79] a part counts as answered by its evidence, not by shared words", async () => {
  const search = { query: PLAN.subQueries[0]?.question ?? "", limit: 9, hops: 0 }
  const { hits } = await handbook.knowledge.search(search)
  const prior = priorWith(
    PLAN.subQueries[0]?.question ?? "",
    hits.slice(1).map((it) => it.paragraph.id),
  )
  const { output } = await retrieveStage(handbook)(retrieving({ prior }))
  expect(output).toMatchObject({ answered: [] })
  expect(Retrieved.parse(output).paragraphs.map((it) => it.id)).toContain(hits[0]?.paragraph.id)
})

test("[PIPE-79] free places are filled with paragraphs of related earlier sections only", async () => {
  const search = { query: "berth window", limit: 1, hops: 0 }
  const [best] = (await handbook.knowledge.search(search)).hits.map((it) => it.paragraph.id)
  const pilot = await handbook.knowledge.search({ query: "pilot", limit: 5, hops: 0 })
  const other = pilot.hits.map((it) => it.paragraph.id).find((it) => it !== best) ?? ""
  const knowledge: KnowledgePort = {
    ...handbook.knowledge,
    search: (_, context) => handbook.knowledge.search(search, context),
    hop: (input) => handbook.knowledge.hop({ ...input, limit: 1 }),
  }
  const run = async (paragraphs: readonly string[]) => {
    const prior = priorWith("Berths", paragraphs)
    const input = retrieving({ outputs: {}, query: "berth window", prior })
    const { output } = await retrieveStage({ knowledge })(input)
    return { output, input, ids: Retrieved.parse(output).paragraphs.map((it) => it.id) }
  }
  const related = await run([best ?? "", other])
  expect(related.ids).toContain(other)
  const outputs = { retrieve: related.output }
  expect(priorOf({ ...related.input, outputs })?.sections).toHaveLength(1)
  const unrelated = await run([other])
  expect(unrelated.ids).not.toContain(other)
  expect(
    priorOf({ ...unrelated.input, outputs: { retrieve: unrelated.output } })?.sections,
  ).toEqual([])
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
        const ranked = lists.map((items, index) => ({ items, by: [index] }))
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
  ].map((ids, index) => ({ items: ids.map((id) => ({ id })), by: [index] }))
  const ids = fuse(lists, 2).map((it) => it.id)
  expect(fuse(lists.toReversed(), 2).map((it) => it.id)).toEqual(ids)
})

test("a retrieval replayed over recorded results does not touch the knowledge base", async () => {
  const effects = recordEffects(() => "")
  const first = await retrieveStage(handbook)(retrieving({ effects }))
  const again = await retrieveStage(portsWith({}))(retrieving({ effects: effects.again() }))
  expect(again).toEqual(first)
})

test("[PIPE-80] depth.paragraphs limits each sub-query, totalParagraphs all of them", async () => {
  const limits: number[] = []
  const knowledge: KnowledgePort = {
    ...handbook.knowledge,
    search(input, context) {
      limits.push(input.limit)
      return handbook.knowledge.search(input, context)
    },
  }
  const depth = { ...STANDARD, paragraphs: 6 }
  const all = await retrieveStage({ knowledge })(retrieving({ depth }))
  expect(limits).toEqual([6, 6])
  const { paragraphs } = Retrieved.parse(all.output)
  expect(paragraphs.length).toBeGreaterThan(6)
  expect(paragraphs.length).toBeLessThanOrEqual(12)
  const few = await retrieveStage({ knowledge })(
    retrieving({ depth: { ...depth, totalParagraphs: 4 } }),
  )
  expect(Retrieved.parse(few.output).paragraphs).toEqual(paragraphs.slice(0, 4))
})

test("[PIPE-80] references are cited in the recipe's format", async () => {
  const settings = { citationFormat: "{path}[ no. {number}]" }
  const { output } = await retrieveStage(handbook)(retrieving({ settings }))
  for (const { citation } of Retrieved.parse(output).paragraphs) {
    expect(citation).toMatch(/^[\w/-]+\.(?:md|html|txt)(?: no\. [\w. ]+)?$/)
  }
})
