import { describe, expect, test } from "vitest"
import { z } from "zod"
import { systemClock } from "#ground/base"
import type { Run } from "#ground/contract"
import { sql } from "#ground/store"
import {
  configured,
  ENDED,
  isOver,
  lines,
  newRoom,
  OWNER,
  type Room,
  until,
} from "#test/agents-room"
import type { Agent, AgentSession, EmittedEvent } from "../agent.ts"
import { VariablesGone } from "../errors.ts"

const OTHER = { ...OWNER, pid: OWNER.pid + 1 }
const FOREVER = lines(
  { event: "message", type: "assistant", text: "a" },
  { ...ENDED, after: 100_000 },
)

const startWith = (room: Room, script: string, more: object = {}): Promise<Run> =>
  room.start({ type: "synthetic", prompt: "first", configuration: configured({ script, ...more }) })

const contents = async (room: Room, id: string) =>
  (await room.messages(id, { after: 0, limit: 500 })).map((it) => it.content)

const DONE: readonly EmittedEvent[] = [
  { event: { event: "session.started", sessionId: "s-2", cwd: "/repo", tools: [] } },
  { event: { event: "turn.ended", outcome: "completed", text: "done", denials: 0 } },
]

/** An agent with the given sessions, which counts stops. */
function stub(session: () => Partial<AgentSession> & Pick<AgentSession, "events">) {
  const stops: string[] = []
  const agent: Agent = {
    type: "claude-code",
    title: "Stub",
    find: async () => ({ kind: "found", program: "", version: undefined }),
    complete: async () => undefined,
    start: async () => ({
      process: undefined,
      canSteer: false,
      send: async () => {},
      answer: async () => {},
      setMode: async () => {},
      interrupt: async () => {},
      stop: async () => void stops.push("stop"),
      ...session(),
    }),
  }
  return { agent, stops }
}

async function* says(...heard: readonly EmittedEvent[]) {
  yield* heard
}

describe("internal and store failures", () => {
  test("[AGENTS-35] a failed write ends the run and its agent, and affects no other run", async () => {
    let isBroken = false
    const { agent, stops } = stub(() => ({ events: says(...DONE) }))
    await using room = await newRoom({
      agent: async () => agent,
      redactEvent: (event) => {
        if (isBroken) throw new Error("planted: the disk is full")
        return event
      },
    })
    isBroken = true
    const run = await startWith(room, lines(ENDED))
    expect(await until(room, run.id, isOver)).toMatchObject({ status: "failed" })
    expect(stops.length).toBeGreaterThan(0)
    expect(room.isHere(run.id)).toBe(false)
    isBroken = false
    await room.send(run.id, "again")
    expect(await until(room, run.id, (it) => it.status === "completed")).toBeDefined()
  })

  test("[AGENTS-35] a context that cannot be captured is reported, and the run continues", async () => {
    await using room = await newRoom({
      contextMessage: () => Promise.reject(new Error("planted")),
    })
    const run = await startWith(room, lines(ENDED))
    expect(await until(room, run.id, isOver)).toMatchObject({ status: "completed" })
    expect((await contents(room, run.id)).some((it) => it.includes("could not be captured"))).toBe(
      true,
    )
  })

  test("[AGENTS-36] a start that fails half-way leaves no run with status `starting`", async () => {
    await using room = await newRoom({ contextParts: () => Promise.reject(new Error("planted")) })
    const run = await startWith(room, lines(ENDED))
    expect(await until(room, run.id, isOver)).toMatchObject({ status: "failed" })
    // The prompt was not lost: it is queued and can be sent again.
    expect((await room.queued(run.id)).turns).toMatchObject([{ text: "first" }])
  })

  test("[AGENTS-29] a process that lost its lease ends its agent at the next renewal", async () => {
    const sleep = systemClock.sleep
    const clock = {
      ...systemClock,
      sleep: (ms: number, signal?: AbortSignal) => sleep(Math.min(ms, 5), signal),
    }
    const over = Promise.withResolvers<void>()
    const { agent, stops } = stub(() => ({
      events: (async function* () {
        yield { event: { event: "turn.started" } } as const
        await over.promise
      })(),
    }))
    const ending = {
      ...agent,
      start: async (options: Parameters<Agent["start"]>[0]) => {
        const session = await agent.start(options)
        return {
          ...session,
          async stop() {
            over.resolve()
            await session.stop()
          },
        }
      },
    }
    await using room = await newRoom({ clock, agent: async () => ending })
    const run = await startWith(room, lines(ENDED))
    await until(room, run.id, (it) => it.status === "running")
    await room.store.db.run(sql`UPDATE runs SET fence = fence + 1 WHERE id = ${run.id}`)
    while (stops.length === 0) await systemClock.sleep(5)
    expect(stops.length).toBeGreaterThan(0)
  })
})

describe("turns", () => {
  test("[AGENTS-31] a turn sent while the run is ending is not lost", async () => {
    const ending = Promise.withResolvers<void>()
    const stopped = Promise.withResolvers<void>()
    let starts = 0
    const { agent } = stub(() => {
      starts += 1
      const isFirst = starts === 1
      return {
        events: says(...DONE),
        async stop() {
          if (!isFirst) return
          ending.resolve()
          await stopped.promise
        },
      }
    })
    await using room = await newRoom({ agent: async () => agent })
    const run = await startWith(room, lines(ENDED))
    await ending.promise
    const sent = room.send(run.id, "in the last moment")
    await systemClock.sleep(20)
    stopped.resolve()
    await sent
    const last = await until(room, run.id, (it) => isOver(it) && it.queuedTurns === 0)
    expect(last.status).toBe("completed")
    expect(await contents(room, run.id)).toContain("in the last moment")
  })

  test("removing the only queued turn repeats no earlier turn", async () => {
    await using room = await newRoom({ maxRunning: () => 1 })
    const first = await startWith(room, lines(ENDED))
    await until(room, first.id, isOver)
    const other = await startWith(room, FOREVER)
    await until(room, other.id, (it) => it.status === "running")
    await room.send(first.id, "more")
    const [turn] = (await room.queued(first.id)).turns
    await room.dropTurn(turn?.id ?? "")
    await room.stop(other.id)
    expect(await until(room, first.id, isOver)).toMatchObject({ status: "completed", turns: 1 })
    expect((await contents(room, first.id)).filter((it) => it === "first")).toHaveLength(1)
  })

  test("[AGENTS-23] a queued run can be stopped and its mode changed before it starts", async () => {
    let most = 0
    await using room = await newRoom({ maxRunning: () => most })
    const env = { env: { KEY_OF_MINE: "x" } }
    const run = await startWith(room, lines(ENDED), env)
    expect(await room.setMode(run.id, "plan", "the user")).toMatchObject({ mode: "plan" })
    expect(await room.stop(run.id)).toMatchObject({ status: "stopped" })
    const second = await startWith(room, lines(ENDED), env)
    await room.remove(second.id)
    most = 4
    await room.fill()
    expect(await contents(room, run.id)).not.toContain("first")
    expect(await room.list({ limit: 5, archived: false })).toHaveLength(1)
  })

  test("[AGENTS-39] a run whose variables are gone is not restarted without them", async () => {
    await using room = await newRoom()
    const run = await startWith(room, lines(ENDED), { env: { MY_ENDPOINT: "there" } })
    await until(room, run.id, isOver)
    const other = room.another({ owner: OTHER })
    await other.send(run.id, "more")
    expect(await until(room, run.id, isOver)).toMatchObject({
      status: "failed",
      error: VariablesGone({ id: run.id, names: "MY_ENDPOINT" }).message,
    })
    await other.close()
  })

  test("[AGENTS-34] a run with a spent budget refuses further turns", async () => {
    await using room = await newRoom()
    const cost = {
      event: "cost",
      isTotal: true,
      usage: { input: 200, output: 0, cacheRead: 0, cacheWrite: 0 },
    }
    const run = await startWith(room, lines(cost, ENDED), { budgetTokens: 100 })
    await until(room, run.id, isOver)
    await expect(room.send(run.id, "more")).rejects.toMatchObject({ code: "AGENTS_BUDGET_SPENT" })
  })

  test("[AGENTS-34] a dollar budget without known prices is reported once", async () => {
    await using room = await newRoom()
    const cost = {
      event: "cost",
      isTotal: true,
      usage: { input: 5, output: 0, cacheRead: 0, cacheWrite: 0 },
    }
    const run = await startWith(room, lines(cost, cost, ENDED), { budgetUsd: 1 })
    await until(room, run.id, isOver)
    const said = (await contents(room, run.id)).filter((it) => it.includes("cannot be enforced"))
    expect(said).toHaveLength(1)
  })

  test("[AGENTS-27] a later turn that fails is not answered by sending the first turn again", async () => {
    const prompts: string[] = []
    const fails: EmittedEvent = {
      event: {
        event: "turn.ended",
        outcome: "failed",
        text: "",
        error: "session expired, please log in",
        denials: 0,
      },
    }
    const { agent } = stub(() => ({
      events: says(...DONE, { event: { event: "turn.started" } }, fails),
      send: async (text) => void prompts.push(text),
    }))
    await using room = await newRoom({ agent: async () => agent })
    const run = await startWith(room, lines(ENDED), { resume: "s-2" })
    await room.send(run.id, "second")
    expect(await until(room, run.id, isOver)).toMatchObject({ status: "failed" })
    expect((await contents(room, run.id)).filter((it) => it === "first")).toHaveLength(1)
  })
})

describe("approvals of an earlier attempt", () => {
  const ASKING = lines(
    { event: "session.started", sessionId: "s-1", cwd: "/repo" },
    { event: "approval.requested", approvalId: "a1", tool: "Bash", title: "Run ls", input: "ls" },
    ENDED,
  )

  test("[AGENTS-33] the answer to an old approval does not apply to a new approval with the same id", async () => {
    await using room = await newRoom()
    const run = await startWith(room, ASKING)
    await until(room, run.id, (it) => it.status === "waiting")
    await room.close()
    const dangerous = ASKING.replaceAll("Run ls", "Run rm").replaceAll('"ls"', '"rm -rf /"')
    const configuration = JSON.stringify(configured({ script: dangerous }))
    await room.store.db.run(
      sql`UPDATE runs SET configuration = ${configuration} WHERE id = ${run.id}`,
    )
    const after = room.another({ owner: OTHER })
    const [old] = await after.approvals()
    await after.send(run.id, "go on")
    await until(room, run.id, (it) => it.status === "waiting")
    await after.answer(old?.id ?? "", { decision: "allow", by: "me" })
    const fresh = (await after.approvals()).find((it) => it.title === "Run rm")
    expect(fresh).toMatchObject({ status: "open" })
    await after.close()
  })

  test("[AGENTS-26] a run whose approval was answered after its process died resumes by itself", async () => {
    await using room = await newRoom()
    const run = await startWith(room, ASKING)
    await until(room, run.id, (it) => it.status === "waiting")
    const [approval] = await room.approvals()
    // Simulates a dead process: its fence is void.
    await room.store.db.run(sql`UPDATE runs SET fence = fence + 1 WHERE id = ${run.id}`)
    const after = room.another({ owner: OTHER })
    after.watch()
    await after.answer(approval?.id ?? "", { decision: "allow", by: "me" })
    await after.recover()
    await until(room, run.id, (it) => it.status === "completed")
    expect(await contents(room, run.id)).toContain("Allowed by me")
    await after.close()
  })

  test("[AGENTS-33] an approval past its timeout cannot be answered, whether or not the run is active", async () => {
    let ahead = 0
    const clock = { ...systemClock, now: () => systemClock.now() + ahead }
    await using room = await newRoom({ clock })
    const run = await startWith(room, ASKING)
    await until(room, run.id, (it) => it.status === "waiting")
    const [approval] = await room.approvals()
    ahead = 5 * 24 * 60 * 60 * 1_000
    await expect(
      room.answer(approval?.id ?? "", { decision: "allow", by: "me" }),
    ).rejects.toMatchObject({ data: { status: "expired", by: "the timeout" } })
  })

  test("[AGENTS-30] notes, titles and labels set by users are stored without secrets", async () => {
    await using room = await newRoom()
    const run = await startWith(room, ASKING)
    await until(room, run.id, (it) => it.status === "waiting")
    const [approval] = await room.approvals()
    await room.answer(approval?.id ?? "", { decision: "deny", by: "me", note: "not hunter2" })
    await room.edit(run.id, { title: "hunter2", labels: ["hunter2"], workflow: "hunter2" })
    await until(room, run.id, isOver)
    const rows = await Promise.all(
      [sql`SELECT * FROM runs`, sql`SELECT * FROM run_approvals`].map((it) =>
        room.store.db.all(z.unknown(), it),
      ),
    )
    expect(JSON.stringify(rows)).not.toContain("hunter2")
  })
})
