import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib"
import { describe, expect, test } from "vitest"
import { events } from "./bodies.fixture.ts"
import { unpack } from "./read-request.ts"
import { usageOf } from "./usage.ts"

const START = {
  type: "message_start",
  message: {
    usage: {
      input_tokens: 3,
      cache_read_input_tokens: 11_804,
      cache_creation_input_tokens: 180,
      output_tokens: 1,
    },
  },
}
const WORD = { type: "content_block_delta", delta: { type: "text_delta", text: '"usage": 99' } }
const END = {
  type: "message_delta",
  delta: { stop_reason: "end_turn" },
  usage: { output_tokens: 57, input_tokens: 0 },
}
const EXACT = { input: 3, output: 57, cacheRead: 11_804, cacheWrite: 180 }

const RESPONSES = {
  status: "completed",
  usage: { input_tokens: 200, input_tokens_details: { cached_tokens: 20 }, output_tokens: 40 },
}
const CHAT = {
  choices: [{ finish_reason: "stop" }],
  usage: {
    prompt_tokens: 90,
    completion_tokens: 7,
    prompt_tokens_details: { cached_tokens: 30 },
  },
}
const GEMINI = {
  candidates: [{ finishReason: "STOP" }],
  usageMetadata: {
    promptTokenCount: 100,
    cachedContentTokenCount: 40,
    candidatesTokenCount: 5,
    thoughtsTokenCount: 6,
  },
}

describe("[GATE-50] usage of a response", () => {
  test.for([
    ["messages", events(START, WORD, END), EXACT, "end_turn"],
    [
      "messages",
      JSON.stringify({ ...START.message, stop_reason: "tool_use" }),
      { ...EXACT, output: 1 },
      "tool_use",
    ],
    [
      "responses",
      events({ type: "response.completed", response: RESPONSES }),
      { input: 180, output: 40, cacheRead: 20, cacheWrite: 0 },
      "completed",
    ],
    [
      "responses",
      JSON.stringify(RESPONSES),
      { input: 180, output: 40, cacheRead: 20, cacheWrite: 0 },
      "completed",
    ],
    [
      "chat",
      `${events({ choices: [] }, CHAT)}data: [DONE]\n\n`,
      { input: 60, output: 7, cacheRead: 30, cacheWrite: 0 },
      "stop",
    ],
    [
      "generate",
      events({ usageMetadata: { promptTokenCount: 100 } }, GEMINI),
      { input: 60, output: 11, cacheRead: 40, cacheWrite: 0 },
      "STOP",
    ],
    [
      "generate",
      JSON.stringify([{}, GEMINI]),
      { input: 60, output: 11, cacheRead: 40, cacheWrite: 0 },
      "STOP",
    ],
  ] as const)(
    "[GATE-50] usage of %s is the provider's own number (%#)",
    ([route, answer, usage, stopReason]) => {
      expect(usageOf(route, answer)).toEqual({ usage, stopReason })
    },
  )

  test("[GATE-50] a truncated stream gives the usage reported so far", () => {
    const stream = events(START, WORD, END)
    const cut = stream.slice(0, stream.indexOf("message_delta") + 5)
    expect(usageOf("messages", cut).usage).toEqual({ ...EXACT, output: 1 })
  })

  test.for([
    ["messages", ""],
    ["messages", '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'],
    ["messages", '{"usage":{"input_tokens":-1,"output_tokens":"2"}}'],
    ["responses", events({ type: "response.created", response: { usage: null } })],
    ["chat", "<html>bad gateway</html>"],
    ["generate", "{"],
    ["count", "[]"],
    ["count", '{"input_tokens":1234}'],
    ["count", '{"totalTokens":9}'],
    ["other", JSON.stringify(CHAT)],
  ] as const)("[GATE-50] %s without a usage number has none (%#)", ([route, answer]) => {
    expect(usageOf(route, answer).usage).toBeNull()
  })
})

describe("[GATE-50] compressed responses", () => {
  const words = Buffer.from(
    Array.from({ length: 3_000 }, (_, it) => (it * 7_919) % 10_007).join(" "),
  )
  const PACKED = {
    gzip: gzipSync(words),
    deflate: deflateSync(words),
    br: brotliCompressSync(words),
    zstd: zstdCompressSync(words),
    "gzip, br": brotliCompressSync(gzipSync(words)),
    identity: words,
    "": words,
  }
  test.for(Object.entries(PACKED))("[GATE-50] %s is decompressed", ([encoding, packed]) => {
    expect(unpack(packed, encoding, 1e6)?.toString()).toBe(words.toString())
  })

  test.for(["gzip", "deflate", "br"] as const)(
    "[GATE-50] a truncated %s body is decompressed as far as possible",
    (encoding) => {
      const packed = PACKED[encoding]
      const open = unpack(packed.subarray(0, packed.length - 6), encoding, 1e6)?.toString() ?? ""
      expect(words.toString().startsWith(open)).toBe(true)
      expect(open.length).toBeGreaterThan(0)
    },
  )

  test("[GATE-50] a body that would exceed the limit or has an unknown encoding is not decompressed", () => {
    expect(unpack(gzipSync(Buffer.alloc(100_000)), "gzip", 1_000)).toBeUndefined()
    expect(unpack(words, "gzip", 1e6)).toBeUndefined()
    expect(unpack(words, "compress", 1e6)).toBeUndefined()
    expect(unpack(words, "gzip,gzip,gzip,gzip", 1e6)).toBeUndefined()
  })
})
