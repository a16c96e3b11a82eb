import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Message } from "../../../contract.ts"
import { withSeed } from "../../../test-seed.ts"
import { aMessage, anEvent, ended, started } from "../run.fixture.ts"
import { activityFigures, activitySays, describeHostEvent, groupTitle } from "../words.ts"
import { submittedPlan } from "./activity.tsx"
import { type Entry } from "./entry.ts"
import { flatten, messagesIn, trailTo, withOpen } from "./flat.ts"
import { foldMessages } from "./rows.ts"
import { findIn } from "./use-transcript.ts"

const kinds = (entries: readonly Entry[]) => entries.map((it) => it.kind)
const oneOf = <Kind extends Entry["kind"]>(entries: readonly Entry[], kind: Kind) => {
  const entry = entries.find((it): it is Extract<Entry, { kind: Kind }> => it.kind === kind)
  if (entry === undefined) throw new Error(`no ${kind}`)
  return entry
}

describe("messages and entries", () => {
  it("[CONSOLE-30] start, updates and end of an activity are one entry", () => {
    const updated = anEvent(2, { event: "activity.updated", activityId: "a", output: "" }, "12 ok")
    const entries = foldMessages([started(1, "a"), updated, ended(3, "a", { tokens: 7 })])
    expect(entries).toHaveLength(1)
    expect(messagesIn(oneOf(entries, "activity")).map((it) => it.seq)).toEqual([1, 2, 3])
  })

  it("[CONSOLE-30] nested messages are collapsed under their parent with their count", () => {
    const inside = { parentId: "task", kind: "command" }
    const messages = [
      started(1, "task", { kind: "agent", title: "Find the callers" }),
      started(2, "x", inside),
      ended(3, "x"),
      started(4, "y", { ...inside, title: "npm test" }),
    ]
    const [task] = foldMessages(messages)
    if (task?.kind !== "activity") throw new Error("no activity")
    expect(flatten([task], new Set()).map((it) => it.key)).toEqual(["a:task"])
    expect(activitySays(task)).toEqual({ description: "running, 2 activities, now npm test" })
    const open = flatten([task], withOpen(new Set(), [task]))
    expect(open.map((it) => [it.key, it.depth])).toEqual([
      ["a:task", 0],
      ["a:x", 1],
      ["a:y", 1],
    ])
  })

  it("[CONSOLE-30] three reads in a row are one entry, and a command or a failure is its own entry", () => {
    const read = (seq: number, id: string, more = {}) => [
      started(seq, id, more),
      ended(seq + 1, id),
    ]
    const few = foldMessages([...read(1, "a"), ...read(3, "b")])
    expect(kinds(few)).toEqual(["activity", "activity"])
    const many = [
      ...read(1, "a"),
      anEvent(3, { event: "context.usage", used: 5, window: 10, kinds: [] }),
      ...read(4, "b", { kind: "search" }),
      ...read(6, "c"),
      ...read(8, "d", { kind: "command" }),
    ]
    const entries = foldMessages(many)
    expect(kinds(entries)).toEqual(["group", "activity"])
    expect(groupTitle(oneOf(entries, "group"))).toBe("2 reads, 1 search")
  })

  it("[CONSOLE-30] an approval and its answer are one entry at the top level, wherever it was requested", () => {
    const ask = {
      event: "approval.requested",
      approvalId: "ap",
      activityId: "x",
      tool: "Bash",
      title: "t",
      input: "",
    }
    const answer = {
      event: "approval.resolved",
      approvalId: "ap",
      decision: "allow",
      by: "console",
    }
    const entries = foldMessages([
      started(1, "task", { kind: "agent" }),
      started(2, "x", { parentId: "task", kind: "command" }),
      anEvent(3, ask),
      anEvent(4, answer),
    ])
    expect(kinds(entries)).toEqual(["activity", "approval"])
    expect(oneOf(entries, "approval").resolved?.event.by).toBe("console")
  })

  it("[CONSOLE-30] the final message of a turn is not shown twice", () => {
    const message = anEvent(1, { event: "message", type: "assistant", text: "" }, "Done.")
    const end = (content: string) =>
      anEvent(2, { event: "turn.ended", outcome: "completed", text: "", denials: 0 }, content)
    expect(oneOf(foldMessages([message, end("Done.")]), "turn").isRepeated).toBe(true)
    expect(oneOf(foldMessages([message, end("Else.")]), "turn").isRepeated).toBe(false)
  })

  it("[CONSOLE-30] an end without a start, an unknown kind and a message without an event are preserved", () => {
    const entries = foldMessages([
      ended(7, "gone", { outcome: "failed" }),
      anEvent(8, { event: "a.kind.of.tomorrow" }, "What is this"),
      aMessage(9, { type: "tool", content: "loose" }),
    ])
    expect(kinds(entries)).toEqual(["activity", "note", "note"])
  })

  it("[CONSOLE-30] session information of the host is shown in words, without unknown values", () => {
    const cost = {
      event: "cost",
      usage: { input: 1_200, output: 30, cacheRead: 0, cacheWrite: 0 },
      isTotal: true,
    }
    expect(describeHostEvent(anEvent(1, cost))).toBe("1.2k tokens in, 30 out")
    expect(
      describeHostEvent(
        anEvent(2, { event: "context.usage", used: 500, window: 200_000, kinds: [] }),
      ),
    ).toBe("500 of 200k in the window")
  })

  it("[CONSOLE-30] the search covers messages, tool inputs, results and diffs", () => {
    const messages = [
      aMessage(1, { type: "user", content: "Round the TARIFF" }),
      started(2, "a", { input: '{"file_path":"src/tariff.ts"}' }),
      ended(3, "a", { diff: "+tariff" }),
      aMessage(4, { content: "else" }),
    ]
    expect(findIn(messages, " tariff ")).toEqual([1, 2, 3])
    expect(findIn(messages, " ")).toEqual([])
  })

  it("[CONSOLE-30] every message is in exactly one entry, in order of sequence numbers", () => {
    fc.assert(
      fc.property(fc.array(anyMessage, { maxLength: 120 }), (made) => {
        const messages = made.map((make, i) => make(i + 1))
        const entries = foldMessages(messages)
        const held = entries.flatMap(messagesIn).map((it) => it.seq)
        expect(held.toSorted((a, b) => a - b)).toEqual(messages.map((it) => it.seq))
        const places = entries.map((it) => it.seq)
        expect(places).toEqual(places.toSorted((a, b) => a - b))
        const keys = flatten(entries, allOpen(entries)).map((it) => it.key)
        expect(new Set(keys).size).toBe(keys.length)
        for (const { seq } of messages) expect(trailTo(entries, seq)).not.toEqual([])
      }),
      withSeed(),
    )
  })
})

function allOpen(entries: readonly Entry[]): ReadonlySet<string> {
  const within = (it: Entry): readonly Entry[] => [
    it,
    ...("children" in it ? it.children.flatMap(within) : []),
  ]
  return withOpen(new Set(), entries.flatMap(within))
}

const id = fc.constantFrom("a", "b", "c", "d")
const kind = fc.constantFrom("read", "search", "command", "edit", "agent", "tomorrow")

const anyMessage: fc.Arbitrary<(seq: number) => Message> = fc.oneof(
  fc.tuple(id, kind, fc.option(id, { nil: undefined })).map(
    ([of, what, parentId]) =>
      (seq: number) =>
        started(seq, of, { kind: what, ...(parentId ? { parentId } : {}) }),
  ),
  fc.tuple(id, fc.constantFrom("done", "failed", "denied")).map(
    ([of, outcome]) =>
      (seq: number) =>
        ended(seq, of, { outcome }),
  ),
  id.map(
    (of) => (seq: number) =>
      anEvent(seq, { event: "activity.updated", activityId: of, output: "" }),
  ),
  id.map(
    (of) => (seq: number) =>
      anEvent(seq, {
        event: "approval.requested",
        approvalId: of,
        tool: "x",
        title: "x",
        input: "",
      }),
  ),
  id.map(
    (of) => (seq: number) =>
      anEvent(seq, { event: "approval.resolved", approvalId: of, decision: "deny", by: "x" }),
  ),
  fc.tuple(fc.constantFrom("assistant", "user", "system"), fc.option(id, { nil: undefined })).map(
    ([type, parentId]) =>
      (seq: number) =>
        anEvent(seq, { event: "message", type, text: "", ...(parentId ? { parentId } : {}) }),
  ),
  fc
    .constantFrom(
      "turn.started",
      "context.usage",
      "cost",
      "context.compacted",
      "error",
      "nobody.knows",
    )
    .map((event) => (seq: number) => anEvent(seq, { event })),
  fc
    .constantFrom("user", "assistant", "error", "context", "tool", "system", "response")
    .map((type) => (seq: number) => aMessage(seq, { type })),
)

describe("pipelines in a session", () => {
  const part = (seq: number, pipeline: object, content = "text"): Message => ({
    ...aMessage(seq),
    type: "system",
    role: "system",
    content,
    metadata: { pipeline: { id: "p-1", ...pipeline } },
  })
  const pauses = (entries: readonly Entry[]) =>
    entries.flatMap((it) => (it.kind === "pause" ? [[it.pause, it.isOver]] : []))

  it("[CONSOLE-104] a pause is open until it is answered, asked again or followed by the end", () => {
    const asked = part(1, { part: "pause", pause: "a" }, "Paused after Plan: Good?")
    expect(pauses(foldMessages([asked]))).toEqual([["a", false]])
    const answered = foldMessages([asked, part(2, { part: "answer", pause: "a" }, "Continued")])
    expect(pauses(answered)).toEqual([["a", true]])
    expect(messagesIn(oneOf(answered, "pause")).map((it) => it.seq)).toEqual([1, 2])
    const leaving = foldMessages([asked, part(2, { part: "pause", pause: "a" }, "Leave?")])
    expect(pauses(leaving)).toEqual([
      ["a", true],
      ["a", false],
    ])
    expect(pauses(foldMessages([asked, part(2, { part: "end", status: "stopped" })]))).toEqual([
      ["a", true],
    ])
  })

  it("[CONSOLE-104] a stage shows its summary, its steps and its cost", () => {
    const stage = started(1, "p-1/stage-1.1", { kind: "stage", title: "Plan" })
    const step = started(2, "p-1/orch-kb-1", { parentId: "p-1/stage-1.1", kind: "search" })
    const end = ended(4, "p-1/stage-1.1", { tokens: 1_200, usd: 0.25 })
    const [entry] = foldMessages([
      stage,
      step,
      ended(3, "p-1/orch-kb-1"),
      { ...end, content: "4 sub-queries" },
    ])
    if (entry?.kind !== "activity") throw new Error("no activity")
    expect(activitySays(entry).description).toBe("4 sub-queries, 1 activity")
    expect(activityFigures(entry).at(-1)).toBe("$0.25")
  })
})

describe("plans of agents", () => {
  const call = (tool: string, content: string, outcome: "done" | "failed" = "done") => {
    const end = { ...ended(2, "a", { outcome }), content }
    const [entry] = foldMessages([started(1, "a", { tool, kind: "mcp" }), end])
    if (entry?.kind !== "activity") throw new Error("no activity")
    return submittedPlan(entry)
  }
  it("[CONSOLE-103] the answer of submit_plan names the plan to approve", () => {
    const answer = '{"id":"retry-uploads-098ffd","title":"x"}'
    expect(call("mcp__qm__submit_plan", answer)).toBe("retry-uploads-098ffd")
    expect(call("submit_plan", '{"id": "../../etc"}')).toBeUndefined()
    expect(call("mcp__qm__plan_status", answer)).toBeUndefined()
    expect(call("mcp__qm__submit_plan", answer, "failed")).toBeUndefined()
  })
})
