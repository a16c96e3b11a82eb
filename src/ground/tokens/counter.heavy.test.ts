import { describe, expect, test } from "vitest"
import { TokenEncoding } from "#ground/contract"
import { isNight } from "#test/seed"
import { createCounter } from "./counter.ts"
import { countMerged } from "./merge.ts"
import { loadVocabulary } from "./vocabulary.ts"

const ENCODINGS = TokenEncoding.options
const COUNTERS = {
  claude: createCounter(await loadVocabulary("claude")),
  o200k: createCounter(await loadVocabulary("o200k")),
}

describe("bounded time", () => {
  // Longer than one slice. Quadratic time would need more than a minute for each, ours is under a
  // second: the limit of 30 s only guards against a hang.
  const LENGTH = 200_000
  test.for([
    ["letters", "a".repeat(LENGTH)],
    ["capitals", "A".repeat(LENGTH)],
    ["spaces", " ".repeat(LENGTH)],
    ["newlines", "\n".repeat(LENGTH)],
    ["digits", "7".repeat(LENGTH)],
    ["signs", "-=".repeat(LENGTH / 2)],
    ["Chinese", "中".repeat(LENGTH)],
    ["pairs", "😀".repeat(LENGTH / 2)],
  ] as const)("[TOKENS-3] 200,000 %s in one run are counted", ([, text]) => {
    for (const encoding of ENCODINGS) {
      const tokens = COUNTERS[encoding].count(text)
      expect(tokens).toBeGreaterThan(0)
      expect(tokens).toBeLessThanOrEqual(Buffer.byteLength(text))
    }
  })

  // The full ten megabytes run at night only.
  const [STATEMENTS, CHARACTERS] = isNight() ? [200_000, 5_000_000] : [40_000, 800_000]
  test("[TOKENS-3] megabytes in one line and one word too long for a regular expression are counted", {
    timeout: 600_000,
  }, () => {
    const statement = " const answer = compute(42, 'of', { every: thing });"
    const line = statement.repeat(STATEMENTS)
    expect(COUNTERS.claude.count(line)).toBe(COUNTERS.claude.count(statement) * STATEMENTS)
    expect(COUNTERS.o200k.count("中".repeat(CHARACTERS))).toBe(CHARACTERS)
  })

  test("[TOKENS-3] splitting a run changes its count by at most 8 tokens per split", async () => {
    const vocabulary = await loadVocabulary("claude")
    for (const part of ["a", " ", "-=", "中"]) {
      const text = part.repeat(200_000 / part.length)
      const cuts = 1
      const difference = COUNTERS.claude.count(text) - countMerged(text, vocabulary)
      expect(Math.abs(difference)).toBeLessThanOrEqual(8 * cuts)
    }
  })
})
