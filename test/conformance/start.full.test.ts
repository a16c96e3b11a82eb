import { describe, expect, test } from "vitest"
import { needs } from "#test/needs"
import { ACCURACY_HOMES } from "./accuracy-homes.ts"
import { compareHome } from "./start-comparison.ts"
import { totalOf } from "./start-parts.ts"

/** In percent; docs/reference/capture-accuracy.md has all homes and parts. */
const LARGEST_ERROR = 3

/** One home in five: each starts the real host and `qm capture`. */
const HOMES = ACCURACY_HOMES.filter((_, at) => at % 5 === 2)

describe.each(["claude-code", "codex"] as const)("the start of %s", (host) => {
  test.runIf(needs("T1", host)).each(HOMES.filter((it) => it.host === host))(
    "[T1][CAPTURE-22] $name: the estimate is within 3 % of the first request, and files are exact",
    async (home) => {
      const { estimate, sent, files } = await compareHome(home)
      const error = Math.abs(totalOf(estimate) / totalOf(sent) - 1) * 100
      expect(totalOf(sent)).toBeGreaterThan(5_000)
      expect(error, JSON.stringify({ estimate, sent })).toBeLessThan(LARGEST_ERROR)
      const [agreed, compared] = files.split(" of ")
      expect(agreed).toBe(compared)
    },
  )
})
