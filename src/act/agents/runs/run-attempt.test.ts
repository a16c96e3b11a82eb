import { describe, expect, test } from "vitest"
import { defineError } from "#ground/base"
import type { ContextPart, Message, Run } from "#ground/contract"
import { configured, ENDED, isOver, lines, newRoom, type Room, until } from "#test/agents-room"
import type { Agent } from "../agent.ts"
import { loadAgent } from "../load-agent.ts"
import type { ProxyRequest } from "./run-attempt.ts"

const Bypassed = defineError<{ file: string }>()("GATEWAY_BYPASSED", {
  family: "conflict",
  message: (it) => `${it.file} leads past the gateway.`,
  hint: () => "Take the line out.",
})

async function listeningAgent() {
  const synthetic = await loadAgent("synthetic")
  const started: { environment: object; first: readonly string[] | undefined }[] = []
  const agent: Agent = {
    ...synthetic,
    start(options) {
      const { environment, firstArguments: first } = options
      started.push({ environment, first })
      return synthetic.start(options)
    },
  }
  return { agent, started }
}

const START = { type: "synthetic", prompt: "go" } as const

test("[AGENTS-47] a proxied run gets the gateway's address, and its proxied session ends with the run", async () => {
  const { agent, started } = await listeningAgent()
  const asked: ProxyRequest[] = []
  const ended = Promise.withResolvers<void>()
  await using room = await newRoom({
    agent: async () => agent,
    environmentFor: () => ({ PATH: "/bin" }),
    async proxy(wanted) {
      asked.push(wanted)
      wanted.tell("Nothing more is folded.")
      const end = async () => ended.resolve()
      return { environment: { ANTHROPIC_BASE_URL: "http://here" }, args: ["-c", "x"], end }
    },
  })
  const configuration = configured({ gateway: "fold" })
  const run = await room.start({ ...START, configuration })
  await until(room, run.id, isOver)
  await ended.promise
  expect(asked.map((it) => [it.mode, it.run.id])).toEqual([["fold", run.id]])
  expect(started).toEqual([
    { environment: { PATH: "/bin", ANTHROPIC_BASE_URL: "http://here" }, first: ["-c", "x"] },
  ])
  const messages = await room.messages(run.id, { after: 0, limit: 100 })
  expect(messages.map((it) => it.content)).toContain("Nothing more is folded.")
})

test("[AGENTS-47] a run that would bypass the gateway does not start and states the reason", async () => {
  const { agent, started } = await listeningAgent()
  await using room = await newRoom({
    agent: async () => agent,
    proxy: () => Promise.reject(Bypassed({ file: ".claude/settings.json" })),
  })
  const run = await room.start({ ...START, configuration: configured({ gateway: "record" }) })
  const ended = await until(room, run.id, isOver)
  expect(ended.status).toBe("failed")
  expect(ended.error).toContain(".claude/settings.json leads past the gateway")
  expect(started).toEqual([])
})

const PackUnknown = defineError<{ id: string }>()("PACK_UNKNOWN", {
  family: "not-found",
  message: (it) => `There is no kept package ${it.id}.`,
  hint: () => "List the packages.",
})

/** A room with one stored package, whose turns all get the date. */
const roomWithPack = () =>
  newRoom({
    async keptPack(given) {
      if (given === "last" || given === "pk_1") return "pk_1"
      throw PackUnknown({ id: given })
    },
    async contextParts(_, { pack }) {
      const date: ContextPart = { label: "date", text: "Today", tokens: 1 }
      if (pack === undefined) return [date]
      return [{ label: `package ${pack}, 1 file`, text: "PACKED", tokens: 7, pack }, date]
    },
  })

/** Without a script the synthetic agent repeats its prompt. */
const startWith = (room: Room, prompt: string, pack: string): Promise<Run> =>
  room.start({ type: "synthetic", prompt, configuration: configured({ pack }) })

async function sendAndWait(room: Room, run: Run, text: string): Promise<void> {
  const { turns } = await room.get(run.id)
  await room.send(run.id, text)
  await until(room, run.id, (it) => isOver(it) && it.turns === turns + 1)
}

async function said(room: Room, id: string, type: Message["type"]): Promise<Message[]> {
  const messages = await room.messages(id, { after: 0, limit: 500 })
  return messages.filter((it) => it.type === type)
}

const packsOf = (messages: readonly Message[]) =>
  messages.map(({ metadata }) => JSON.stringify(metadata["parts"] ?? []).includes('"pk_1"'))

describe("a run started with a package", () => {
  test("the package precedes the first turn and not the second", async () => {
    await using room = await roomWithPack()
    const run = await startWith(room, "first", "last")
    await until(room, run.id, isOver)
    await sendAndWait(room, run, "second")
    const [first = "", second = ""] = (await said(room, run.id, "assistant")).map(
      (it) => it.content,
    )
    const context = (label: string, text: string) =>
      `<context label="${label}">\n${text}\n</context>`
    expect(first).toContain(
      `${context("package pk_1, 1 file", "PACKED")}\n\n${context("date", "Today")}\n\nfirst`,
    )
    expect(second).toContain(`${context("date", "Today")}\n\nsecond`)
    expect(second).not.toContain("PACKED")
    expect((await said(room, run.id, "user"))[0]?.metadata["parts"]).toEqual([
      { label: "package pk_1, 1 file", tokens: 7, pack: "pk_1" },
      { label: "date", tokens: 1 },
    ])
  })

  test("a turn queued behind the first does not get the package", async () => {
    await using room = await roomWithPack()
    const script = lines(
      { event: "message", type: "assistant", text: "a" },
      { ...ENDED, after: 80 },
    )
    const configuration = configured({ pack: "pk_1", script })
    const run = await room.start({ type: "synthetic", prompt: "first", configuration })
    await until(room, run.id, (it) => it.status === "running")
    await room.send(run.id, "second")
    await until(room, run.id, (it) => isOver(it) && it.turns === 2)
    expect(packsOf(await said(room, run.id, "user"))).toEqual([true, false])
  })

  test("a host command leaves the package for the next turn", async () => {
    await using room = await roomWithPack()
    const run = await startWith(room, "/review", "pk_1")
    await until(room, run.id, isOver)
    expect((await room.parts(run.id)).map((it) => it.pack)).toEqual(["pk_1", undefined])
    await sendAndWait(room, run, "second")
    await sendAndWait(room, run, "third")
    expect(packsOf(await said(room, run.id, "user"))).toEqual([false, true, false])
    expect((await room.parts(run.id)).map((it) => it.label)).toEqual(["date"])
  })

  test("an unknown package fails with an error code, and nothing is started", async () => {
    await using room = await roomWithPack()
    await expect(startWith(room, "x", "pk_2")).rejects.toMatchObject({ code: "PACK_UNKNOWN" })
    expect(await room.list({ limit: 10, archived: false })).toEqual([])
  })

  test("a hand-off does not include the package", async () => {
    await using room = await roomWithPack()
    const run = await startWith(room, "first", "pk_1")
    await until(room, run.id, isOver)
    const { run: next } = await room.handoff(run.id, true)
    if (next === null) throw new Error("a hand-off that was started has a run")
    await until(room, next.id, isOver)
    expect(packsOf(await said(room, next.id, "user"))).toEqual([false])
  })
})
