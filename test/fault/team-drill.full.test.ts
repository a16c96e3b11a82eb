import { expect, test } from "vitest"
import { needs } from "#test/needs"
import { runDrill } from "./team-drill.ts"
import { findViolations } from "./team-model.ts"

/** Long enough that the frozen node loses its runs to the others while it still works on them. */
const FROZEN_MS = 30_000

test.runIf(needs("C6", "full mode"))(
  "[C6][N4][AGENTS-92] over two minutes of kills, a restart of Postgres and a cut network nothing is lost or doubled",
  async () => {
    const history = await runDrill({ forMs: 120_000, killEveryMs: 3_000, frozenMs: FROZEN_MS })
    expect(findViolations(history)).toEqual([])
    const ends = Map.groupBy(history.runs, (it) => it.status)
    const counts = [...ends].map(([status, runs]) => `${runs.length} ${status}`).join(", ")
    process.stderr.write(
      `drill: ${counts}; ${history.messages.length} messages, ${history.journal.length} events\n`,
    )
    expect(new Set(ends.keys())).toEqual(new Set(["completed", "interrupted"]))
  },
)
