import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { foldReceipt } from "#choose/fold"
import { fcParameters } from "#test/seed"
import { foldBody, LEAST_FOLDED_BYTES, wireStateOf } from "./fold-body.ts"
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
import { itemViolations } from "./items.ts"
import { KEY, type Server } from "./story.fixture.ts"
import { newViolation } from "./validity.ts"

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
  test("[GATE-32] the result of the branch becomes the result of its return, and the work between is removed", () => {
    const done = message("assistant", "done")
    expect(sent([GO, ...OPEN, ...READ, message("assistant", "hm"), ...CLOSE, done])).toEqual([
      GO,
      OPEN[0],
      OPEN[1],
      FOLDED,
      done,
    ])
  })

  test("[GATE-32] messages to the model inside a branch stay unchanged", () => {
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

  test("[GATE-32] calls beside the branch stay; results of calls beside the return stay as a text", () => {
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

  test("[GATE-32] the user's answers stay, and tools loaded inside are named", () => {
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

  test("[GATE-26] a result without a receipt, such as that of a failed return, folds nothing", () => {
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
    ["it contains an unknown item", [GO, ...OPEN, { type: "compaction" }, ...READ, ...CLOSE]],
    ["it contains an unknown item", [GO, ...OPEN, message("tool", ""), ...READ, ...CLOSE]],
    ["two calls have the same id", [GO, ...OPEN, ...READ, ...READ, ...CLOSE]],
    ["two calls have the same id", [...READ, ...OPEN, ...READ, ...CLOSE]],
    ["two calls have the same id", [call("c1", "branch"), ...OPEN, ...READ, ...CLOSE]],
    ["it contains the result of an earlier call", late],
    ["it contains a call without a result", open],
    ["it contains a call without a result", [...open, message("user", ""), output("l", "")]],
    ["there is too little to fold", [GO, ...OPEN, ...CLOSE]],
  ])("[GATE-27] a list of items is sent unchanged when %s", (why, items) => {
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

  test("[GATE-27] a conversation that the provider stores in part is sent unchanged", () => {
    const why = "the provider stores a part of the conversation"
    expect(whyWhole(STORY, { previous_response_id: "x" })).toBe(why)
    expect(whyWhole(STORY, { conversation: "x" })).toBe(why)
    expect(whyWhole(STORY, { previous_response_id: null })).toBeUndefined()
  })

  test("an open branch is reported with the bytes since its opening", () => {
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

type Step = {
  readonly opens: number
  readonly closes: readonly number[]
  readonly works: boolean
  readonly strange: "none" | "item" | "role" | "call again" | "answer again" | "unanswered"
}

type ItemStory = {
  readonly items: Item[]
  readonly server: Server
  readonly opened: string[]
  /** Branches whose return was reported as folded. */
  readonly receipts: string[]
}

/** One turn of a model that opens and closes branches at will, and does some work. */
function itemsOf(telling: ItemStory, step: Step, number: number): readonly Item[] {
  const known = [...telling.opened]
  const calls: Item[] = []
  const outputs: Item[] = []
  for (let place = 0; place < step.opens; place++) {
    const branchId = `br_${telling.opened.length.toString(16).padStart(32, "0")}`
    telling.opened.push(branchId)
    calls.push(call(`b${number}-${place}`, "branch"))
    outputs.push(opened(`b${number}-${place}`, branchId))
  }
  const eligible = step.closes.length === 0 ? [] : eligibleIn(telling)
  for (const [place, of] of step.closes.entries()) {
    const branchId = known[of]
    if (branchId === undefined) continue
    const id = `e${number}-${place}`
    calls.push(call(id, "return", { branch_id: branchId }))
    const gives = eligible === "all" || eligible.includes(branchId)
    if (gives) telling.receipts.push(branchId)
    outputs.push(gives ? returned(id, branchId) : output(id, `end of ${branchId}`))
  }
  if (step.works) calls.push(call(`w${number}`, "shell"))
  if (step.works) outputs.push(output(`w${number}`, LONG))
  if (calls.length === 0)
    return [message("assistant", `said ${number}`), message("user", `typed ${number}`)]
  return [reasoning(`r${number}`), ...calls, ...outputs]
}

/** Whose return gets a receipt: for an honest server, the branches that can be folded. */
function eligibleIn({ items, server }: ItemStory): readonly string[] | "all" {
  if (server === "careless") return "all"
  const { branches } = wireStateOf(bodyOf(items), OPENAI)
  return branches.filter((it) => it.bytesAfter >= LEAST_FOLDED_BYTES).map((it) => it.branchId)
}

function strangeItems(
  { items }: ItemStory,
  kind: Step["strange"],
  number: number,
): readonly Item[] {
  const calls = items.filter((it) => it.type === "function_call")
  // Of the newest call or an older one, including our own.
  const id = String(calls.at(-1 - (number % 3))?.call_id ?? calls.at(-1)?.call_id)
  switch (kind) {
    case "none":
      return []
    case "item":
      return [{ type: "strange", number }]
    case "role":
      return [message("strange", `${number}`)]
    case "call again":
      return [call(id, "branch"), output(id, "again")]
    case "answer again":
      return [output(id, "again")]
    case "unanswered":
      return [call(`u${number}`, "shell")]
    default:
      return kind satisfies never
  }
}

const step: fc.Arbitrary<Step> = fc.record({
  opens: fc.constantFrom(0, 0, 1, 2),
  closes: fc.uniqueArray(fc.nat({ max: 4 }), { maxLength: 2 }),
  works: fc.boolean(),
  strange: fc.oneof(
    { weight: 8, arbitrary: fc.constant("none" as const) },
    {
      weight: 3,
      arbitrary: fc.constantFrom("item", "role", "call again", "answer again", "unanswered"),
    },
  ),
})
const OPENING: Step = { opens: 1, closes: [], works: true, strange: "none" }

function everyStory(
  server: Server,
  check: () => (telling: ItemStory, madeBy: string | undefined) => void,
): void {
  fc.assert(
    fc.property(fc.array(step, { minLength: 3, maxLength: 10 }), (told) => {
      const telling = { items: [message("user", "go")], server, opened: [], receipts: [] }
      const show = check()
      for (const [number, it] of [OPENING, ...told].entries()) {
        show(telling, `r${number}`)
        telling.items.push(...itemsOf(telling, it, number))
        if (it.strange !== "none") show(telling, undefined)
        telling.items.push(...strangeItems(telling, it.strange, number))
      }
      show(telling, undefined)
    }),
    fcParameters({ numRuns: 200, nightRuns: 1_000 }),
  )
}

test("[GATE-21] on the Responses wire, each model item follows exactly the items it was generated from", () => {
  everyStory("careless", () => {
    const madeFrom = new Map<unknown, string>()
    return ({ items }, madeBy) => {
      const wire = sent(items)
      expect(newViolation(itemViolations(items), itemViolations(wire))).toBeUndefined()
      for (const [place, item] of wire.entries()) {
        if (item.type !== "reasoning") continue
        expect(JSON.stringify(wire.slice(0, place))).toBe(madeFrom.get(item.id))
      }
      if (madeBy !== undefined) madeFrom.set(madeBy, JSON.stringify(wire))
    }
  })
})

test("[GATE-23] on the Responses wire, a branch reported as folded stays folded", () => {
  everyStory("honest", () => ({ items, receipts }) => {
    const outcome = foldBody(bodyOf(items), OPENAI)
    const folded = outcome.kind === "folded" ? outcome.branches.map((it) => it.branchId) : []
    expect(folded.toSorted()).toEqual(receipts.toSorted())
  })
})
