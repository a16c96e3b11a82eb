import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { systemClock } from "#ground/base"
import { parseDatabaseUrl } from "#ground/store"
import { configured, ENDED, lines, newRoom, OWNER, until } from "#test/agents-room"
import { needs } from "#test/needs"
import { ask, type PostgresCluster, startPostgres } from "#test/postgres"

const HOUR_MS = 3_600_000
const FOREVER = lines(
  { event: "message", type: "assistant", text: "first" },
  { ...ENDED, after: 3_600_000 },
)

const clockAt = (shiftMs: number) => ({ ...systemClock, now: () => systemClock.now() + shiftMs })

describe.runIf(needs("AGENTS-90", "postgres"))("nodes with different clocks", () => {
  let cluster: PostgresCluster
  beforeAll(async () => {
    cluster = await startPostgres()
  })
  afterAll(() => cluster?.[Symbol.asyncDispose]())

  test.each([
    { owner: 0, other: HOUR_MS },
    { owner: 0, other: -HOUR_MS },
    { owner: HOUR_MS, other: 0 },
    { owner: -HOUR_MS, other: 0 },
    { owner: -HOUR_MS, other: HOUR_MS },
  ])(
    "[AGENTS-90] a run is taken when its lease ends by the database's clock: %j",
    async (shift) => {
      const url = await cluster.createDatabase()
      const location = parseDatabaseUrl(url)
      await using here = await newRoom({ clock: clockAt(shift.owner) }, location)
      await using there = await newRoom(
        {
          owner: { ...OWNER, machine: "there", instance: "two" },
          clock: clockAt(shift.other),
          maxRunning: () => 0,
        },
        location,
      )
      here.watch()
      const { id } = await here.start({
        type: "synthetic",
        prompt: "work",
        configuration: configured({ script: FOREVER }),
      })
      await until(here, id, (it) => it.lastSeq >= 3)
      expect(await there.recover()).toBe(0)
      expect((await there.get(id)).status).toBe("running")
      // As if the owner had not renewed for a lease; it may renew in between, so more than once.
      for (let taken = 0; taken === 0; ) {
        await ask(url, "UPDATE qm.runs SET lease_until = lease_until - 60000")
        taken = await there.recover()
      }
      expect(await there.get(id)).toMatchObject({ status: "interrupted" })
      const [row] = await ask(url, "SELECT owner FROM qm.runs")
      expect(row).toMatchObject({ owner: expect.stringContaining('"machine":"there"') })
    },
  )

  test.each([HOUR_MS, -HOUR_MS])(
    "[AGENTS-90] an approval does not expire early or late for a node whose clock is off by %d ms",
    async (shiftMs) => {
      const url = await cluster.createDatabase()
      const location = parseDatabaseUrl(url)
      await using here = await newRoom({ clock: clockAt(shiftMs) }, location)
      await using there = await newRoom({ clock: clockAt(-shiftMs), maxRunning: () => 0 }, location)
      const asking = lines(
        { event: "session.started", sessionId: "s-1", cwd: "/repo" },
        { event: "approval.requested", approvalId: "a", tool: "Bash", title: "Run", input: "x" },
        { ...ENDED, after: 20 },
      )
      const { id } = await here.start({
        type: "synthetic",
        prompt: "work",
        configuration: configured({ script: asking }),
      })
      await until(here, id, (it) => it.status === "waiting")
      // An hour before the end of its day it is open for both, and a minute after it for none.
      await ask(url, "UPDATE qm.run_approvals SET expires_at = expires_at - 82800000 + 60000")
      const [open] = await there.approvals()
      expect(open).toMatchObject({ status: "open" })
      await ask(url, "UPDATE qm.run_approvals SET expires_at = expires_at - 3660000")
      await expect(
        there.answer(open?.id ?? "", { decision: "allow", by: "late" }),
      ).rejects.toMatchObject({ data: { status: "expired" } })
    },
  )
})
