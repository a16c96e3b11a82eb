import { describe, expect, test } from "vitest"
import { isAppError } from "#ground/base"
import { needs } from "#test/needs"
import { childrenIn, newFixture } from "./sources.fixture.ts"

const { signal } = new AbortController()
const QUESTION = { tool: "search", args: { query: "x" } }

/**
 * Effects of a bad server on one call. Behaviours that only a timeout detects get a short one; the
 * others must be detected long before theirs.
 */
const BEHAVIOURS: readonly (readonly [behaviour: string, timeoutMs: number, outcome: RegExp])[] = [
  ["never-answers", 300, /did not respond within 300 ms/],
  ["byte-a-second", 300, /did not respond within 300 ms/],
  ["dies-mid-frame", 60_000, /it exited with exit code 3/],
  ["large-line", 60_000, /its answer is larger than 4 MB/],
  ["no-utf8", 60_000, /bytes that are not UTF-8/],
  ["wrong-id", 300, /did not respond within 300 ms/],
  ["many-notifications", 60_000, /^found$/],
  ["noise", 60_000, /^found$/],
  ["dies-at-start", 60_000, /it exited with exit code 1: cannot find the module/],
  ["answers-error", 60_000, /the index is broken/],
  ["hangs-at-hello", 300, /did not respond within 300 ms/],
  ["many-tools", 60_000, /more than 500 tools/],
]

const ROUNDS = 20
const AT_ONCE = 10

async function outcomeOf(call: Promise<{ readonly text: string }>) {
  try {
    return (await call).text
  } catch (error) {
    if (isAppError(error)) return error.message
    throw error
  }
}

describe.runIf(needs("N3", "proc"))("slow, dead and malicious servers", () => {
  test.each(BEHAVIOURS)(
    "[N3] %s: bounded wait, an error that names the source, and no effect on other sources",
    { timeout: 600_000 },
    async (behaviour, timeoutMs, outcome) => {
      for (let round = 0; round < ROUNDS; round += AT_ONCE) {
        await Promise.all(
          Array.from({ length: AT_ONCE }, () => proveBounded(behaviour, timeoutMs, outcome)),
        )
      }
    },
  )
})

async function proveBounded(behaviour: string, timeoutMs: number, outcome: RegExp): Promise<void> {
  await using fixture = await newFixture()
  await fixture.add("bad", behaviour, { origin: "shipped", timeoutMs })
  await fixture.add("good", "good", { origin: "shipped" })
  const { sources } = fixture
  const [bad, good] = await Promise.all([
    outcomeOf(sources.call("bad", QUESTION, { signal })),
    outcomeOf(sources.call("good", QUESTION, { signal })),
  ])
  expect(bad).toMatch(outcome)
  expect(good).toBe("found")
  if (bad !== "found") expect(bad).toContain("bad")
  await sources.close()
  expect(await childrenIn(fixture.path)).toEqual([])
}
