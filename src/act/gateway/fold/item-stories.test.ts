import fc from "fast-check"
import { expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { LEAST_FOLDED_BYTES } from "../limits.ts"
import { foldBody, wireStateOf } from "./fold-body.ts"
import { itemViolations } from "./item-calls.ts"
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
import type { Server } from "./story.fixture.ts"
import { newViolation } from "./validity.ts"

type Step = {
  readonly opens: number
  readonly closes: readonly number[]
  readonly works: boolean
  /** What comes after it, as a request of its own. */
  readonly strange: "none" | "item" | "role" | "call again" | "answer again" | "unanswered"
}

type Telling = {
  readonly items: Item[]
  readonly server: Server
  readonly opened: string[]
  /** Branches whose return was told that it is folded. */
  readonly receipts: string[]
}

/** One turn of a model that opens and closes branches at will, and does some work. */
function itemsOf(telling: Telling, step: Step, number: number): readonly Item[] {
  const known = [...telling.opened]
  const calls: Item[] = []
  const outputs: Item[] = []
  for (let place = 0; place < step.opens; place++) {
    const branchId = `br_${telling.opened.length.toString(16).padStart(32, "0")}`
    telling.opened.push(branchId)
    calls.push(call(`b${number}-${place}`, "branch"))
    outputs.push(opened(`b${number}-${place}`, branchId))
  }
  const carried = step.closes.length === 0 ? [] : carriedIn(telling)
  for (const [place, of] of step.closes.entries()) {
    const branchId = known[of]
    if (branchId === undefined) continue
    const id = `e${number}-${place}`
    calls.push(call(id, "return", { branch_id: branchId }))
    const gives = carried === "all" || carried.includes(branchId)
    if (gives) telling.receipts.push(branchId)
    outputs.push(gives ? returned(id, branchId) : output(id, `end of ${branchId}`))
  }
  if (step.works) calls.push(call(`w${number}`, "shell"))
  if (step.works) outputs.push(output(`w${number}`, LONG))
  if (calls.length === 0)
    return [message("assistant", `said ${number}`), message("user", `typed ${number}`)]
  return [reasoning(`r${number}`), ...calls, ...outputs]
}

/** Whose return gets a receipt: of an honest server, what the wire says can be folded. */
function carriedIn({ items, server }: Telling): readonly string[] | "all" {
  if (server === "careless") return "all"
  const { branches } = wireStateOf(bodyOf(items), OPENAI)
  return branches.filter((it) => it.bytesAfter >= LEAST_FOLDED_BYTES).map((it) => it.branchId)
}

function strangeItems({ items }: Telling, kind: Step["strange"], number: number): readonly Item[] {
  const calls = items.filter((it) => it.type === "function_call")
  // Of the newest call or an older one, our own among them.
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

/** Tells a story, and shows every request of it; `madeBy` is the turn that answers it. */
function everyStory(
  server: Server,
  check: () => (telling: Telling, madeBy: string | undefined) => void,
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

test("[GATE-21] on the Responses wire, too, the model's items stand after what they were made from", () => {
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

test("[GATE-23] on the Responses wire, too, what a return was told is folded stays folded", () => {
  everyStory("honest", () => ({ items, receipts }) => {
    const outcome = foldBody(bodyOf(items), OPENAI)
    const folded = outcome.kind === "folded" ? outcome.branches.map((it) => it.branchId) : []
    expect(folded.toSorted()).toEqual(receipts.toSorted())
  })
})
