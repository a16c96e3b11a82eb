import path from "node:path"
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
import { LEASE_MS } from "./stores/run-store.ts"

const FOREVER = lines(
  { event: "message", type: "assistant", text: "a" },
  { ...ENDED, after: 100_000 },
)
const ASKING = lines(
  { event: "session.started", sessionId: "s-1", cwd: "/repo" },
  { event: "approval.requested", approvalId: "a1", tool: "Bash", title: "Run rm", input: "rm x" },
  { event: "message", type: "assistant", text: "after" },
  ENDED,
)
const OTHER = { ...OWNER, pid: OWNER.pid + 1 }

const startWith = (room: Room, script: string): Promise<Run> =>
  room.start({ type: "synthetic", prompt: "x", configuration: configured({ script }) })

const isRunning = (run: Run) => run.status === "running"
const isWaiting = (run: Run) => run.status === "waiting"
const contents = async (room: Room, id: string) =>
  (await room.messages(id, { after: 0, limit: 500 })).map((it) => it.content)

describe("commands from another process", () => {
  test("[AGENTS-23] a stop reaches the process that works on the run and waits until the run ends", async () => {
    await using room = await newRoom()
    const other = room.another({ owner: OTHER, isAlive: () => true })
    const run = await startWith(room, FOREVER)
    await until(room, run.id, isRunning)
    expect(await other.stop(run.id)).toMatchObject({ status: "stopped" })
    expect(await contents(room, run.id)).not.toContain("Stopped from another process")
  })

  test("[AGENTS-23] a process that does not respond is named in the error after a timeout, and no success is reported", async () => {
    await using room = await newRoom({ onAdvance: () => () => {} })
    let ms = 0
    const clock = { ...systemClock, monotonicMs: () => (ms += 1_000), sleep: async () => {} }
    const other = room.another({ owner: OTHER, isAlive: () => true, clock })
    const run = await startWith(room, FOREVER)
    await until(room, run.id, isRunning)
    await expect(other.stop(run.id)).rejects.toMatchObject({ code: "AGENTS_OWNER_SILENT" })
    expect(await room.get(run.id)).toMatchObject({ status: "running" })
  })

  test("[AGENTS-23] an approval answer and a follow-up turn reach the working process", async () => {
    await using room = await newRoom()
    const other = room.another({ owner: OTHER, isAlive: () => true })
    const run = await startWith(room, ASKING)
    await until(room, run.id, isWaiting)
    const [approval] = await other.approvals()
    await other.answer(approval?.id ?? "", { decision: "allow", by: "elsewhere" })
    await until(room, run.id, isOver)
    expect(await contents(room, run.id)).toContain("Allowed by elsewhere")
    const again = await startWith(room, FOREVER)
    await until(room, again.id, isRunning)
    await other.send(again.id, "next")
    expect((await room.queued(again.id)).turns).toMatchObject([{ text: "next" }])
  })

  test("[AGENTS-23] a mode change applies while the run is active and emits an event", async () => {
    await using room = await newRoom()
    const run = await startWith(room, FOREVER)
    await until(room, run.id, isRunning)
    await room.setMode(run.id, "auto", "the user")
    expect(await until(room, run.id, (it) => it.mode === "auto")).toMatchObject({
      status: "running",
    })
    await room.stop(run.id)
    await expect(room.setMode(run.id, "ask", "the user")).rejects.toMatchObject({
      code: "AGENTS_RUN_NOT_WORKING",
    })
  })

  test("[AGENTS-29] a run on another machine is taken over only after its lease expired", async () => {
    let now = 1_000_000
    const clock = { ...systemClock, now: () => now }
    await using room = await newRoom({ clock })
    const elsewhere = { ...OTHER, machine: "there" }
    const run = await startWith(room, FOREVER)
    await until(room, run.id, isRunning)
    const other = room.another({ owner: elsewhere, clock })
    now += LEASE_MS - 1
    expect(await other.recover()).toBe(0)
    now += 2
    expect(await other.recover()).toBe(1)
    expect(await other.get(run.id)).toMatchObject({ status: "interrupted" })
  })

  test("[AGENTS-29] of two processes that claim a queued run, one gets it", async () => {
    await using room = await newRoom({ maxRunning: () => 0 })
    room.watch()
    const run = await startWith(room, lines(ENDED))
    const others = [1, 2, 3].map((n) =>
      room.another({ owner: { ...OWNER, pid: OWNER.pid + n }, maxRunning: () => 4 }),
    )
    for (const other of others) other.watch()
    await Promise.all(others.map((it) => it.fill()))
    await until(room, run.id, isOver)
    const said = await contents(room, run.id)
    expect(said.filter((it) => it === "x")).toHaveLength(1)
    for (const other of others) await other.close()
  })

  test("[AGENTS-29] a queued turn that had not started when its process died is run by another process", async () => {
    await using room = await newRoom({ maxRunning: () => 0 })
    const run = await startWith(room, lines(ENDED))
    const other = room.another({ owner: OTHER, maxRunning: () => 4 })
    other.watch()
    await other.recover()
    expect(await until(room, run.id, isOver)).toMatchObject({ status: "completed" })
    await other.close()
  })
})

describe("queued turns", () => {
  test("the queued turns of an unknown run are refused", async () => {
    await using room = await newRoom()
    await expect(room.queued("run_unknown")).rejects.toThrow("Run run_unknown not found.")
  })

  test("queued turns can be listed, changed and removed until they are sent", async () => {
    await using room = await newRoom()
    const run = await startWith(room, FOREVER)
    await until(room, run.id, isRunning)
    await room.send(run.id, "two")
    await room.send(run.id, "three")
    const { turns } = await room.queued(run.id)
    const [two, three] = turns.map((it) => it.id)
    await room.rewriteTurn(two ?? "", "two and a half")
    await room.dropTurn(three ?? "")
    expect((await room.queued(run.id)).turns).toMatchObject([{ text: "two and a half" }])
    await expect(room.dropTurn(three ?? "")).rejects.toMatchObject({ code: "AGENTS_TURN_UNKNOWN" })
    for (let n = 0; n < 49; n++) await room.send(run.id, `${n}`)
    await expect(room.send(run.id, "one too many")).rejects.toMatchObject({
      code: "AGENTS_QUEUE_FULL",
    })
    await expect(room.message(run.id, 999)).rejects.toMatchObject({
      code: "AGENTS_MESSAGE_UNKNOWN",
    })
    await expect(room.rewriteTurn("cmd_none", "x")).rejects.toMatchObject({
      code: "AGENTS_TURN_UNKNOWN",
    })
  })

  test("a message for now is steered into the running turn if the agent supports it, otherwise queued", async () => {
    await using room = await newRoom()
    const run = await startWith(room, FOREVER)
    await until(room, run.id, isRunning)
    await room.send(run.id, "look here", { now: true })
    expect((await room.queued(run.id)).turns).toMatchObject([{ text: "look here" }])
    const steered: string[] = []
    await using other = await newRoom({ agent: async () => steerable(steered) })
    const second = await startWith(other, FOREVER)
    await until(other, second.id, isRunning)
    await other.send(second.id, "look here", { now: true })
    expect(steered).toEqual(["look here"])
    expect((await other.queued(second.id)).turns).toEqual([])
    expect(await contents(other, second.id)).toContain("look here")
  })

  test("context parts precede each turn with a label, and the transcript names them", async () => {
    const received: string[] = []
    await using room = await newRoom({
      agent: async () => noting(received),
      contextParts: async () => [{ label: "date", text: "Today", tokens: 1 }],
    })
    const run = await startWith(room, lines(ENDED))
    await until(room, run.id, isOver)
    await room.send(run.id, "/compact")
    await until(room, run.id, (it) => isOver(it) && it.turns === 2)
    expect(received).toEqual([`<context label="date">\nToday\n</context>\n\nx`, "/compact"])
    const [first] = await room.messages(run.id, { after: 0, limit: 1 })
    expect(first).toMatchObject({
      content: "x",
      metadata: { parts: [{ label: "date", tokens: 1 }] },
    })
  })
})

test("a follow-up turn of an ended run is queued when all slots are taken", async () => {
  await using room = await newRoom({ maxRunning: () => 1 })
  const first = await startWith(room, lines(ENDED))
  await until(room, first.id, isOver)
  const second = await startWith(room, FOREVER)
  await until(room, second.id, isRunning)
  expect(await room.send(first.id, "more")).toMatchObject({ status: "queued" })
  await room.stop(second.id)
  expect(await until(room, first.id, (it) => it.turns === 2)).toMatchObject({ error: null })
})

describe("after the process ended", () => {
  test("[AGENTS-26] the answer to an approval reaches the resumed session", async () => {
    await using room = await newRoom()
    const run = await startWith(room, ASKING)
    await until(room, run.id, isWaiting)
    const after = room.another({ owner: OTHER })
    expect(await after.recover()).toBe(1)
    const [approval] = await after.approvals()
    expect(approval).toMatchObject({ status: "open", runId: run.id })
    await after.answer(approval?.id ?? "", { decision: "allow", by: "the user" })
    expect(await until(room, run.id, isOver)).toMatchObject({
      status: "completed",
      openApprovals: 0,
    })
    expect(await contents(room, run.id)).toContain("Allowed by the user")
    await after.close()
  })

  test("[AGENTS-26] a server that shuts down leaves its runs interrupted and their approvals open", async () => {
    await using room = await newRoom()
    const run = await startWith(room, ASKING)
    await until(room, run.id, isWaiting)
    await room.close()
    expect(await room.get(run.id)).toMatchObject({ status: "interrupted", openApprovals: 1 })
  })

  test("[AGENTS-33] an approval without an answer in time is denied by the timeout", async () => {
    let ahead = 0
    const sleep = systemClock.sleep
    const clock = {
      ...systemClock,
      now: () => systemClock.now() + ahead,
      sleep: (ms: number, signal?: AbortSignal) => sleep(Math.min(ms, 5), signal),
    }
    await using room = await newRoom({ clock })
    const run = await startWith(room, ASKING)
    await until(room, run.id, isWaiting)
    ahead = 25 * 60 * 60 * 1_000
    await until(room, run.id, isOver)
    expect(await room.approvals(run.id)).toMatchObject([
      { status: "expired", answeredBy: "the timeout" },
    ])
  })
})

describe("a session that the host no longer has", () => {
  const failing = (error: string): EmittedEvent[] => [
    { event: { event: "error", message: error, isFatal: true } },
  ]

  test("[AGENTS-27] it is replaced once by a new session that gets the last messages, and the transcript says so", async () => {
    const starts: { resume: string | undefined; prompt: string }[] = []
    await using room = await newRoom({
      agent: async () => ({
        ...noting([]),
        async start(options) {
          starts.push({ resume: options.resume, prompt: options.prompt })
          const isGone = options.resume !== undefined
          return playing(isGone ? failing("No conversation found with session ID: x") : DONE)
        },
      }),
    })
    const configuration = configured({ resume: "lost" })
    const run = await room.start({ type: "claude-code", prompt: "go on", configuration })
    expect(await until(room, run.id, isOver)).toMatchObject({ status: "completed", error: null })
    expect(starts.map((it) => it.resume)).toEqual(["lost", undefined])
    expect(starts[1]?.prompt).toContain("could not be resumed")
    expect(starts[1]?.prompt).toContain("go on")
    const said = await contents(room, run.id)
    expect(said.filter((it) => it === "go on")).toHaveLength(1)
    expect(said.some((it) => it.includes("no longer has the session"))).toBe(true)
  })

  test("[AGENTS-27] a session is never replaced twice in a row", async () => {
    await using room = await newRoom({
      agent: async () => ({
        ...noting([]),
        start: async () => playing(failing("Unknown session")),
      }),
    })
    const configuration = configured({ resume: "lost" })
    const run = await room.start({ type: "claude-code", prompt: "x", configuration })
    expect(await until(room, run.id, isOver)).toMatchObject({
      status: "failed",
      error: "Unknown session",
    })
  })

  test("[AGENTS-27] a session that cannot be resumed is not tried: a new one starts immediately", async () => {
    const resumes: (string | undefined)[] = []
    await using room = await newRoom({
      checkResumable: async () => false,
      agent: async () => ({
        ...noting([]),
        async start({ resume }) {
          resumes.push(resume)
          return playing(DONE)
        },
      }),
    })
    const run = await startWith(room, lines(ENDED))
    await until(room, run.id, isOver)
    await room.send(run.id, "more")
    await until(room, run.id, (it) => isOver(it) && it.turns === 2)
    expect(resumes).toEqual([undefined, undefined])
    expect((await contents(room, run.id)).some((it) => it.includes("no longer has"))).toBe(true)
  })
})

test("runs are found by text, status, label and directory, and a title set by the user stays", async () => {
  await using room = await newRoom()
  const script = lines({ event: "message", type: "assistant", text: "the 100% answer_x" }, ENDED)
  const run = await startWith(room, script)
  await until(room, run.id, isOver)
  const other = await startWith(room, lines(ENDED))
  await until(room, other.id, isOver)
  const found = async (filter: object) =>
    (await room.list({ limit: 10, archived: false, ...filter })).map((it) => it.id)
  expect(await found({ text: "100% answer_x" })).toEqual([run.id])
  expect(await found({ text: "1__%" })).toEqual([])
  await room.edit(run.id, {
    title: "Mine",
    isTitleOwn: true,
    labels: ["a%", "b"],
    workflow: "done",
  })
  expect(await found({ labels: ["a%"] })).toEqual([run.id])
  expect(await found({ labels: ["a"] })).toEqual([])
  expect(await found({ workflow: "done", status: ["completed"] })).toEqual([run.id])
  expect(await found({ status: ["failed"] })).toEqual([])
  await room.edit(run.id, { isArchived: true })
  expect(await found({})).toEqual([other.id])
  expect(await found({ archived: true })).toEqual([run.id])
})

test("[AGENTS-39] variables given to a run reach its agent and are not stored", async () => {
  const seen: Readonly<Record<string, string>>[] = []
  await using room = await newRoom({
    agent: async () => ({
      ...noting([]),
      async start({ environment }) {
        seen.push(environment)
        const text = 'it is value-"of"-it in /w/shop.worktrees/ws1'
        return playing([{ event: { event: "message", type: "assistant", text } }, ...DONE])
      },
    }),
  })
  const env = { MY_KEY: 'value-"of"-it', QM_WORKTREE_PATH: "/w/shop.worktrees/ws1" }
  const configuration = configured({ env })
  const run = await room.start({ type: "claude-code", prompt: "x", configuration })
  await until(room, run.id, isOver)
  expect(seen).toEqual([env])
  const rows = await room.store.db.all(z.unknown(), sql`SELECT * FROM runs`)
  expect(JSON.stringify([rows, await contents(room, run.id)])).not.toMatch(/value-.{1,3}of/)
  const shown = "it is [redacted: variable] in /w/shop.worktrees/ws1"
  expect(await contents(room, run.id), "the folder of a worktree is no secret").toContain(shown)
})

test("[T6][AGENTS-39] a run starts in the folder of the caller, and at the root if that is elsewhere", async () => {
  const resolve = (given: string) => path.resolve("/repo/packages/api", given)
  await using room = await newRoom({ resolve })
  const start = async (cwd?: string) =>
    (await room.start({ type: "synthetic", prompt: "x", configuration: configured({ cwd }) })).cwd
  expect(await start()).toBe("/repo/packages/api")
  expect(await start("src")).toBe("/repo/packages/api/src")
  await using elsewhere = await newRoom({ resolve: (given) => path.resolve("/tmp", given) })
  const run = await elsewhere.start({
    type: "synthetic",
    prompt: "x",
    configuration: configured({}),
  })
  expect(run.cwd).toBe("/repo")
})

const DONE: readonly EmittedEvent[] = [
  { event: { event: "session.started", sessionId: "s-2", cwd: "/repo", tools: [] } },
  { event: { event: "turn.ended", outcome: "completed", text: "done", denials: 0 } },
]

function playing(events: readonly EmittedEvent[], more: Partial<AgentSession> = {}): AgentSession {
  return {
    events: (async function* () {
      yield* events
    })(),
    process: undefined,
    canSteer: false,
    send: async () => {},
    answer: async () => {},
    setMode: async () => {},
    interrupt: async () => {},
    stop: async () => {},
    ...more,
  }
}

function noting(received: string[]): Agent {
  return {
    type: "claude-code",
    title: "Noting",
    find: async () => ({ kind: "found", program: "", version: undefined }),
    complete: async () => undefined,
    async start({ prompt }) {
      received.push(prompt)
      return playing(DONE)
    },
  }
}

function steerable(steered: string[]): Agent {
  return {
    ...noting([]),
    async start() {
      const { promise: over, resolve: end } = Promise.withResolvers<void>()
      return playing([], {
        canSteer: true,
        events: (async function* () {
          yield { event: { event: "turn.started" } } as const
          await over
        })(),
        send: async (text) => void steered.push(text),
        stop: async () => end(),
      })
    },
  }
}
