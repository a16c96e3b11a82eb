import { writeFileSync } from "node:fs"
import path from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { systemClock } from "#ground/base"
import { type TempDirectory, tempDirectory } from "#test/temp"
import { measureMemory } from "./memory.ts"

const { signal } = new AbortController()
let temp: TempDirectory
beforeAll(async () => {
  temp = await tempDirectory()
})
afterAll(() => temp[Symbol.asyncDispose]())

const measure = (...rows: readonly object[]) => {
  const file = path.join(temp.path, "questions.jsonl")
  writeFileSync(file, rows.map((it) => JSON.stringify(it)).join("\n"))
  return measureMemory({ file, questions: 10, half: "all" }, systemClock, { signal })
}
const memories = [
  { set: "a", memory: "m1", text: "Logs are scrubbed before they leave the machine." },
  { set: "a", memory: "m2", text: "The release train leaves on Tuesdays." },
  { set: "b", memory: "m3", text: "Scrubbing was switched off for the kitchen floor." },
]
const question = { set: "a", id: "q1", question: "how does scrubbing work", evidence: ["m1"] }

test("[PROOF-16] a question searches the memories of its set, and word forms count", async () => {
  const lost = { ...question, id: "q2", evidence: ["m3"] }
  const empty = { ...question, id: "q3", evidence: [] }
  const alone = { ...question, id: "q4", set: "c" }
  const result = await measure(...memories, question, lost, empty, alone)
  expect(result).toMatchObject({
    questions: 1,
    sets: 2,
    memories: 3,
    skipped: [
      { reason: "its evidence is no memory", tasks: 1 },
      { reason: "it has no evidence", tasks: 1 },
      { reason: "its set has no memory", tasks: 1 },
    ],
  })
  expect(result.rankers.map((it) => [it.ranker, it.mrr])).toEqual([
    ["bm25", 0],
    ["qm", 1],
    ["qm without word forms", 0],
  ])
})

test("[PROOF-16] an invalid line is an error with its number, and no question at all is an error", async () => {
  await expect(measure(...memories, { id: "q" })).rejects.toMatchObject({
    code: "PROOF_QUESTIONS_INVALID",
    data: { line: 4 },
  })
  await expect(measure(...memories)).rejects.toMatchObject({ code: "PROOF_NO_QUESTION" })
  const file = path.join(temp.path, "missing.jsonl")
  const missing = measureMemory({ file, questions: 1, half: "all" }, systemClock, { signal })
  await expect(missing).rejects.toMatchObject({ code: "PROOF_QUESTIONS_INVALID" })
})
