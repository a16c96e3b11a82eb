import path from "node:path"
import { expect, test } from "vitest"
import { systemClock } from "#ground/base"
import { isFullMode } from "#test/needs"
import { bench } from "../../bench/load.ts"

test.runIf(isFullMode())(
  "[H9] with 50 live clients, 20 runs, scans and searches at once no event is lost or repeated",
  async () => {
    const [reads, lost] = await bench.run({
      root: path.join(import.meta.dirname, "../.."),
      clock: systemClock,
      rounds: undefined,
      // Times depend on the machine; `npm run bench load -- --minutes 5` measures them.
      minutes: 0.1,
      data: undefined,
      note: () => {},
    })
    expect(reads?.measured).toBeGreaterThan(0)
    expect([lost?.what, lost?.measured]).toEqual([expect.stringMatching(/of [1-9]\d+$/), 0])
  },
)
