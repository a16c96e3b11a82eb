import { describe, expect, test } from "vitest"
import {
  type Block,
  createBinding,
  createCache,
  type Message,
  type MessagesBody,
  mismatchesOf,
  signatureOf,
  violationsOf,
} from "./strict-wire.ts"

const user = (...content: readonly Block[]): Message => ({ role: "user", content })
const assistant = (...content: readonly Block[]): Message => ({ role: "assistant", content })
const text = (said: string, more: object = {}): Block => ({ type: "text", text: said, ...more })
const call = (id: string): Block => ({ type: "tool_use", id, name: "Read", input: {} })
const result = (id: string, content: unknown = "found"): Block => ({
  type: "tool_result",
  tool_use_id: id,
  content,
})
const system: Message = { role: "system", content: "Be kind." }
const MARK = { cache_control: { type: "ephemeral" } }

const body = (...messages: readonly Message[]): MessagesBody => ({ model: "m", messages })
const HELLO = user(text("hello"))

describe("rules of the strict model", () => {
  test("a valid conversation violates no rule", () => {
    const whole = body(HELLO, system, assistant(call("t1")), user(result("t1"), text("go on")))
    expect(violationsOf(whole)).toEqual([])
  })

  test.each<[string, MessagesBody]>([
    ["the first message is not the user's", body(assistant(text("hi")), HELLO)],
    ["the last message is the assistant's", body(HELLO, assistant(text("hi")))],
    ["messages.1: tool_use t1 without its tool_result", body(HELLO, assistant(call("t1")), HELLO)],
    ["messages.1: tool_result t1 is an orphan", body(HELLO, user(result("t1")))],
    [
      "messages.2: a tool_result after other content",
      body(HELLO, assistant(call("t1")), user(text("first"), result("t1"))),
    ],
    [
      "messages.1: role 'system' must precede an 'assistant' message or end the array",
      body(HELLO, system, HELLO),
    ],
    ["messages.0: a system turn that does not follow the user's", body(system, HELLO)],
    ["messages.0: an empty text", body(user(text(" ")))],
    [
      "messages.1: thinking is the last block",
      body(HELLO, assistant({ type: "thinking", signature: "s" }), HELLO),
    ],
    [
      "messages.1: unsigned thinking",
      body(HELLO, assistant({ type: "thinking" }, text("hi")), HELLO),
    ],
    [
      "messages.2: tool_reference to gone, which is not there",
      body(
        HELLO,
        assistant(call("t1")),
        user(result("t1", [{ type: "tool_reference", tool_name: "gone" }])),
      ),
    ],
    ["5 cache markers", body(user(...Array.from({ length: 5 }, () => text("x", MARK))))],
    [
      "tool_use t1 is there twice",
      body(
        HELLO,
        assistant(call("t1")),
        user(result("t1")),
        assistant(call("t1")),
        user(result("t1")),
      ),
    ],
  ])("the violation is reported: %s", (said, broken) => {
    expect(violationsOf(broken)).toContain(said)
  })
})

describe("thinking of the strict model", () => {
  const signed = (before: MessagesBody): Block => ({
    type: "thinking",
    thinking: "so",
    signature: signatureOf(createBinding(before).whole),
  })

  test("thinking is bound to everything before it, whatever the form of a system turn and the position of markers", () => {
    const turn = signed(body(user(text("hello", MARK)), { ...system, content: [text("Be kind.")] }))
    expect(mismatchesOf(body(HELLO, system, assistant(turn, text("hi")), HELLO))).toEqual([])
  })

  test("thinking of another conversation is detected", () => {
    const turn = signed(body(HELLO))
    const moved = body(user(text("good day")), assistant(turn, text("hi")), HELLO)
    expect(mismatchesOf(moved)).toEqual(["messages.1.content.0"])
  })
})

describe("cache of the strict model", () => {
  test("the cache returns the prefix up to a marker and counts the rest", async () => {
    const cache = await createCache()
    const first = cache.use(body(user(text("a long story", MARK))))
    expect([first.cacheRead, first.input]).toEqual([0, 0])
    const longer = body(user(text("a long story")), assistant(text("and")), user(text("so", MARK)))
    expect(cache.use(longer).cacheRead).toBe(first.cacheWrite)
    expect(cache.use(body(user(text("another story", MARK)))).cacheRead).toBe(0)
  })

  test("the cache looks back at most twenty blocks", async () => {
    const cache = await createCache()
    const marked = cache.use(body(user(text("a long story", MARK))))
    const after = (blocks: number): MessagesBody =>
      body(
        user(
          text("a long story"),
          ...Array.from({ length: blocks - 1 }, () => text("x")),
          text("y", MARK),
        ),
      )
    expect(cache.use(after(20)).cacheRead).toBe(0)
    expect(cache.use(after(19)).cacheRead).toBe(marked.cacheWrite)
  })
})
