import { expect, test } from "vitest"
import { needs } from "#test/needs"
import { runDrill } from "./team-drill.ts"
import { findViolations } from "./team-model.ts"

/** Two minutes of it are in full mode. */
test.runIf(needs("C6", "postgres"))(
  "[C6][N4][AGENTS-92] over kills of three nodes, a restart of Postgres and a cut network nothing is lost or doubled",
  async () => {
    const history = await runDrill({ forMs: 15_000, killEveryMs: 2_000, frozenMs: 4_000 })
    expect(findViolations(history)).toEqual([])
    expect(history.confirmed.length).toBeGreaterThan(0)
    // Without both ends the drill would prove nothing about the other.
    const ends = new Set(history.runs.map((it) => it.status))
    expect(ends).toEqual(new Set(["completed", "interrupted"]))
  },
)
