import { describe, expect, test } from "vitest"
import { ask, named, user } from "./bodies.fixture.ts"
import { createReader, handedOver } from "./reader.ts"

const HELLO = { messages: [user("hello")] }

describe("the reading thread", () => {
  test("many concurrent requests each get their own result, and new items follow the order", async () => {
    await using reader = createReader()
    const said = ["a", "b", "c"].map((_, at, all) => user(...all.slice(0, at + 1)))
    const headers = [["session-id", "s1"]] as const
    const answers = await Promise.all(
      said.map((it) => reader.read(ask({ input: [it] }, { wire: "openai", headers }))),
    )
    expect(answers.map((it) => ("problem" in it ? it : [it.session, it.added.length]))).toEqual([
      ["s1", 2],
      ["s1", 1],
      ["s1", 1],
    ])
  })

  test("a response in chunks that are slices of larger buffers arrives complete", async () => {
    await using reader = createReader()
    const words = Buffer.from('xx{"usage":{"input_tokens":5,"output_tokens":6}}xx')
    const body = [words.subarray(2, 20), words.subarray(20, words.length - 2)]
    const read = await reader.read(ask(HELLO, { answer: { headers: [], body, isWhole: true } }))
    expect(read).toMatchObject({ usage: { input: 5, output: 6 } })
  })

  test("when the queue is full the next request is refused immediately; one is always accepted", async () => {
    await using reader = createReader({ mostWaitingBytes: 10 })
    const [first, second] = await Promise.all([reader.read(ask(HELLO)), reader.read(ask(HELLO))])
    expect(first).toMatchObject({ route: "messages" })
    expect(second).toEqual({ problem: "the recorder is too busy" })
    expect(await reader.read(ask(HELLO))).toMatchObject({ route: "messages" })
  })

  test("a body over the size limit is not read", async () => {
    await using reader = createReader()
    const body = new Uint8Array(64 * 1024 * 1024 + 1)
    expect(await reader.read(ask(body))).toEqual({
      problem: "a body of 67108865 bytes is too large to read",
    })
  })

  test("a thread that dies fails only the request it was reading", async () => {
    await using reader = createReader({ heapMb: 48 })
    const body = Buffer.from(`{"messages":[${'{"role":"user"},'.repeat(2_000_000)}{}]}`)
    expect(await reader.read(ask(body))).toEqual({ problem: expect.stringContaining("memory") })
    expect(await reader.read(ask(HELLO))).toMatchObject({ route: "messages" })
  })

  test("a request that cannot be transferred is a problem, not an exception", async () => {
    await using reader = createReader()
    const folded = [{ branchId: "b", bytes: 1, removed: [() => {}] }]
    expect(await reader.read(ask(HELLO, { folded }))).toEqual({
      problem: expect.stringContaining("could not be passed to the reader"),
    })
  })

  test("after close, pending and new requests get an error that says so", async () => {
    const reader = createReader()
    const waiting = [reader.read(ask(HELLO)), reader.read(ask(HELLO))]
    await reader.close()
    const problems = [...(await Promise.all(waiting)), await reader.read(ask(HELLO))]
    expect(problems.map((it) => "problem" in it)).toEqual([true, true, true])
  })
})

test("[GATE-55] credentials stay on this side: the thread gets five headers", () => {
  const headers = [
    ["X-Api-Key", "canary-key"],
    ["Authorization", "Bearer canary-token"],
    ["Session-Id", "s1"],
  ] as const
  const answer = { headers: [["set-cookie", "canary-cookie"]] as const, body: [], isWhole: true }
  const heard = handedOver(ask(HELLO, { headers, answer }))
  expect(heard.headers).toEqual([["Session-Id", "s1"]])
  expect(JSON.stringify(heard)).not.toContain("canary")
})

test("the thread reads exactly the bytes that were sent", async () => {
  await using reader = createReader()
  const read = await reader.read(ask(HELLO))
  expect("problem" in read ? read : named(read.items)).toEqual(["other settings", "user user"])
})
