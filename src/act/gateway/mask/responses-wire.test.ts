import { describe, expect, test } from "vitest"
import { readBody } from "./conversation.ts"
import { rebuildList } from "./rebuild.ts"

const message = (role: string, text: string) => ({
  type: "message",
  role,
  content: [{ type: role === "assistant" ? "output_text" : "input_text", text }],
})
const call = (id: string, name: string, more: object) => ({
  type: "function_call",
  call_id: id,
  name,
  ...more,
})
const output = (id: string, value: unknown) => ({
  type: "function_call_output",
  call_id: id,
  output: value,
})

const PICTURE = { type: "input_image", image_url: "data:," }

const INPUT = [
  message("developer", "Follow the rules."),
  { role: "user", content: "Fix the sums." },
  { type: "reasoning", id: "rs_1", encrypted_content: "sealed" },
  call("c1", "shell", { arguments: JSON.stringify({ command: "make" }) }),
  output("c1", "Exit code: 2\nno rule"),
  call("c2", "list", { namespace: "github", arguments: "{broken" }),
  output("c2", [{ type: "input_text", text: "one" }, PICTURE]),
  { ...call("c3", "patch", { input: "*** Begin" }), type: "custom_tool_call" },
  { ...output("c3", [{ type: "text", text: "Done" }]), type: "custom_tool_call_output" },
  output("lost", "the call of this result is not in the request"),
  message("assistant", "The sums are right."),
]

/** Blanks and the order of keys differ from JSON.stringify, so a rebuilt element would show. */
function requestOf(input: readonly unknown[], more: object = {}): Buffer {
  const items = input.map((it) => ` ${JSON.stringify(it).replaceAll('":', '" :')} `)
  const rest = JSON.stringify({ model: "m", tools: [{ type: "custom" }], ...more }).slice(1)
  return Buffer.from(`{"input":[${items.join(",")}],${rest}`)
}

function read(input: readonly unknown[], more?: object) {
  const body = readBody(requestOf(input, more), "openai")
  if (typeof body === "string") throw new Error(body)
  return body
}

describe("a conversation of the Responses wire", () => {
  test("[GATE-120] each result has the tool, input, text and turn of its call", () => {
    const { conversation } = read(INPUT)
    expect(conversation.results).toEqual([
      {
        callId: "c1",
        tool: "shell",
        input: { command: "make" },
        text: "Exit code: 2\nno rule",
        isError: true,
        isText: true,
        at: 4,
        turn: 1,
      },
      {
        callId: "c2",
        tool: "github__list",
        input: {},
        text: "one",
        isError: false,
        isText: false,
        at: 6,
        turn: 2,
      },
      {
        callId: "c3",
        tool: "patch",
        input: { input: "*** Begin" },
        text: "Done",
        isError: false,
        isText: true,
        at: 8,
        turn: 3,
      },
    ])
    expect(conversation.texts).toEqual([
      { at: 1, text: "Fix the sums." },
      { at: 10, text: "The sums are right." },
    ])
    expect([conversation.modelTurns, conversation.hasTools]).toEqual([4, true])
  })

  test("[GATE-121] a tool loop is open until the model answers without a call", () => {
    const states = [1, 2, 4, 5, 10, 11].map(
      (count) => read(INPUT.slice(0, count)).conversation.isBetweenTurns,
    )
    expect(states).toEqual([true, true, false, false, false, true])
    expect(read(INPUT, { tools: [] }).conversation.hasTools).toBe(false)
  })

  test("[GATE-122] a mask and removed reasoning leave every other byte of the request", () => {
    const { body, spans, conversation } = read(INPUT)
    const [reasoning] = conversation.thinking
    expect(conversation.thinking).toEqual([
      { key: expect.stringMatching(/^th_[0-9a-f]{32}$/), at: 2 },
    ])
    const changes = conversation.changesOf({
      masks: new Map([["c2", { text: "[Removed by qm]" }]]),
      thinking: new Set([reasoning?.key ?? ""]),
    })
    expect(conversation.pinBefore(9, changes)).toBe(changes)
    const items = spans.map(({ from, to }) => body.subarray(from, to).toString())
    items[6] = JSON.stringify(output("c2", "[Removed by qm]"))
    const expected = [
      body.subarray(0, spans[0]?.from),
      items.toSpliced(2, 1).join(","),
      body.subarray(spans.at(-1)?.to),
    ]
    expect(rebuildList(body, spans, changes).toString()).toBe(expected.join(""))
  })

  test("[GATE-123] a conversation that the provider stores is not changed", () => {
    for (const more of [{ previous_response_id: "resp_1" }, { conversation: "conv_1" }]) {
      expect(readBody(requestOf(INPUT, more), "openai")).toBe(
        "the provider stores a part of the conversation",
      )
    }
    expect(typeof readBody(requestOf(INPUT, { previous_response_id: null }), "openai")).toBe(
      "object",
    )
  })
})
