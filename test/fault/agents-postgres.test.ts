import { expect, test } from "vitest"
import { parseDatabaseUrl } from "#ground/store"
import { configured, ENDED, isOver, lines, newRoom, OWNER, until } from "#test/agents-room"
import { needs } from "#test/needs"
import { startPostgres } from "#test/postgres"

const ASKING = lines(
  { event: "session.started", sessionId: "s-1", cwd: "/repo" },
  { event: "approval.requested", approvalId: "a1", tool: "Bash", title: "Run rm", input: "rm x" },
  { event: "message", type: "assistant", text: "after the answer" },
  { ...ENDED, after: 20 },
)

test.runIf(needs("AGENTS-29", "postgres"))(
  "[AGENTS-29] two servers on one Postgres share their runs: started, answered, found and stopped",
  async () => {
    await using cluster = await startPostgres()
    const location = parseDatabaseUrl(await cluster.createDatabase())
    await using here = await newRoom({}, location)
    await using there = await newRoom(
      { owner: { ...OWNER, machine: "there" }, maxRunning: () => 0 },
      location,
    )
    here.watch()
    there.watch()
    // The full server receives the request, and the other one starts the run.
    const start = (script: string) =>
      there.start({ type: "synthetic", prompt: "100% sure", configuration: configured({ script }) })
    const run = await start(ASKING)
    await until(there, run.id, (it) => it.status === "waiting")
    const [approval] = await there.approvals()
    await there.answer(approval?.id ?? "", { decision: "allow", by: "the other server" })
    await expect(
      here.answer(approval?.id ?? "", { decision: "deny", by: "too late" }),
    ).rejects.toMatchObject({ data: { by: "the other server" } })
    expect(await until(there, run.id, isOver)).toMatchObject({ status: "completed" })
    const seqs = (await there.messages(run.id, { after: 0, limit: 500 })).map((it) => it.seq)
    expect(seqs).toEqual(seqs.map((_, index) => index + 1))
    expect(await there.list({ limit: 5, archived: false, text: "100% AFTER" })).toHaveLength(1)

    const long = await start(lines({ ...ENDED, after: 100_000 }))
    await until(there, long.id, (it) => it.status === "starting" || it.status === "running")
    expect(await there.stop(long.id)).toMatchObject({ status: "stopped" })
  },
)
