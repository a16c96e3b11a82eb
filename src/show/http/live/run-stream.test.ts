import { describe, expect, test } from "vitest"
import type { Message } from "#ground/contract"
import { sql } from "#ground/store"
import { type App, createApp } from "#show/app"
import { testClock } from "#test/clock"
import { connectLive, followRun, type RunReply, restOf } from "#test/run-client"
import { frame, neverReads, newServer, type ServerFixture } from "#test/server"
import { LIVE_STALLED_MS } from "./delivery.ts"
import { LIVE_PAGE_MESSAGES, MOST_FOLLOWED_RUNS } from "./run-stream.ts"

type Line = Readonly<Record<string, unknown>>

const script = (...steps: readonly Line[]) => steps.map((it) => JSON.stringify(it)).join("\n")
const said = (text: string, after = 0): Line => ({
  after,
  event: "message",
  type: "assistant",
  text,
})
const ended: Line = { event: "turn.ended", outcome: "completed", text: "done" }
const hour: Line = { ...ended, after: 3_600_000 }

/** This many messages, then the end. */
const talk = (count: number, last: Line = ended) =>
  script(...Array.from({ length: count }, (_, n) => said(`word ${n}`)), last)

async function follow(server: ServerFixture, agentId: string, options: { after?: number } = {}) {
  return followRun(server.serving().url, { token: await server.token(), agentId, ...options })
}

/** Sends one message and returns its acknowledgement. */
async function ask(server: ServerFixture, input: unknown, name = "subscribe"): Promise<RunReply> {
  const socket = connectLive(server.serving().url, { token: await server.token() })
  try {
    return (await socket.emitWithAck(name, input)) as RunReply
  } finally {
    socket.disconnect()
  }
}

const numbers = (messages: readonly Message[]) => messages.map((it) => it.seq)

describe("a client that follows a run", () => {
  test("[HTTP-13] a client gets every message after the given number, in order and once", async () => {
    await using server = await newServer()
    const rest = restOf(server)
    const count = LIVE_PAGE_MESSAGES * 2 + 7
    const id = await rest.start("x", { script: talk(count, hour) })
    using early = await follow(server, id)
    await early.until(() => early.messages.length >= count)
    using late = await follow(server, id, { after: 150 })
    await late.until(() => late.messages.length >= count - 150)

    await rest.ask("POST", `/api/agents/${id}/stop`)
    for (const it of [early, late]) await it.until(() => it.named("complete").length > 0)
    const stored = await rest.messages(id)
    expect(early.messages).toEqual(stored)
    expect(late.messages).toEqual(stored.slice(150))
    expect(numbers(stored)).toEqual(stored.map((_, index) => index + 1))
  })

  test("[HTTP-13] a reconnecting client resumes from its last number without a gap or a duplicate", async () => {
    await using server = await newServer()
    const rest = restOf(server)
    const steps = Array.from({ length: 400 }, (_, n) => said(`word ${n}`, 1))
    const id = await rest.start("x", { script: script(...steps, ended) })
    using steady = await follow(server, id)
    using restless = await follow(server, id)
    for (let times = 0; times < 20; times++) {
      const seen = restless.messages.length
      await restless.until(() => restless.messages.length > seen + 3 || isOver(restless))
      restless.socket.disconnect().connect()
    }
    await steady.until(() => isOver(steady))
    await restless.until(() => isOver(restless))
    const stored = await rest.messages(id)
    expect(restless.messages).toEqual(stored)
    expect(steady.messages).toEqual(stored)
    expect(restless.replies.length).toBeGreaterThan(10)
  })

  test("[HTTP-13] a client gets the messages before the run's new state", async () => {
    await using server = await newServer()
    const rest = restOf(server)
    const failing = { event: "turn.ended", outcome: "failed", error: "No more." }
    const id = await rest.start("x", { script: script(said("I try."), failing) })
    using client = await follow(server, id)
    const order: string[] = []
    client.socket.onAny((name: string) => order.push(name))
    await client.until(() => client.named("complete").length > 0)
    const { lastSeq, error } = await rest.show(id)
    expect(client.messages.at(-1)?.seq).toBe(lastSeq)
    // The turn's end may arrive before the run's; no message follows the last four.
    expect(order.slice(-4)).toEqual([
      "agent:status",
      "agent:updated",
      "agent:error",
      "agent:complete",
    ])
    const about = { agentId: id, timestamp: expect.any(Number) }
    expect(client.named("error").at(-1)?.body).toEqual({ ...about, error: { message: error } })
    expect(client.named("complete")).toEqual([
      { name: "agent:complete", body: { ...about, status: "failed" } },
    ])
  })

  test("[HTTP-13] a client gets all messages and the end of a run that has already ended", async () => {
    await using server = await newServer()
    const rest = restOf(server)
    const id = await rest.start("x", { script: talk(3) })
    const { lastSeq } = await rest.until(id, (it) => it.status === "completed")
    using client = await follow(server, id)
    await client.until(() => isOver(client))
    expect(client.replies).toEqual([
      { kind: "subscribed", agentId: id, lastSeq, status: "completed" },
    ])
    expect(client.messages).toEqual(await rest.messages(id))
  })

  test("[HTTP-13] with `brief`, long texts are truncated and have their length", async () => {
    await using server = await newServer()
    const rest = restOf(server)
    const id = await rest.start("x", { script: script(said("long ".repeat(2_000)), ended) })
    await rest.until(id, (it) => it.status === "completed")
    const { url } = server.serving()
    using client = followRun(url, { token: await server.token(), agentId: id, brief: true })
    await client.until(() => isOver(client))
    const cut = client.messages.find((it) => it.metadata["cut"] !== undefined)
    expect([cut?.content.length, cut?.metadata["cut"]]).toEqual([4_000, 10_000])
    expect(client.messages.filter((it) => it.raw !== undefined)).toEqual([])
  })

  test("[HTTP-13] a client is notified when its run is deleted, and of every new run", async () => {
    await using server = await newServer()
    const rest = restOf(server)
    const id = await rest.start("x", { script: talk(1, hour) })
    using client = await follow(server, id)
    await client.until(() => client.messages.some((it) => it.content === "word 0"))
    const other = await rest.start("y", { script: talk(1) })
    await client.until(() => client.named("created").length > 0)
    expect(client.named("created").at(-1)?.body).toMatchObject({
      agentId: other,
      run: { id: other, prompt: "y" },
    })
    await rest.ask("DELETE", `/api/agents/${id}`)
    await client.until(() => client.named("deleted").length > 0)
    expect(client.named("deleted")).toEqual([
      { name: "agent:deleted", body: { agentId: id, timestamp: expect.any(Number) } },
    ])
  })

  test("[HTTP-13] a client gets no more messages of a run after unsubscribe", async () => {
    await using server = await newServer()
    const rest = restOf(server)
    const id = await rest.start("x", { script: talk(2, hour) })
    using client = await follow(server, id)
    await client.until(() => client.messages.some((it) => it.content === "word 1"))
    const reply: unknown = await client.socket.emitWithAck("unsubscribe", { agentId: id })
    expect(reply).toEqual({ kind: "unsubscribed", agentId: id })
    const before = client.messages.length
    await rest.ask("POST", `/api/agents/${id}/stop`)
    // On the same socket, so that it is processed after the earlier messages.
    await client.socket.emitWithAck("unsubscribe", { agentId: id })
    expect([client.messages.length, client.named("complete")]).toEqual([before, []])
  })

  test("[HTTP-13] a client gets all messages of a run in another process", async () => {
    await using server = await newServer()
    await using elsewhere = await otherApp(server)
    const call = { signal: new AbortController().signal }
    const text = script(said("one"), said("two", 20), said("three", 20), hour)
    const agents = await elsewhere.agents()
    const configuration = { mode: "ask", script: text } as const
    const input = { type: "synthetic", prompt: "x", configuration } as const
    const run = await agents.start(input, { isHere: true })
    using client = await follow(server, run.id)
    await client.until(() => client.messages.some((it) => it.content === "three"))
    await elsewhere.call("agents.stop", { id: run.id }, call)
    await client.until(() => isOver(client))
    expect(client.messages).toEqual(await restOf(server).messages(run.id))
  })
})

describe("refused subscriptions", () => {
  test.each([
    [{ agentId: "" }],
    [{ agentId: 7 }],
    [{ agentId: "x".repeat(101) }],
    [{ agentId: "run_1", after: -1 }],
    [{ agentId: "run_1", after: 1.5 }],
    [{ agentId: "run_1", after: { epoch: "e", seq: 1 } }],
    [{ agentId: "run_1", brief: "yes" }],
    [{ agentId: "run_1", afer: 3 }],
  ])("[HTTP-13] %j is refused", async (input) => {
    await using server = await newServer()
    expect(await ask(server, input)).toEqual({
      kind: "refused",
      reason: "the subscription is malformed",
    })
    expect((await ask(server, input, "unsubscribe")).kind).toMatch(/refused|unsubscribed/)
  })

  test("[HTTP-13] an unknown run, and a number beyond its last message, are refused", async () => {
    await using server = await newServer()
    const rest = restOf(server)
    expect(await ask(server, { agentId: "run_none" })).toEqual({
      kind: "refused",
      reason: "unknown run",
    })
    const id = await rest.start("x", { script: talk(1) })
    const { lastSeq } = await rest.until(id, (it) => it.status === "completed")
    expect(await ask(server, { agentId: id, after: lastSeq + 1 })).toEqual({
      kind: "refused",
      reason: `the last message is ${lastSeq}; reload the run`,
    })
  })

  test("[HTTP-13] a run beyond the limit is refused; the others continue", async () => {
    await using server = await newServer()
    const rest = restOf(server)
    const socket = connectLive(server.serving().url, { token: await server.token() })
    const all = Array.from({ length: MOST_FOLLOWED_RUNS + 1 }, () =>
      rest.start("x", { script: talk(1) }),
    )
    const ids = await Promise.all(all)
    const kinds: string[] = []
    for (const agentId of ids) {
      const reply = (await socket.emitWithAck("subscribe", { agentId })) as RunReply
      kinds.push(reply.kind)
    }
    expect([kinds.indexOf("refused"), kinds.length]).toEqual([
      MOST_FOLLOWED_RUNS,
      MOST_FOLLOWED_RUNS + 1,
    ])
    const [first] = ids
    const again = (await socket.emitWithAck("subscribe", { agentId: first })) as RunReply
    expect(again.kind).toBe("subscribed")
    socket.disconnect()
  })
})

describe("text deltas", () => {
  test("[HTTP-14] a delta has the whole text so far, its end is sent, and other runs' clients get neither", async () => {
    await using server = await newServer()
    const rest = restOf(server)
    const delta = (text: string, after = 60): Line => ({ after, event: "text.delta", text })
    // The text begins when the client follows; a busy one may get few of its many parts.
    const gate = { activityId: "gate", kind: "command", tool: "Bash", title: "go", input: "{}" }
    const asks = { approvalId: "ask-gate", activityId: "gate", tool: "Bash", title: "go" }
    const steps = [
      { after: 0, event: "activity.started", ...gate },
      { after: 0, event: "approval.requested", ...asks, input: "{}" },
      { after: 0, event: "activity.ended", activityId: "gate", outcome: "done", output: "" },
      ...Array.from({ length: 30 }, (_, n) => delta(`${n} `)),
    ]
    const whole = Array.from({ length: 30 }, (_, n) => `${n} `).join("")
    const word = said(whole.trim(), 200)
    const id = await rest.start("x", { script: script(...steps, word, hour) })
    using client = await follow(server, id)
    const { openApprovals } = await rest.until(id, (it) => it.openApprovals > 0)
    expect(openApprovals).toBe(1)
    const { said: open } = await rest.ask("GET", `/api/agents/approvals?run=${id}`)
    const [approval] = (open as { approvals: readonly { id: string }[] }).approvals
    await rest.ask("POST", "/api/agents/answer", { id: approval?.id, decision: "allow" })
    using stranger = await follow(server, await rest.start("y", { script: talk(1, hour) }))
    await client.until(() => client.messages.some((it) => it.content === word["text"]))
    const texts = client.named("delta").map((it) => String(it.body["text"]))
    expect(texts.length).toBeGreaterThan(1)
    expect(texts.filter((it) => !whole.startsWith(it))).toEqual([])
    expect(texts.at(-1)).toBe("")
    expect(stranger.named("delta")).toEqual([])
    expect(client.messages.filter((it) => it.content === "0 1 ")).toEqual([])
  })
})

describe("a client that never reads", () => {
  test("[N2] a client that never reads a transcript of 40 MB is disconnected, while another client gets all of it", async () => {
    const clock = testClock()
    await using server = await newServer({ clock })
    const rest = restOf(server)
    const id = await rest.start("x", { script: talk(1) })
    const { lastSeq } = await rest.until(id, (it) => it.status === "completed")
    await addLongMessages(server, { id, from: lastSeq, count: 200 })
    const stalled = await neverReads(server.port, { token: await server.token(), after: null })
    const isCut = new Promise<void>((resolve) => stalled.on("close", () => resolve()))
    stalled.write(frame(`42${JSON.stringify(["subscribe", { agentId: id }])}`))
    using quick = await follow(server, id)
    await quick.until(() => quick.messages.length >= lastSeq + 200)
    expect(server.serving().live.clients()).toBe(2)

    // Its socket is full by now or in a moment; only the test clock advances.
    while (server.serving().live.clients() > 1) await clock.advance(LIVE_STALLED_MS)
    stalled.resume()
    await isCut
    expect([quick.socket.connected, numbers(quick.messages)]).toEqual([
      true,
      Array.from({ length: lastSeq + 200 }, (_, index) => index + 1),
    ])
  })
})

/** Longer than a script may be: each message has the maximum length. */
async function addLongMessages(
  server: ServerFixture,
  { id, from, count }: { readonly id: string; readonly from: number; readonly count: number },
): Promise<void> {
  const { db } = await server.store()
  const text = "long ".repeat(40_000)
  await db.transaction(async (tx) => {
    for (let seq = from + 1; seq <= from + count; seq++) {
      await tx.run(sql`INSERT INTO run_messages (run_id, seq, id, type, role, content, at, metadata)
        VALUES (${id}, ${seq}, ${`msg_${seq}`}, 'assistant', 'assistant', ${text}, 1, '{}')`)
    }
    await tx.run(sql`UPDATE runs SET last_seq = ${from + count} WHERE id = ${id}`)
  })
}

function isOver(client: { named(name: string): readonly unknown[] }): boolean {
  return client.named("complete").length > 0
}

/** Another process of the same user in the same folder, as far as the store can tell. */
function otherApp(server: ServerFixture): Promise<App> {
  return createApp({
    directory: server.directory,
    environment: { QM_HOME: server.home },
    settings: [],
    writeLog: () => {},
  })
}
