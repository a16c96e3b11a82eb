import { describe, expect, test } from "vitest"
import { answerOf, findPrior, type PriorCandidate } from "./prior.ts"
import { RESEARCH, resultsOf } from "./results.fixture.ts"

const QUERY = "Which fees does the harbour take from visitors?"

function candidate(given: Partial<PriorCandidate>): PriorCandidate {
  return {
    id: "p-1",
    agent: "deep-research",
    session: null,
    query: "Which fees does the harbour take?",
    endedAt: 1_000,
    hasDocument: true,
    ...given,
  }
}

const find = (runs: readonly PriorCandidate[], wanted: { session?: string; query?: string } = {}) =>
  findPrior({
    runs,
    agent: "deep-research",
    session: wanted.session ?? null,
    query: wanted.query ?? QUERY,
  })?.id

describe("finding the prior run", () => {
  test("the newest finished run of the session that shares a content word is chosen", () => {
    const runs = [
      candidate({ id: "p-1", session: "s", query: "harbour pilots and lighthouses", endedAt: 1 }),
      candidate({ id: "p-2", session: "s", query: "cranes in the harbour", endedAt: 3 }),
      candidate({ id: "p-3", session: "s", endedAt: null }),
      candidate({ id: "p-4", endedAt: 9 }),
    ]
    expect(find(runs, { session: "s" })).toBe("p-2")
  })

  test("a run of the session about another subject is not chosen", () => {
    const runs = [candidate({ session: "s", query: "opening hours of the swimming pool" })]
    expect(find(runs, { session: "s" })).toBeUndefined()
  })

  test("otherwise a run whose question shares half of the content words is chosen", () => {
    const runs = [
      candidate({ id: "p-1", query: "Which harbour fees apply?", endedAt: 1 }),
      candidate({ id: "p-2", query: "Opening hours of the swimming pool", endedAt: 2 }),
    ]
    expect(find(runs)).toBe("p-1")
    expect(find(runs.slice(1))).toBeUndefined()
  })

  test.each([
    ["of another recipe", { agent: "dev-loop" }],
    ["that has not ended", { endedAt: null }],
    ["without an answer", { hasDocument: false }],
    ["with two words of six in common", { query: "harbour fees pilots tugs cranes licences" }],
    ["with one word in common", { query: "harbour pilots licences" }],
    ["with only stop words in common", { query: "which of these does the town take from" }],
    ["without any word", { query: "?" }],
  ])("a run %s is not chosen", (_, given) => {
    expect(find([candidate(given)])).toBeUndefined()
  })

  test("two runs without a session are not in the same session", () => {
    expect(find([candidate({ query: "lighthouses", session: null })])).toBeUndefined()
  })
})

test("the prior answer lists each section with the paragraphs it cites, once", () => {
  expect(answerOf(resultsOf({ outputs: RESEARCH }))).toEqual({
    run: "p-12",
    query: "Which fees does the harbour take?",
    sections: [
      { ...RESEARCH.synthesize.sections[0], paragraphs: ["doc-1#a"] },
      { ...RESEARCH.synthesize.sections[1], paragraphs: ["doc-1#b"] },
    ],
  })
})

test("a run without an answer has no sections", () => {
  expect(answerOf(resultsOf({})).sections).toEqual([])
})
