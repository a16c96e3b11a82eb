import fc from "fast-check"
import { expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { foldBody } from "./fold-body.ts"
import {
  ANTHROPIC,
  type Answer,
  type Message,
  requestOf,
  type Server,
  steps,
  tell,
  type WireStory,
} from "./story.fixture.ts"
import { turnOf } from "./turns.ts"
import { newViolation, violationsOf } from "./validity.ts"

/** The request that a provider gets for each step of a story. */
function wireOf(story: WireStory) {
  return story.requests.map((length) => {
    const body = requestOf(story, length)
    const outcome = foldBody(body, ANTHROPIC)
    const sent = outcome.kind === "folded" ? outcome.body : body
    const { messages }: { messages: Message[] } = JSON.parse(sent.toString())
    const branches = outcome.kind === "folded" ? outcome.branches : []
    return { length, body, outcome, sent, messages, folded: branches.map((it) => it.branchId) }
  })
}

type WireMessage = ReturnType<typeof wireOf>[number]

/** As a provider compares it: cache markers and the two forms of a system turn do not matter. */
function normal(messages: readonly Message[]): string {
  const plain = messages.map((it) => {
    const [only, ...others] = Array.isArray(it.content) ? it.content : []
    const isOne = it.role === "system" && only !== undefined && others.length === 0
    return isOne ? { ...it, content: only.text } : it
  })
  return JSON.stringify(plain, (key, value: unknown) =>
    key === "cache_control" ? undefined : value,
  )
}

function everyStory(
  server: Server,
  check: (story: WireStory, wire: readonly WireMessage[]) => void,
): void {
  fc.assert(
    fc.property(steps, (told) => {
      const story = tell(told, server)
      check(story, wireOf(story))
    }),
    fcParameters({ numRuns: 120, nightRuns: 600 }),
  )
}

/** Faults that a story itself contains when it adds strange messages. */
const ARE_TOLD = new Set(["two calls have the same id", "a system turn is in an invalid position"])

test("[GATE-20] a folded request has no fault that a provider would refuse", () => {
  everyStory("careless", (_, wire) => {
    for (const { body, messages } of wire) {
      const read: { messages: Message[] } = JSON.parse(body.toString())
      const [before, after] = [read.messages, messages].map((it) =>
        violationsOf(it.map(turnOf), undefined),
      )
      expect(before?.filter((it) => !ARE_TOLD.has(it))).toEqual([])
      expect(newViolation(before ?? [], after ?? [])).toBeUndefined()
    }
  })
})

test("[GATE-21] each model turn follows exactly the turns it was generated from", () => {
  everyStory("careless", (story, wire) => {
    const madeFrom = new Map(
      wire.slice(0, -1).map((it) => [normal(story.messages.slice(it.length, it.length + 1)), it]),
    )
    for (const { messages } of wire) {
      for (const [place, message] of messages.entries()) {
        if (message.role !== "assistant") continue
        const made = madeFrom.get(normal([message]))
        expect(normal(messages.slice(0, place))).toBe(normal(made?.messages ?? []))
      }
    }
  })
})

test("[GATE-22] every pending result and all text of the user stays in the request", () => {
  everyStory("careless", (story, wire) => {
    for (const sent of wire) {
      const text = sent.sent.toString()
      const waited = story.answers.filter((it) => isWaitedFor(story, sent, it))
      const typed = story.typed.filter((it) => it.at < sent.length)
      const missing = [...waited, ...typed].filter((it) => !text.includes(it.mark))
      expect(missing).toEqual([])
    }
  })
})

/** By the story's own record: which regions were removed, and whose results are in them. */
function isWaitedFor(story: WireStory, { folded, length }: WireMessage, answer: Answer): boolean {
  if (answer.at >= length) return false
  const regions = folded.map((it) => regionOf(story, it))
  const isFolded = answer.tool === "branch" && folded.includes(answer.branchId ?? "")
  const around = regions.filter((it) => answer.at > it.start && answer.at <= it.end)
  if (around.length === 0) return !isFolded
  const outer = around.reduce((a, b) => (b.start < a.start || b.end > a.end ? b : a))
  const isBeside = answer.at === outer.end
  if (isBeside || answer.tool === "AskUserQuestion") return true
  const own = regionOf(story, answer.branchId ?? "")
  // Its result is in its branch's result: another try adds nothing.
  const isOtherTry = folded.includes(answer.branchId ?? "") && !isClosing(story, answer)
  return answer.tool === "return" && own.start <= outer.start && !isOtherTry
}

/** The first return with a receipt; another in the same message only repeats it. */
function isClosing(story: WireStory, { branchId, callId }: Answer): boolean {
  const { start } = regionOf(story, branchId ?? "")
  return story.receipts.find((it) => it.branchId === branchId && it.at > start)?.callId === callId
}

function regionOf(story: WireStory, branchId: string) {
  const isOpening = (it: Answer) => it.tool === "branch" && it.branchId === branchId
  const start = story.answers.find(isOpening)?.at ?? Number.POSITIVE_INFINITY
  const end = story.receipts.find((it) => it.branchId === branchId && it.at > start)?.at ?? start
  return { start, end }
}

test("[GATE-23] a branch reported as folded stays folded in every later request", () => {
  everyStory("honest", (story, wire) => {
    for (const { length, folded } of wire) {
      const told = story.receipts.filter((it) => it.at < length).map((it) => it.branchId)
      expect(folded.toSorted()).toEqual(told.toSorted())
    }
  })
})

test("everything before a branch's result keeps its bytes", () => {
  everyStory("careless", (story, wire) => {
    for (const { body, sent, folded, outcome } of wire) {
      if (outcome.kind !== "folded") continue
      const first = Math.min(...folded.map((it) => regionOf(story, it).start))
      const before = JSON.stringify(story.messages.slice(0, first)).slice(1, -1)
      const prefix = body.subarray(0, body.indexOf(before) + Buffer.byteLength(before))
      expect(body.indexOf(before)).toBeGreaterThan(0)
      expect(sent.subarray(0, prefix.length).equals(prefix)).toBe(true)
    }
  })
})
