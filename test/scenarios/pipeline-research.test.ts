import { readFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { offlineBrain } from "#act/pipeline"
import type { PipelineEvent } from "#ground/contract"
import type { ScriptedBrain } from "#ground/model"
import { newResearch } from "#test/research"
import { newSources } from "#test/research-sources"

const QUESTION = "When may a booking be re-priced after arrival?"
/** The handbook says 24 hours, an outdated guide 48. */
const DISPUTED = "Within how many hours must the Re-pricing Notice be given to the Master?"

const only =
  (stage: string, answer: ScriptedBrain): ScriptedBrain =>
  (ask) =>
    ask.name.endsWith(`/${stage}`) ? answer(ask) : offlineBrain(ask)

const says =
  (text: string): ScriptedBrain =>
  async () => ({ text })

type Body<Type> = Extract<PipelineEvent["body"], { type: Type }>

async function eventsOf<Type extends PipelineEvent["body"]["type"]>(
  room: Awaited<ReturnType<typeof newResearch>>,
  type: Type,
): Promise<readonly Body<Type>[]> {
  const { events } = await room.show("p-1")
  return events.flatMap(({ body }) => (isOf(body, type) ? [body] : []))
}

function isOf<Type extends PipelineEvent["body"]["type"]>(
  body: PipelineEvent["body"],
  type: Type,
): body is Body<Type> {
  return body.type === type
}

test("deep research pauses on its plan, takes an amendment, and ends with a cited document", async () => {
  await using room = await newResearch()
  const planned = await room.goes(QUESTION, { auto: false })
  expect(planned).toMatchObject({ status: "paused", pause: { stage: 0, reason: "configured" } })
  expect(planned.pause?.lines[0]).toEqual({ text: QUESTION, note: "knowledge base" })
  await room.amend("p-1", "Which vessels are exempt from re-pricing?", "you")
  const amended = await room.finished("p-1")
  expect(amended.pause?.lines[1]?.text).toBe("Which vessels are exempt from re-pricing?")
  await room.resume("p-1", "you")
  const done = await room.finished("p-1")
  expect(done).toMatchObject({ status: "completed", isPartial: false, hasDocument: true })
  expect(done.stages.map((it) => it.status)).toEqual([
    "done",
    "skipped",
    "done",
    "done",
    "done",
    "done",
  ])
  expect(done.stages[1]?.summary).toBe("No source searches the web here.")
  const document = await room.document("p-1")
  expect(document.markdown).toContain("After Arrival a Booking may be re-priced only on one of")
  expect(document.references.length).toBeGreaterThan(5)
  for (const { label, paragraph } of document.references) {
    expect(document.markdown).toContain(`[${label}]`)
    expect((await room.knowledge.paragraphs([paragraph ?? ""])).length).toBe(1)
  }
  const cited = new Set(document.references.map((it) => it.title))
  expect(cited.size).toBeGreaterThanOrEqual(3)
})

test("with a web source the plan is calibrated, and the run pauses on it again", async () => {
  await using sources = await newSources("demo")
  await using room = await newResearch({ web: sources.web })
  await room.goes(QUESTION, { auto: false })
  await room.resume("p-1", "you")
  const calibrated = await room.finished("p-1")
  expect(calibrated).toMatchObject({ status: "paused", pause: { stage: 1 } })
  expect(calibrated.pause?.lines.map((it) => it.note)).toContain("changed")
  const tools = (await eventsOf(room, "substep")).map((it) => it.tool)
  expect(tools).toEqual(expect.arrayContaining(["Web Search", "Plan validated", "LLM Analysis"]))
  await room.resume("p-1", "you")
  const done = await room.finished("p-1")
  expect(done).toMatchObject({ status: "completed", isPartial: false })
  expect(done.stages.map((it) => it.status)).toEqual(Array.from({ length: 6 }, () => "done"))
})

test("the same question over the same documents gives the same document, byte for byte", async () => {
  const documents = await Promise.all(
    [1, 2].map(async () => {
      await using room = await newResearch()
      await room.goes(QUESTION)
      return (await room.document("p-1")).markdown
    }),
  )
  expect(documents[0]).toBe(documents[1])
})

test("a synthesis that fails its verification is repaired with feedback and then passes", async () => {
  await using room = await newResearch()
  const done = await room.goes(DISPUTED)
  expect(done).toMatchObject({ status: "completed", isPartial: false })
  expect(done.repairs).toMatchObject([{ used: 1, most: 2 }])
  const [failed] = await eventsOf(room, "validation_failed")
  expect(failed?.problems).toEqual(["contradictions 1, needed 0"])
  expect(failed?.feedback).toContain("within 48 hours")
  const { markdown } = await room.document("p-1")
  expect(markdown).toContain("within 24 hours")
  expect(markdown).not.toContain("within 48 hours")
  expect(markdown).not.toContain("did not pass")
})

test("a synthesis that never passes stops at the limit, and run, document and summary report it", async () => {
  const stubborn = {
    title: "T",
    shortAnswer: "The Pilot of Ostmark waives 900 EUR in 1812. [P1]",
    keyPoints: [],
    sections: [{ title: "S", text: "Every Zeppelin of the Duke pays 77 EUR. [P2]" }],
  }
  await using room = await newResearch({
    brain: only("synthesize", says(JSON.stringify(stubborn))),
  })
  const done = await room.goes(QUESTION)
  expect(done).toMatchObject({ status: "completed", isPartial: true })
  expect(done.repairs).toMatchObject([{ used: 2, most: 2 }])
  expect(await eventsOf(room, "validation_failed")).toHaveLength(3)
  const document = await room.document("p-1")
  expect(document.markdown).toContain("> Verification did not pass:")
  expect(document.isPartial).toBe(true)
  expect(await room.summary("p-1")).toMatchObject({ isPartial: true })
})

test("at the repair limit the run asks the user, unless questions are disabled", async () => {
  const wrong = {
    title: "T",
    shortAnswer: "Zeppelins pay 77 EUR. [P1]",
    keyPoints: [],
    sections: [],
  }
  await using room = await newResearch({ brain: only("synthesize", says(JSON.stringify(wrong))) })
  await room.goes(QUESTION, { auto: false })
  await room.resume("p-1", "you")
  const paused = await room.finished("p-1")
  expect(paused).toMatchObject({ status: "paused", pause: { reason: "repair-limit" } })
})

async function newEmptyResearch() {
  const room = await newResearch()
  const { folders } = await room.knowledge.status()
  for (const { folder } of folders) await room.knowledge.remove({ path: folder })
  return room
}

test("without search results, run and document report it, and nothing is marked as verified", async () => {
  await using room = await newEmptyResearch()
  const done = await room.goes(QUESTION)
  expect(done).toMatchObject({ status: "completed", isPartial: true })
  expect(done.reason).toContain("Retrieve did not pass")
  expect(done.stages[2]?.summary).toContain("qm kb add docs")
  expect(done.stages[4]?.summary).toBe(
    "not verified: there are no sources to check the answer against",
  )
  // No repair is tried, because it cannot find a source.
  expect(done.repairs).toMatchObject([{ used: 0 }])
  const { markdown } = await room.document("p-1")
  const [, , missing, , unverified] = markdown.split("\n")
  expect(missing).toContain(`> Nothing was found for: ${QUESTION}`)
  expect(unverified).toBe("> Nothing was verified: there are no sources to check against.")
})

test("without search results the user is asked before a document is written", async () => {
  await using room = await newEmptyResearch()
  await room.goes(QUESTION, { auto: false })
  await room.resume("p-1", "you")
  const asked = await room.finished("p-1")
  expect(asked).toMatchObject({ status: "paused", pause: { stage: 2, reason: "repair-limit" } })
  expect(asked.pause?.question).toContain("qm kb add docs")
  await room.resume("p-1", "you")
  expect(await room.finished("p-1")).toMatchObject({ status: "completed", isPartial: true })
})

test("a run over its budget ends before the next call, with its current results", async () => {
  let calls = 0
  const counting: ScriptedBrain = (ask) => {
    calls += 1
    return offlineBrain(ask)
  }
  await using room = await newResearch({ brain: counting, usd: 0.15 })
  const done = await room.goes(QUESTION, { budget: 0.25 })
  expect(done).toMatchObject({ status: "over-budget", isPartial: true })
  expect(calls).toBe(2)
  expect(done.cost).toMatchObject({ spentUsd: 0.3, budgetUsd: 0.25 })
  expect(done.stages.map((it) => it.status).slice(0, 4)).toEqual([
    "done",
    "skipped",
    "done",
    "done",
  ])
})

test.for(["dead", "slow"] as const)(
  "a source that is %s is reported with its reason and does not fail the run",
  async (sick) => {
    await using sources = await newSources(sick)
    await using room = await newResearch({ web: sources.web })
    const done = await room.goes(QUESTION)
    expect(done).toMatchObject({ status: "completed", isPartial: false })
    expect(done.stages[1]).toMatchObject({ status: "skipped" })
    expect(done.stages[1]?.summary).toContain("demo-web")
    const searches = (await eventsOf(room, "substep")).filter((it) => it.tool === "Web Search")
    const ended = searches.filter((it) => it.phase === "ended")
    expect(ended.map((it) => it.outcome)).toEqual(["failed", "failed"])
    expect(ended[0]?.detail).toContain("demo-web")
  },
)

test("prose, empty text, a megabyte and an invalid schema three times stop the run with a code", async () => {
  const bad = {
    prose: "I would rather talk about it first.",
    empty: "",
    megabyte: JSON.stringify({ intent: "x".repeat(900_000) }),
    wrong: JSON.stringify({ intent: 1, clarity: "high", subQueries: [] }),
  }
  for (const [kind, text] of Object.entries(bad)) {
    await using room = await newResearch({ brain: only("analyze_query", says(text)) })
    const done = await room.goes(QUESTION)
    expect(done, kind).toMatchObject({
      status: "failed",
      error: { code: "PIPELINE_ANSWER_INVALID" },
      cost: { spentUsd: 0.03 },
    })
  }
})

test("an answer that is valid only the second time is accepted, and both calls are paid", async () => {
  let asked = 0
  const late = only("analyze_query", (ask) => {
    asked += 1
    return asked === 1 ? Promise.resolve({ text: "Well." }) : offlineBrain(ask)
  })
  await using room = await newResearch({ brain: late })
  const done = await room.goes(QUESTION)
  expect(done).toMatchObject({ status: "completed" })
  expect(done.stages[0]?.cost).toMatchObject({ spentUsd: 0.02 })
})

test("an unclear question causes a clarifying question, and the user's answer becomes the plan", async () => {
  await using room = await newResearch()
  const asked = await room.goes("Dues?", { auto: false })
  expect(asked).toMatchObject({
    status: "paused",
    pause: { reason: "clarify", question: "What do you want to know about “Dues?”?" },
  })
  await room.amend("p-1", "Who pays the port dues of a hospital ship?", "you")
  const planned = await room.finished("p-1")
  expect(planned.pause).toMatchObject({ reason: "configured" })
  expect(planned.pause?.lines[1]?.text).toBe("Who pays the port dues of a hospital ship?")
})

test("[PIPE-79] a follow-up searches every part, cites no less than a new run, and marks what is known", async () => {
  await using room = await newResearch()
  await room.goes(QUESTION)
  const next = await room.goes(`${QUESTION} And who may complain about it?`)
  expect(next).toMatchObject({ id: "p-2", prior: "p-1", status: "completed" })
  const { references } = await room.document("p-2")
  expect(references.some((it) => it.isPrior)).toBe(true)
  await room.goes(next.query, { fresh: true })
  const cited = references.map((it) => it.paragraph)
  const fresh = (await room.document("p-3")).references.map((it) => it.paragraph)
  expect(fresh.filter((it) => !cited.includes(it))).toEqual([])
})

test("the results of a run are files in its folder", async () => {
  await using room = await newResearch()
  await room.goes(QUESTION)
  const read = (file: string) => readFile(path.join(room.directory, "results", "p-1", file), "utf8")
  expect(await read("document.md")).toBe((await room.document("p-1")).markdown)
  expect(await read("answer.json")).toContain('"sections"')
})

test("the development loop plans, pauses, lets an agent work, repairs once, and decides", async () => {
  await using room = await newResearch()
  const agent = "dev-loop"
  const planned = await room.goes("Round quotes and invoices alike", { agent, auto: false })
  expect(planned).toMatchObject({ status: "paused", pause: { stage: 1 } })
  expect(planned.pause?.lines.map((it) => it.text)).toContain(
    "Make the change: Round quotes and invoices alike",
  )
  await room.resume("p-1", "you")
  const done = await room.finished("p-1")
  expect(done).toMatchObject({ status: "completed", isPartial: false })
  expect(done.repairs).toMatchObject([{ used: 1, most: 5 }])
  const agents = (await eventsOf(room, "substep")).filter((it) => it.kind === "agent")
  expect(agents.filter((it) => it.phase === "ended")).toHaveLength(4)
  const outputs = await eventsOf(room, "stage_output")
  expect(outputs.at(-1)?.output).toMatchObject({ decision: "done" })
})
