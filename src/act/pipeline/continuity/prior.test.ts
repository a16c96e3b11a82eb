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

describe("the earlier run", () => {
  test("[PIPE-56] is the newest ended one of the same session that has a word of the question", () => {
    const runs = [
      candidate({ id: "p-1", session: "s", query: "harbour pilots and lighthouses", endedAt: 1 }),
      candidate({ id: "p-2", session: "s", query: "cranes in the harbour", endedAt: 3 }),
      candidate({ id: "p-3", session: "s", endedAt: null }),
      candidate({ id: "p-4", endedAt: 9 }),
    ]
    expect(find(runs, { session: "s" })).toBe("p-2")
  })

  test("[PIPE-56] is none of the same session that is about something else", () => {
    const runs = [candidate({ session: "s", query: "opening hours of the swimming pool" })]
    expect(find(runs, { session: "s" })).toBeUndefined()
  })

  test("[PIPE-56] else one whose question shares half of its content words", () => {
    const runs = [
      candidate({ id: "p-1", query: "Which harbour fees apply?", endedAt: 1 }),
      candidate({ id: "p-2", query: "Opening hours of the swimming pool", endedAt: 2 }),
    ]
    expect(find(runs)).toBe("p-1")
    expect(find(runs.slice(1))).toBeUndefined()
  })

  test.each([
    ["of another agent", { agent: "dev-loop" }],
    ["still at work", { endedAt: null }],
    ["without an answer", { hasDocument: false }],
    ["with two words of six in common", { query: "harbour fees pilots tugs cranes licences" }],
    ["with one word in common", { query: "harbour pilots licences" }],
    ["with only small words in common", { query: "which of these does the town take from" }],
    ["without any word", { query: "?" }],
  ])("[PIPE-56] is none %s", (_, given) => {
    expect(find([candidate(given)])).toBeUndefined()
  })

  test("[PIPE-56] no session is not the same session", () => {
    expect(find([candidate({ query: "lighthouses", session: null })])).toBeUndefined()
  })
})

test("[PIPE-56] its answer is its sections, each with the paragraphs it cites, once", () => {
  expect(answerOf(resultsOf({ outputs: RESEARCH }))).toEqual({
    run: "p-12",
    query: "Which fees does the harbour take?",
    sections: [
      { ...RESEARCH.synthesize.sections[0], paragraphs: ["doc-1#a"] },
      { ...RESEARCH.synthesize.sections[1], paragraphs: ["doc-1#b"] },
    ],
  })
})

test("[PIPE-56] a run without an answer offers nothing", () => {
  expect(answerOf(resultsOf({})).sections).toEqual([])
})
