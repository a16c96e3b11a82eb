import { describe, expect, test } from "vitest"
import { foldReceipt } from "#choose/fold"
import { foldBody, wireStateOf } from "./fold-body.ts"
import {
  bodyOf,
  call,
  type Item,
  LONG,
  message,
  OPENAI,
  opened,
  output,
  reasoning,
  returned,
  sent,
} from "./items.fixture.ts"
import { KEY } from "./story.fixture.ts"

const A = `br_${"a".repeat(32)}`
const B = `br_${"b".repeat(32)}`

const GO = message("user", "go")
const OPEN = [reasoning("r1"), call("c1", "branch"), opened("c1", A)]
const READ = [reasoning("r2"), call("c2", "shell"), output("c2", LONG)]
const CLOSE = [reasoning("r3"), call("c3", "return", { branch_id: A }), returned("c3", A)]
const FOLDED = { ...opened("c1", A), output: returned("c3", A).output }

function whyWhole(input: readonly Item[], more: Item = {}): string | null | undefined {
  const outcome = foldBody(bodyOf(input, more), OPENAI)
  return outcome.kind === "whole" ? outcome.why : undefined
}

const kept = (...texts: string[]) =>
  message(
    "user",
    ["Kept from the turns that were folded into the result above:", ...texts].join("\n\n"),
  )

describe("the Responses wire", () => {
  test("[GATE-32] the branch is answered by its return, and the work between has left", () => {
    const done = message("assistant", "done")
    expect(sent([GO, ...OPEN, ...READ, message("assistant", "hm"), ...CLOSE, done])).toEqual([
      GO,
      OPEN[0],
      OPEN[1],
      FOLDED,
      done,
    ])
  })

  test("[GATE-32] what was said to the model inside stays as it is", () => {
    const said = [
      message("user", "typed"),
      message("developer", "rule"),
      { role: "user", content: "hi" },
    ]
    expect(sent([GO, ...OPEN, ...READ, ...said, ...CLOSE])).toEqual([
      GO,
      OPEN[0],
      OPEN[1],
      FOLDED,
      ...said,
    ])
  })

  test("[GATE-32] calls beside the branch stay; answers of calls beside the return, as a text", () => {
    const open = [
      reasoning("r1"),
      call("c1", "branch"),
      call("d", "shell"),
      opened("c1", A),
      output("d", "1"),
    ]
    const close = [
      call("c3", "return", { branch_id: A }),
      call("e", "shell", { x: 1 }),
      returned("c3", A),
      output("e", "2"),
    ]
    const answer = '[answer of shell {"x":1}]\nWall time: 0.1 seconds\nOutput:\n2'
    expect(sent([GO, ...open, ...READ, ...close])).toEqual([
      GO,
      ...open.slice(0, 3),
      FOLDED,
      output("d", "1"),
      kept(answer),
    ])
  })

  test("[GATE-32] the user's answers stay, tools loaded inside are named", () => {
    const inside = [
      call("q", "request_user_input", { q: 1 }),
      output("q", "blue"),
      { type: "tool_search_call", call_id: "s" },
      { type: "tool_search_output", call_id: "s", tools: [{ name: "late" }] },
    ]
    const answer = '[answer of request_user_input {"q":1}]\nWall time: 0.1 seconds\nOutput:\nblue'
    const load = "[tools that were loaded inside: load them again before you call them] late"
    expect(sent([GO, ...OPEN, ...READ, ...inside, ...CLOSE]).at(-1)).toEqual(kept(answer, load))
  })

  test("[GATE-26] an answer without a receipt, as of a return that failed, folds nothing", () => {
    const failed = [call("f", "return", { branch_id: A }), output("f", "no such branch")]
    expect(whyWhole([GO, ...OPEN, ...READ, ...failed], { x: foldReceipt(KEY, B) })).toBe(null)
    const typed = message("user", foldReceipt(KEY, A))
    expect(whyWhole([GO, ...OPEN, ...READ, typed])).toBe(null)
    expect(sent([GO, ...OPEN, ...READ, ...failed, ...CLOSE])).toEqual([
      GO,
      OPEN[0],
      OPEN[1],
      FOLDED,
    ])
  })

  const STORY = [GO, ...OPEN, ...READ, ...CLOSE]
  const late = [call("l", "shell"), ...OPEN, ...READ, output("l", ""), ...CLOSE]
  const open = [GO, ...OPEN, call("l", "shell"), ...READ, ...CLOSE]
  test.each([
    ["an item in it is not known", [GO, ...OPEN, { type: "compaction" }, ...READ, ...CLOSE]],
    ["an item in it is not known", [GO, ...OPEN, message("tool", ""), ...READ, ...CLOSE]],
    ["two calls have the same id", [GO, ...OPEN, ...READ, ...READ, ...CLOSE]],
    ["two calls have the same id", [...READ, ...OPEN, ...READ, ...CLOSE]],
    ["two calls have the same id", [call("c1", "branch"), ...OPEN, ...READ, ...CLOSE]],
    ["an answer in it is of a call before it", late],
    ["a call in it has no answer", open],
    ["a call in it has no answer", [...open, message("user", ""), output("l", "")]],
    ["there is too little to fold", [GO, ...OPEN, ...CLOSE]],
  ])("[GATE-27] a list of items goes as it is when %s", (why, items) => {
    expect(whyWhole(items)).toBe(why)
  })

  test.each([
    ["an unknown item", { type: "new" }],
    ["an unknown role", message("tool", "")],
    ["a call by an id that was there", call("c1", "branch")],
    ["a second answer of the branch", opened("c1", B)],
    ["a second answer of the return", returned("c3", B)],
    ["a second answer of a call that left", output("c2", "again")],
    ["an answer of no call", output("nobody", "")],
    ["the late answer of a call before it", output("l", "late")],
    ["a call without an answer", call("z", "shell")],
  ])("[GATE-23] %s after a fold does not undo it", (_, strange) => {
    const told = [GO, call("l", "shell"), ...OPEN, ...READ, ...CLOSE]
    const wire = sent(told)
    expect(wire).toHaveLength(told.length - READ.length - CLOSE.length)
    expect(sent([...told, strange])).toEqual([...wire, strange])
    const later = [message("assistant", "ok"), message("user", "next"), strange, strange]
    expect(sent([...told, ...later])).toEqual([...wire, ...later])
  })

  test("[GATE-27] a conversation that the provider keeps in part goes as it is", () => {
    const why = "the provider keeps a part of the conversation"
    expect(whyWhole(STORY, { previous_response_id: "x" })).toBe(why)
    expect(whyWhole(STORY, { conversation: "x" })).toBe(why)
    expect(whyWhole(STORY, { previous_response_id: null })).toBeUndefined()
  })

  test("[GATE-31] an open branch is told with what was said since", () => {
    const state = wireStateOf(bodyOf([GO, ...OPEN, ...READ]), OPENAI)
    const bytesAfter = JSON.stringify(READ).length - 2 - (READ.length - 1)
    expect(state).toEqual({ branches: [{ branchId: A, bytesAfter }], doubt: null })
    expect(wireStateOf(bodyOf(STORY), OPENAI).branches).toEqual([])
    for (const strange of [{ type: "new" }, call("l", "shell"), call("c1", "shell")]) {
      const { branches, doubt } = wireStateOf(bodyOf([GO, ...OPEN, ...READ, strange]), OPENAI)
      expect({ branches, doubt }).toEqual({ branches: [], doubt: null })
    }
  })
})
