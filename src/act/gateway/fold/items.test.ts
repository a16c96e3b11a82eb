import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { foldReceipt, openReceipt } from "#choose/fold"
import { fcParameters } from "#test/seed"
import { foldBody, wireStateOf } from "./fold-body.ts"
import { itemViolations } from "./item-calls.ts"
import { KEY } from "./story.fixture.ts"

const OPENAI = { wire: "openai", key: KEY } as const
const A = `br_${"a".repeat(32)}`
const B = `br_${"b".repeat(32)}`
const LONG = "x".repeat(3_000)

type Item = Record<string, unknown>

const call = (id: string, name: string, input = {}): Item => ({
  type: "function_call",
  namespace: "mcp__qm",
  name,
  arguments: JSON.stringify(input),
  call_id: id,
})
const output = (id: string, text: string): Item => ({
  type: "function_call_output",
  call_id: id,
  output: [
    { type: "input_text", text: "Wall time: 0.1 seconds\nOutput:" },
    { type: "input_text", text },
  ],
})
const message = (role: string, text: string): Item => ({
  type: "message",
  role,
  content: [{ type: "input_text", text }],
})
const reasoning = (id: string): Item => ({
  type: "reasoning",
  id,
  summary: [],
  encrypted_content: "e",
})
const opened = (id: string, branchId: string) => output(id, `open ${openReceipt(KEY, branchId)}`)
const returned = (id: string, branchId: string) => output(id, `end ${foldReceipt(KEY, branchId)}`)

const GO = message("user", "go")
const OPEN = [reasoning("r1"), call("c1", "branch"), opened("c1", A)]
const READ = [reasoning("r2"), call("c2", "shell"), output("c2", LONG)]
const CLOSE = [reasoning("r3"), call("c3", "return", { branch_id: A }), returned("c3", A)]
const FOLDED = { ...opened("c1", A), output: returned("c3", A).output }

function bodyOf(input: readonly Item[], more: Item = {}): Buffer {
  return Buffer.from(JSON.stringify({ model: "m", input, store: false, ...more }))
}

function sent(input: readonly Item[], more: Item = {}): readonly Item[] {
  const body = bodyOf(input, more)
  const outcome = foldBody(body, OPENAI)
  const read: { input: Item[] } = JSON.parse(
    (outcome.kind === "folded" ? outcome.body : body).toString(),
  )
  return read.input
}

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
  const open = [
    GO,
    ...OPEN,
    call("l", "shell"),
    ...READ,
    ...CLOSE,
    message("user", ""),
    output("l", ""),
  ]
  test.each([
    ["an item in it is not known", [GO, ...OPEN, { type: "compaction" }, ...READ, ...CLOSE]],
    ["two calls have the same id", [...STORY, call("c1", "x")]],
    ["an answer in it is of a call before it", late],
    ["a call in it was answered after it", open],
    ["there is too little to fold", [GO, ...OPEN, ...CLOSE]],
  ])("[GATE-27] a list of items goes as it is when %s", (why, items) => {
    expect(whyWhole(items)).toBe(why)
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
  })
})

type Step = { readonly opens: number; readonly closes: readonly number[]; readonly works: boolean }

/** One turn of a model that opens and closes branches at will, and does some work. */
function itemsOf(step: Step, number: number, opened_: string[]): readonly Item[] {
  const known = [...opened_]
  const calls: Item[] = []
  const outputs: Item[] = []
  for (let place = 0; place < step.opens; place++) {
    const branchId = `br_${opened_.length.toString(16).padStart(32, "0")}`
    opened_.push(branchId)
    calls.push(call(`b${number}-${place}`, "branch"))
    outputs.push(opened(`b${number}-${place}`, branchId))
  }
  for (const [place, of] of step.closes.entries()) {
    const branchId = known[of]
    if (branchId === undefined) continue
    calls.push(call(`e${number}-${place}`, "return", { branch_id: branchId }))
    outputs.push(returned(`e${number}-${place}`, branchId))
  }
  if (step.works) calls.push(call(`w${number}`, "shell"))
  if (step.works) outputs.push(output(`w${number}`, LONG))
  if (calls.length === 0)
    return [message("assistant", `said ${number}`), message("user", `typed ${number}`)]
  return [reasoning(`r${number}`), ...calls, ...outputs]
}

test("[GATE-21] on the Responses wire, too, the model's items stand after what they were made from", () => {
  const steps = fc.array(
    fc.record({
      opens: fc.constantFrom(0, 0, 1, 2),
      closes: fc.uniqueArray(fc.nat({ max: 4 }), { maxLength: 2 }),
      works: fc.boolean(),
    }),
    { minLength: 3, maxLength: 10 },
  )
  fc.assert(
    fc.property(steps, (told) => {
      const known: string[] = []
      const items: Item[] = [GO]
      const madeFrom = new Map<unknown, string>()
      for (const [number, step] of [{ opens: 1, closes: [], works: true }, ...told].entries()) {
        const wire = sent(items)
        expect(itemViolations(wire)).toEqual([])
        for (const [place, item] of wire.entries()) {
          if (item.type !== "reasoning") continue
          expect(JSON.stringify(wire.slice(0, place))).toBe(madeFrom.get(item.id))
        }
        madeFrom.set(`r${number}`, JSON.stringify(wire))
        items.push(...itemsOf(step, number, known))
      }
    }),
    fcParameters({ numRuns: 200 }),
  )
})
