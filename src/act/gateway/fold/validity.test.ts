import { describe, expect, test } from "vitest"
import { itemViolations } from "./items.ts"
import { turnOf } from "./turns.ts"
import { newViolation, violationsOf } from "./validity.ts"

const text = (it: string, more = {}) => ({ type: "text", text: it, ...more })
const call = (id: string) => ({ type: "tool_use", id, name: "Read", input: {} })
const result = (id: string, content: unknown = "r") => ({
  type: "tool_result",
  tool_use_id: id,
  content,
})
const user = (...content: object[]) => ({ role: "user", content })
const assistant = (...content: object[]) => ({ role: "assistant", content })
const system = { role: "system", content: "s" }
const GO = user(text("go"))
const DONE = assistant(text("done"))
const marked = text("m", { cache_control: { type: "ephemeral" } })

function found(...messages: object[]): unknown {
  return violationsOf(messages.map(turnOf), new Set(["Read"]))
}

describe("faults that a provider refuses in messages", () => {
  test("[GATE-20] a plain conversation has no fault", () => {
    const image = { type: "image", source: {} }
    const loaded = result("a", [{ type: "tool_reference", tool_name: "Read" }])
    const asked = assistant({ type: "thinking", signature: "s" }, call("a"), call("b"))
    expect(found(GO, system, asked, user(loaded, result("b"), image), system, DONE, GO)).toEqual([])
  })

  test("[GATE-20] a system turn beside an unknown turn is not a fault", () => {
    const unknown = { role: "developer", content: "?" }
    expect(found(GO, system, unknown, system, DONE)).toEqual([])
  })

  test.each([
    ["the first message is not the user's", [DONE]],
    ["a system turn is in an invalid position", [GO, DONE, system]],
    ["a system turn is in an invalid position", [GO, system, GO]],
    ["a call has no result", [GO, assistant(call("a"))]],
    ["a call has no result", [GO, assistant(call("a"), call("b")), user(result("b"))]],
    ["a result has no call", [GO, DONE, user(result("a"))]],
    ["a call has two results", [GO, assistant(call("a")), user(result("a"), result("a"))]],
    ["a result follows a text", [GO, assistant(call("a")), user(text("t"), result("a"))]],
    ["a text is empty", [user(text(""))]],
    ["a message is empty", [GO, assistant(), GO]],
    ["a turn ends with thinking", [GO, assistant({ type: "thinking", signature: "s" }), GO]],
    ["there are too many cache markers", [user(marked, marked, marked, marked, marked)]],
    [
      "two calls have the same id",
      [GO, assistant(call("a")), user(result("a")), assistant(call("a")), user(result("a"))],
    ],
    [
      "a tool is named that does not exist",
      [GO, assistant(call("a")), user(result("a", [{ type: "tool_reference", tool_name: "X" }]))],
    ],
  ])("[GATE-20] %s", (violation, messages) => {
    expect(found(...messages)).toEqual([violation])
  })
})

describe("faults that a provider refuses in items", () => {
  const reasoning = { type: "reasoning" }
  const asked = (id: string) => ({ type: "function_call", call_id: id })
  const output = (id: string) => ({ type: "function_call_output", call_id: id })

  test("[GATE-20] a plain list of items has no fault", () => {
    expect(itemViolations([reasoning, asked("a"), asked("b"), output("b"), output("a")])).toEqual(
      [],
    )
  })

  test.each([
    ["a call has no result", [asked("a")]],
    ["a result has no call", [output("a")]],
    ["reasoning is not followed by its output", [reasoning, { role: "user" }]],
  ])("[GATE-20] %s", (violation, items) => {
    expect(itemViolations(items)).toEqual([violation])
  })
})

test("[GATE-20] a fault counts only if the original has fewer of its kind", () => {
  expect(newViolation(["a", "b"], ["b", "a"])).toBeUndefined()
  expect(newViolation(["a"], ["a", "a"])).toBe("a")
  expect(newViolation(["a"], ["b"])).toBe("b")
})
