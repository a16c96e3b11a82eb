import { zstdCompressSync } from "node:zlib"
import { describe, expect, test } from "vitest"
import { MOST_REQUESTS } from "../limits.ts"
import { anthropic } from "./anthropic.ts"
import { type Answer, type Dialect, LARGEST_REQUEST_BYTES, startModel } from "./model.ts"
import { responses } from "./responses.ts"

const SAY: Answer = { kind: "say", text: "Done." }

function eventsIn(text: string): readonly Record<string, unknown>[] {
  return [...text.matchAll(/^data: (.*)$/gm)].map((it) => JSON.parse(it[1] ?? ""))
}

async function ask(
  dialect: Dialect,
  asked: { path: string; body: string | Buffer; said?: Answer },
) {
  await using model = await startModel(dialect, () => asked.said ?? SAY)
  const response = await fetch(`${model.url}${asked.path}`, { method: "POST", body: asked.body })
  return { status: response.status, text: await response.text(), asked: model.asked }
}

describe("the scripted model", () => {
  const messages = JSON.stringify({
    messages: [{ role: "user" }, { role: "assistant" }, { role: "user" }],
  })

  test("streams text and tool calls in the format of the Messages API", async () => {
    const words = eventsIn((await ask(anthropic, { path: "/v1/messages", body: messages })).text)
    expect(words.map((it) => it["type"])).toEqual([
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ])
    expect(words[2]).toMatchObject({ delta: { type: "text_delta", text: "Done." } })
    const said: Answer = { kind: "call", name: "Write", input: { file_path: "/x" } }
    const call = eventsIn(
      (await ask(anthropic, { path: "/v1/messages", body: messages, said })).text,
    )
    expect(call[1]).toMatchObject({ content_block: { type: "tool_use", name: "Write" } })
    expect(call[2]).toMatchObject({ delta: { partial_json: `{"file_path":"/x"}` } })
    expect(call[4]).toMatchObject({ delta: { stop_reason: "tool_use" } })
  })

  test("streams text and both kinds of tool calls in the format of the Responses API", async () => {
    const body = JSON.stringify({ input: [{ type: "message" }] })
    const path = "/v1/responses"
    const itemsOf = async (said: Answer) =>
      eventsIn((await ask(responses, { path, body, said })).text)[2]?.["item"]
    expect(await itemsOf(SAY)).toMatchObject({ type: "message", content: [{ text: "Done." }] })
    expect(
      await itemsOf({ kind: "call", namespace: "n", name: "f", input: { a: 1 } }),
    ).toMatchObject({
      type: "function_call",
      namespace: "n",
      arguments: `{"a":1}`,
    })
    expect(await itemsOf({ kind: "text-call", name: "apply_patch", text: "*** x" })).toMatchObject({
      type: "custom_tool_call",
      input: "*** x",
    })
  })

  test("counts the turns that a host has already worked on", () => {
    expect(anthropic.read(JSON.parse(messages), "")?.turn).toBe(1)
    const input = [{ type: "function_call_output" }, { type: "custom_tool_call_output" }, {}]
    expect(responses.read({ input }, "")?.turn).toBe(2)
  })

  test("answers only its own wire format and stores no other requests", async () => {
    for (const wrong of [
      { path: "/v1/models", body: messages },
      { path: "/v1/messages", body: "no JSON" },
      { path: "/v1/messages", body: `{"messages":3}` },
    ]) {
      expect(await ask(anthropic, wrong)).toMatchObject({ status: 404, asked: [] })
    }
  })

  test("reads compressed requests up to its size limit", async () => {
    await using model = await startModel(responses, () => SAY)
    const send = (text: string) =>
      fetch(`${model.url}/responses`, {
        method: "POST",
        headers: { "content-encoding": "zstd" },
        body: zstdCompressSync(text),
      }).then(
        (it) => it.status,
        () => "hung up",
      )
    expect(await send(JSON.stringify({ input: [] }))).toBe(200)
    expect(await send(" ".repeat(LARGEST_REQUEST_BYTES + 1))).toBe("hung up")
    expect(model.asked).toEqual([`{"input":[]}`])
  })

  test("stops answering a host that never ends", async () => {
    await using model = await startModel(responses, () => SAY)
    const body = JSON.stringify({ input: [] })
    for (let i = 0; i < MOST_REQUESTS; i++) {
      const response = await fetch(`${model.url}/responses`, { method: "POST", body })
      await response.text()
    }
    const last = await fetch(`${model.url}/responses`, { method: "POST", body })
    expect([last.status, model.asked.length]).toEqual([404, MOST_REQUESTS])
  })

  test("listens on 127.0.0.1 only, and stops listening when disposed", async () => {
    const model = await startModel(responses, () => SAY)
    expect(model.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    await model[Symbol.asyncDispose]()
    await expect(fetch(model.url)).rejects.toThrow("fetch failed")
  })
})
