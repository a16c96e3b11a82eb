import { describe, expect, test } from "vitest"
import { z } from "zod"
import { systemClock } from "#ground/base"
import { sql } from "#ground/store"
import { configured, ENDED, isOver, lines, newRoom, OWNER, until } from "#test/agents-room"
import { createSynthetic } from "./synthetic/synthetic.ts"

const TABLES = [
  sql`SELECT * FROM runs`,
  sql`SELECT * FROM run_messages`,
  sql`SELECT * FROM run_commands`,
]

describe("a run from start to end", () => {
  test("[AGENTS-30] the prompt, start, context and response are numbered and stored before their events are published", async () => {
    await using room = await newRoom()
    const run = await room.start({
      type: "synthetic",
      prompt: "hello hunter2",
      configuration: configured(),
    })
    expect(run).toMatchObject({ status: "queued", cwd: "/repo", title: "hello [redacted]" })
    const ended = await until(room, run.id, isOver)
    expect(ended).toMatchObject({ status: "completed", turns: 1, error: null })
    const messages = await room.messages(run.id, { after: 0, limit: 100 })
    expect(messages.map((it) => it.seq)).toEqual(messages.map((_, index) => index + 1))
    expect(messages.map((it) => it.type)).toEqual(
      expect.arrayContaining(["user", "context", "assistant", "response"]),
    )
    const types = messages.map((it) => it.type)
    expect(types.indexOf("context")).toBeLessThan(types.indexOf("assistant"))
    expect(room.told.at(-1)).toBe(messages.length)
    const kept = await Promise.all(TABLES.map((it) => room.store.db.all(z.unknown(), it)))
    expect(JSON.stringify([messages, room.told, room.deltas, kept])).not.toContain("hunter2")
    expect(await room.messages(run.id, { after: messages.length - 1, limit: 100 })).toHaveLength(1)
  })

  test("[AGENTS-30] other processes receive the last message of a burst, even when no message follows", async () => {
    await using room = await newRoom()
    const words = Array.from({ length: 20 }, (_, n) => ({
      event: "message",
      type: "assistant",
      text: `word ${n}`,
      after: 1,
    }))
    const script = lines(...words, { ...ENDED, after: 100_000 })
    const run = await room.start({
      type: "synthetic",
      prompt: "x",
      configuration: configured({ script }),
    })
    const announced = async () => {
      const page = await room.store.journal.read({
        after: { ...(await start), seq: 0 },
        limit: 500,
      })
      const entries = page.kind === "entries" ? page.entries : []
      return entries.filter((it) => it.name === "agents.advanced").at(-1)?.body["seq"]
    }
    const start = room.store.journal.head()
    const hasSaidAll = async () => {
      const said = await room.messages(run.id, { after: 0, limit: 100 })
      return said.some((it) => it.content === "word 19")
    }
    while (!(await hasSaidAll())) await systemClock.sleep(5)
    const { lastSeq } = await room.get(run.id)
    while ((await announced()) !== lastSeq) await systemClock.sleep(5)
    expect(await announced()).toBe(lastSeq)
  })

  test("[AGENTS-31] a follow-up turn continues the same session, and queued turns run in order", async () => {
    await using room = await newRoom()
    const run = await room.start({ type: "synthetic", prompt: "one", configuration: configured() })
    const first = await until(room, run.id, isOver)
    await room.send(run.id, "two")
    await room.send(run.id, "three")
    const last = await until(room, run.id, (it) => isOver(it) && it.turns === 3)
    expect(last.sessionId).toBe(first.sessionId)
    const said = (await room.messages(run.id, { after: 0, limit: 500 })).filter(
      (it) => it.type === "response",
    )
    expect(said.map((it) => /one|two|three/.exec(it.content)?.[0])).toEqual(["one", "two", "three"])
  })

  test("at most `agents.maxRunning` runs are active at once; the others stay queued", async () => {
    await using room = await newRoom({ maxRunning: () => 1 })
    const slow = lines({ event: "message", type: "assistant", text: "a", after: 50 }, ENDED)
    const started = {
      type: "synthetic" as const,
      prompt: "x",
      configuration: configured({ script: slow }),
    }
    const runs = [await room.start(started), await room.start(started), await room.start(started)]
    const done = await Promise.all(runs.map((it) => until(room, it.id, isOver)))
    expect(done.map((it) => it.status)).toEqual(["completed", "completed", "completed"])
    const spans = done.map((it) => [it.startedAt ?? 0, it.endedAt ?? 0] as const)
    expect(spans[1]?.[0]).toBeGreaterThanOrEqual(spans[0]?.[1] ?? 0)
  })
})

describe("approvals", () => {
  const asking = lines(
    { event: "approval.requested", approvalId: "a1", tool: "Bash", title: "Run rm", input: "rm x" },
    { event: "message", type: "assistant", text: "after" },
    ENDED,
  )

  test("[AGENTS-33] an approval is stored and answered once; a second answer fails and names who answered first", async () => {
    await using room = await newRoom()
    const run = await room.start({
      type: "synthetic",
      prompt: "x",
      configuration: configured({ script: asking }),
    })
    await until(room, run.id, (it) => it.status === "waiting")
    const [approval] = await room.approvals()
    expect(approval).toMatchObject({ runId: run.id, tool: "Bash", status: "open" })
    const answer = { decision: "allow", by: "console" } as const
    expect(await room.answer(approval?.id ?? "", answer)).toMatchObject({ status: "allowed" })
    await expect(
      room.answer(approval?.id ?? "", { decision: "deny", by: "terminal" }),
    ).rejects.toMatchObject({ code: "AGENTS_APPROVAL_ANSWERED", data: { by: "console" } })
    expect(await until(room, run.id, isOver)).toMatchObject({
      status: "completed",
      openApprovals: 0,
    })
    await expect(room.answer("apr_none", answer)).rejects.toMatchObject({
      code: "AGENTS_APPROVAL_UNKNOWN",
    })
  })

  test("[AGENTS-33] stopping a run that waits for an approval closes the approval", async () => {
    await using room = await newRoom()
    const run = await room.start({
      type: "synthetic",
      prompt: "x",
      configuration: configured({ script: asking }),
    })
    await until(room, run.id, (it) => it.status === "waiting")
    expect(await room.stop(run.id)).toMatchObject({ status: "stopped" })
    expect(await room.approvals()).toEqual([])
  })
})

test("[AGENTS-34] a budget warns once at 80 % and stops the run before the next call", async () => {
  await using room = await newRoom()
  const cost = (input: number) => ({
    event: "cost",
    isTotal: true,
    usage: { input, output: 0, cacheRead: 0, cacheWrite: 0 },
  })
  const script = lines(
    cost(50),
    cost(85),
    cost(90),
    cost(101),
    { event: "message", type: "assistant", text: "too late", after: 50 },
    ENDED,
  )
  const configuration = configured({ script, budgetTokens: 100 })
  const run = await room.start({ type: "synthetic", prompt: "x", configuration })
  const ended = await until(room, run.id, isOver)
  const texts = (await room.messages(run.id, { after: 0, limit: 100 })).map((it) => it.content)
  expect(ended.status).toBe("stopped")
  expect(texts.filter((it) => it.startsWith("Budget nearly spent"))).toHaveLength(1)
  expect(texts.filter((it) => it.includes("the budget is spent"))).toHaveLength(1)
  expect(texts).not.toContain("too late")
})

describe("failures", () => {
  test("[AGENTS-35] a run whose last turn failed has status `failed` and states the reason", async () => {
    await using room = await newRoom()
    const script = lines({ event: "turn.ended", outcome: "failed", error: "hunter2 refused" })
    const configuration = configured({ script })
    const run = await room.start({ type: "synthetic", prompt: "x", configuration })
    expect(await until(room, run.id, isOver)).toMatchObject({
      status: "failed",
      error: "[redacted] refused",
    })
  })

  test("[AGENTS-35] a missing program gives a failed run with an install hint", async () => {
    await using room = await newRoom({
      agent: async () => ({
        ...createSynthetic({ clock: systemClock }),
        find: async () => ({ kind: "missing", hint: "Install it with npm." }),
      }),
    })
    const run = await room.start({ type: "codex", prompt: "x", configuration: configured() })
    const ended = await until(room, run.id, isOver)
    expect(ended).toMatchObject({ status: "failed", error: expect.stringContaining("Install it") })
  })

  test("[AGENTS-36] after a crash no run has an active status, and the previous writer can no longer write", async () => {
    await using room = await newRoom()
    const script = lines(
      { event: "message", type: "assistant", text: "a" },
      { ...ENDED, after: 100_000 },
    )
    const run = await room.start({
      type: "synthetic",
      prompt: "x",
      configuration: configured({ script }),
    })
    await until(room, run.id, (it) => it.status === "running")
    const after = room.another({ owner: { ...OWNER, pid: OWNER.pid + 1 } })
    expect(await after.recover()).toBe(1)
    expect(await after.get(run.id)).toMatchObject({ status: "interrupted" })
    await room.stop(run.id)
    expect(await after.get(run.id)).toMatchObject({ status: "interrupted" })
  })

  test("[AGENTS-35] unknown runs and directories fail with an error code", async () => {
    await using room = await newRoom({ directoryProblem: async () => "there is nothing" })
    await expect(room.get("run_none")).rejects.toMatchObject({ code: "AGENTS_RUN_UNKNOWN" })
    await expect(room.messages("run_none", { after: 0, limit: 1 })).rejects.toMatchObject({
      code: "AGENTS_RUN_UNKNOWN",
    })
    await expect(
      room.start({ type: "synthetic", prompt: "x", configuration: configured({ cwd: "none" }) }),
    ).rejects.toMatchObject({ code: "AGENTS_DIRECTORY_UNUSABLE" })
    expect(await room.list({ limit: 10, archived: false })).toEqual([])
    await using other = await newRoom()
    await expect(
      other.start({ type: "synthetic", prompt: "x", configuration: configured({ cwd: "/etc" }) }),
    ).rejects.toMatchObject({ data: { reason: "it is outside this repository" } })
  })

  test("deleting an active run stops it first and removes all its data", async () => {
    await using room = await newRoom()
    const script = lines(
      { event: "message", type: "assistant", text: "a" },
      { ...ENDED, after: 100_000 },
    )
    const run = await room.start({
      type: "synthetic",
      prompt: "x",
      configuration: configured({ script }),
    })
    await until(room, run.id, (it) => it.status === "running")
    await room.remove(run.id)
    await expect(room.get(run.id)).rejects.toMatchObject({ code: "AGENTS_RUN_UNKNOWN" })
    expect(await room.list({ limit: 10, archived: false })).toEqual([])
  })
})

describe("messages of another source", () => {
  const message = (order: number) => ({
    type: "system" as const,
    role: "system" as const,
    content: `part ${order}`,
    metadata: {},
    order,
    at: order,
  })

  test("[AGENTS-71] they are appended once and in order, also to an ended run and by two processes", async () => {
    await using room = await newRoom()
    const { id } = await room.start({
      type: "synthetic",
      prompt: "x",
      configuration: configured(),
    })
    const before = await until(room, id, isOver)
    const other = room.another()
    const all = [1, 2, 3, 4].map(message)
    await Promise.all([room.appendFrom(id, "p-1", all), other.appendFrom(id, "p-1", all)])
    await room.appendFrom(id, "p-10", [message(7)])
    await room.appendFrom(id, "p-1", [...all, message(5)])
    const messages = await room.messages(id, { after: before.lastSeq, limit: 100 })
    expect(messages.map((it) => it.content)).toEqual([
      "part 1",
      "part 2",
      "part 3",
      "part 4",
      "part 7",
      "part 5",
    ])
    const after = await room.get(id)
    expect(after).toMatchObject({ status: "completed", lastSeq: before.lastSeq + 6 })
    await room.appendFrom(id, "p-1", all)
    expect(await room.get(id), "what is stored changes nothing").toEqual(after)
    await room.appendFrom("run_none", "p-1", all)
    await other.close()
  })
})
