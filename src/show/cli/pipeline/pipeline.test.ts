import { expect, test } from "vitest"
import { PipelineEventBody, type PipelineRun } from "#ground/contract"
import { isFollowed } from "../cli.ts"
import { readTyped } from "../terminal/read-line.ts"
import { createScreen } from "../terminal/screen.ts"
import { eventLines } from "./lines.ts"

const screen = createScreen({ isColored: false, columns: 80 })
const HOSTILE = "a\nb\u001b[2J"
const run = { stages: [{ title: "Analyze query" }] } as unknown as PipelineRun
const linesOf = (body: unknown) =>
  eventLines({ seq: 1, at: 0, body: PipelineEventBody.parse(body) }, run, screen)

const step = {
  type: "substep",
  stage: 0,
  attempt: 1,
  key: "k",
  phase: "ended",
  activityId: "orch-kb-1",
  kind: "search",
  tool: "Knowledge Base Search",
  title: "arrival",
  outcome: "done",
  tokens: 3_400,
  durationMs: 200,
  usd: 0.01,
}
const at = { stage: 0, attempt: 1 }

test.each([
  [{ type: "stage_started", ...at, iteration: 0 }, "Analyze query"],
  [{ type: "stage_started", ...at, attempt: 2, iteration: 1 }, "Analyze query round 2, attempt 2"],
  [step, "  · Knowledge Base Search  arrival  3.4k tokens  200 ms  $0.01"],
  [
    { ...step, outcome: "failed", detail: "no answer in time", usd: null },
    "  ✗ Knowledge Base Search  arrival: no answer in time  3.4k tokens  200 ms",
  ],
  [{ type: "stage_output", ...at, output: {}, summary: HOSTILE }, /^ {2}✓ a/],
  [{ type: "validation_failed", ...at, problems: ["0.68"], feedback: "" }, "  ✗ 0.68"],
  [{ type: "repair_started", unit: 0, iteration: 1, feedback: "" }, /^ {2}repair 1/],
  [{ type: "skipped", by: "x", stage: 0, reason: "no source" }, "  – skipped: no source"],
  [{ type: "budget_warned", scope: "run", spentUsd: 2.4, budgetUsd: 3 }, "  $2.40 of $3.00 (run)"],
  [{ type: "error", stage: 0, code: "X", message: "No key." }, "  ✗ No key."],
])("[CLI-26] an event is one line: %j", (body, expected) => {
  const rows = linesOf(body)
  expect(rows).toHaveLength(1)
  expect(rows[0]).toMatch(expected)
  expect(rows[0]).not.toContain("\u001b")
})

test("[CLI-26] the start of a step and a resume print nothing, and `pipeline.run` is followed", () => {
  expect(linesOf({ ...step, phase: "started", outcome: undefined })).toEqual([])
  expect(linesOf({ type: "resumed", by: "a person" })).toEqual([])
  expect(isFollowed("pipeline.run")).toBe(true)
  expect(isFollowed("pipeline.list")).toBe(false)
})

/** Keys as a terminal sends them, chunk by chunk. */
async function typed(...chunks: readonly string[]) {
  const keys = [...chunks]
  const shown: string[] = []
  const text = await readTyped({
    readKey: async () => keys.shift(),
    signal: new AbortController().signal,
    echo: (it) => void shown.push(it),
    end: () => void shown.push("|"),
  })
  return { text, shown: shown.join("") }
}

test("[CLI-27] readTyped handles keys, erasing, pasted escapes and cancelling", async () => {
  expect(await typed("a", "b", "\u007f", "c", "\r")).toEqual({ text: "ac", shown: "ab\b \bc|" })
  expect((await typed("pasted\u001b[2J", "\n")).shown).not.toContain("\u001b")
  expect((await typed("\b", "\n")).text).toBe("")
  expect((await typed("half")).text).toBeUndefined()
})
