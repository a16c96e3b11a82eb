import { PassThrough } from "node:stream"
import { expect, test } from "vitest"
import { createFrames } from "./frames.ts"
import { LARGEST_FRAME_BYTES } from "./limits.ts"

const PING = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`

function opened() {
  const input = new PassThrough()
  const written: unknown[] = []
  const heard: unknown[] = []
  let ends = 0
  const frames = createFrames({
    input,
    async write(frame) {
      written.push(JSON.parse(frame))
    },
    onEnd() {
      ends += 1
    },
  })
  frames.onmessage = (message) => void heard.push(message)
  const say = async (...chunks: readonly (string | Buffer)[]) => {
    for (const chunk of chunks) if (!input.write(chunk)) await drained(input)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { input, frames, written, heard, say, ends: () => ends }
}

async function drained(input: PassThrough): Promise<void> {
  await new Promise((resolve) => void input.once("drain", resolve))
}

const refusal = (code: number) => ({ jsonrpc: "2.0", id: null, error: { code } })

test("[MCP-11] an invalid frame gets an error, and the next frame is read", async () => {
  const wire = opened()
  await wire.frames.start()
  await wire.say("garbage\n", "[1,2]\n", '{"jsonrpc":"1.0","id":1}\n', "\n", "\r\n", PING)
  expect(wire.written).toMatchObject([refusal(-32_700), refusal(-32_600), refusal(-32_600)])
  expect(wire.heard).toMatchObject([{ id: 1, method: "ping" }])
})

test("[MCP-11] a message may arrive in several chunks, and several in one", async () => {
  const wire = opened()
  await wire.frames.start()
  const named = PING.replace("ping", "pïng")
  const bytes = Buffer.from(named.repeat(3))
  await wire.say(...Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)))
  await wire.say(bytes)
  expect(wire.heard).toHaveLength(6)
  expect(wire.heard.at(-1)).toMatchObject({ method: "pïng" })
})

test("[MCP-11] a frame above the limit is refused once, and the next frame is read", async () => {
  const wire = opened()
  await wire.frames.start()
  const piece = Buffer.alloc(1_000_000, "x")
  await wire.say(...Array.from({ length: 25 }, () => piece), "\n", PING)
  expect(wire.written).toMatchObject([refusal(-32_600)])
  expect(JSON.stringify(wire.written)).toContain("the limit is 10,000,000 bytes")
  expect(wire.heard).toHaveLength(1)
})

test("[MCP-11] a frame of exactly the limit is read", async () => {
  const wire = opened()
  await wire.frames.start()
  const head = '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"note":"'
  const fill = "x".repeat(LARGEST_FRAME_BYTES - head.length - 3)
  await wire.say(`${head}${fill}"}}\n`, `${head}${fill}x"}}\n`)
  expect([wire.heard.length, wire.written.length]).toEqual([1, 1])
})

test("[MCP-12] onEnd is called once at the end of input, and no frame is read after close", async () => {
  const wire = opened()
  await wire.frames.start()
  wire.input.end()
  await new Promise((resolve) => void wire.input.once("close", resolve))
  expect(wire.ends()).toBe(1)
  const other = opened()
  await other.frames.start()
  await other.frames.close?.()
  await other.say(PING)
  expect(other.heard).toEqual([])
})

test("[MCP-12] onEnd is called if the input ended before we listened", async () => {
  const wire = opened()
  wire.input.destroy()
  await wire.frames.start()
  expect(wire.ends()).toBe(1)
})

test("[MCP-12] answered() resolves when no open request is left", async () => {
  const wire = opened()
  await wire.frames.start()
  await wire.frames.answered()
  const ask = (id: number, method: string) => `${JSON.stringify({ jsonrpc: "2.0", id, method })}\n`
  const takeBack = { method: "notifications/cancelled", params: { requestId: 3 } }
  await wire.say(ask(1, "subscriptions/listen"), ask(2, "ping"), ask(3, "ping"))
  let isOver = false
  const over = wire.frames.answered().then(() => {
    isOver = true
  })
  await wire.say(`${JSON.stringify({ jsonrpc: "2.0", ...takeBack })}\n`)
  expect(isOver).toBe(false)
  await wire.frames.send({ jsonrpc: "2.0", id: 2, result: {} })
  await over
})
