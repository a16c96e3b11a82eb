import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Run } from "#ground/contract"
import { fcParameters } from "#test/seed"
import { widthOf } from "../terminal/layout.ts"
import { createScreen, type Screen } from "../terminal/screen.ts"
import { drawEnd, drawLine, drawLive, type LiveState } from "./draw.ts"
import type { Line, Mark } from "./fold.ts"
import { livePainter, plainPainter } from "./painter.ts"
import { fit, layOutProse } from "./prose.ts"

const plain = createScreen({ isColored: false, columns: 60 })
const colored = createScreen({ isColored: true, columns: 60 })
const clockText = () => "12:00:00"

const RUN: Run = {
  id: "run_1",
  type: "synthetic",
  title: "t",
  isTitleOwn: false,
  prompt: "t",
  status: "running",
  cwd: "/x",
  model: null,
  mode: "ask",
  sessionId: null,
  hostVersion: null,
  createdAt: 0,
  startedAt: 0,
  endedAt: null,
  updatedAt: 0,
  lastSeq: 0,
  turns: 1,
  error: null,
  cost: {
    usage: { input: 9_000, output: 200, cacheRead: 0, cacheWrite: 0 },
    reportedUsd: 0.05,
    computedUsd: null,
  },
  budgetUsd: null,
  budgetTokens: null,
  contextUsed: null,
  contextWindow: null,
  labels: [],
  workflow: "in progress",
  isArchived: false,
  origin: "started",
  startedBy: null,
  openApprovals: 0,
  queuedTurns: 0,
}
const LIVE: LiveState = {
  run: RUN,
  atWork: "npm test",
  writing: "",
  question: undefined,
  context: undefined,
  elapsedMs: 3_200,
}

/**
 * Hostile output of an agent: escapes, controls, invisible and bidirectional marks, lone
 * surrogates.
 */
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("\u001b[2J", "\u001b]52;c;eA==\u0007", "\u009b31m", "\r", "\b", "\u202e"),
      fc.constantFrom(
        "\u{e0041}",
        "\u200b",
        "\ud800",
        "\u2028",
        "\t",
        "```\n",
        "**x**",
        "`y`",
        "中文",
      ),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""))
const MARKS: readonly Mark[] = ["person", "agent", "done", "failed", "asks", "note", "warning"]
const line = fc.record({
  at: fc.constant(0),
  mark: fc.constantFrom(...MARKS),
  depth: fc.nat(20),
  text: hostile,
  tail: hostile,
  below: fc.array(hostile, { maxLength: 3 }),
  isProse: fc.boolean(),
})

const OWN_COLOR = /\u001b\[(?:0|1|2|31|32|33|38;5;\d+)m/g
const isSafe = (text: string): boolean => /^[\P{C}\n]*$/u.test(text.replace(OWN_COLOR, ""))
const cellsOf = (row: string): number => widthOf(row.replace(OWN_COLOR, ""))

describe("hostile agent output", () => {
  test("[S7] a line has no control sequence except our colours, and fits the width", () => {
    fc.assert(
      fc.property(line, fc.boolean(), (it: Line, isColored) => {
        const screen: Screen = isColored ? colored : plain
        for (const row of drawLine(it, screen, clockText)) {
          expect(isSafe(row) && !row.includes("\n")).toBe(true)
          expect(cellsOf(row)).toBeLessThanOrEqual(screen.width)
        }
      }),
      fcParameters({ numRuns: 500 }),
    )
  })

  test("[S7] rows drawn in place and the rows of a run's end have no control sequence except our colours", () => {
    fc.assert(
      fc.property(hostile, hostile, (a, b) => {
        const rows = drawLive({ ...LIVE, atWork: a, writing: b }, colored)
        const end = drawEnd({ ...RUN, status: "failed", error: a }, undefined, colored)
        for (const row of [...rows, ...end]) {
          expect(isSafe(row) && !row.includes("\n")).toBe(true)
          expect(cellsOf(row)).toBeLessThanOrEqual(colored.width)
        }
      }),
      fcParameters({ numRuns: 300 }),
    )
  })
})

test("[CLI-14] prose: headings, lists and code are styled, long words are broken, wide characters counted", () => {
  const text =
    "# Title\n\n- a list item that is too long for one row of it\n  1. `x`\n```ts\nconst a = 1\n```\nwwwwwwwwwwwwwwwwwwwwwwwwwwww\n中文中文中文中文中文中文"
  expect(layOutProse(text, 20, plain.paint).join("\n")).toMatchInlineSnapshot(`
    "Title

    - a list item that
      is too long for
      one row of it
      1. x
      const a = 1
    wwwwwwwwwwwwwwwwwwww
    wwwwwwww
    中文中文中文中文中文
    中文"
  `)
  expect(layOutProse("# T\n**b** `c`", 20, colored.paint)).toEqual([
    "\u001b[1mT\u001b[0m",
    "\u001b[1mb\u001b[0m \u001b[38;5;105mc\u001b[0m",
  ])
  expect([fit("short", 10), fit("much too long", 6)]).toEqual(["short", "much …"])
})

test("[CLI-15] the live row shows the current activity, duration, cost and context, or an open question instead", () => {
  const context = { used: 14_000, window: 200_000, kinds: [] }
  expect(drawLive({ ...LIVE, context }, plain)).toEqual([
    "npm test  3 s · $0.05 (scripted) · 14.0k of 200.0k tokens",
  ])
  expect(drawLive({ ...LIVE, atWork: undefined, elapsedMs: 200_000 }, plain)).toEqual([
    "works  3:20 min · $0.05 (scripted)",
  ])
  const writing = "one\ntwo\nthree\nfour\nfive\nsix\nseven"
  expect(drawLive({ ...LIVE, writing, question: "Allow? [y]es" }, plain)).toEqual([
    "  two",
    "  three",
    "  four",
    "  five",
    "  six",
    "  seven",
    "Allow? [y]es",
  ])
})

test("[CLI-14] the last rows show outcome, duration, cost and context window", () => {
  const ended: Run = {
    ...RUN,
    status: "completed",
    endedAt: 7_000,
    budgetUsd: 1,
    budgetTokens: 50_000,
  }
  const kinds = [{ kind: "tools", tokens: 5_000 } as const]
  expect(
    drawEnd(ended, { used: 5_000, window: 10_000, kinds }, plain).join("\n"),
  ).toMatchInlineSnapshot(`
    "
    ✓ Completed after 7.0 s, 1 turn, $0.05 (scripted) of $1.00, 9.2k tokens of 50.0k
    Context 5.0k of 10.0k tokens, 50 %
    ▦▦▦▦▦▦▦▦▦▦▦▦▦▦▦▦▦▦▦▦▦▦▦························│········
    ▦ tools 5.0k   │ budget 10.0k
    Continue with: qm send run_1 "and the docs""
  `)
  const failed: Run = {
    ...ended,
    status: "failed",
    error: "It broke.\nBadly.",
    contextUsed: 1,
    contextWindow: 2,
  }
  expect(drawEnd(failed, undefined, plain).slice(1)).toMatchInlineSnapshot(`
    [
      "✗ Failed after 7.0 s, 1 turn, $0.05 (scripted) of $1.00, 9.2k tokens of 50.0k",
      "It broke.",
      "Context 1 of 2 tokens, 50 %",
      "Continue with: qm send run_1 "and the docs"",
    ]
  `)
})

/** A minimal terminal for the painter. */
function screenAfter(writes: readonly string[]): string[] {
  const rows = [""]
  let row = 0
  for (const token of writes.join("").matchAll(/\r|\n|\u001b\[(\d+)A|\u001b\[J|[^\r\n\u001b]+/g)) {
    const [text, up] = token
    if (text === "\r") continue
    if (text === "\n") row += 1
    else if (up !== undefined) row -= Number(up)
    else if (text === "\u001b[J") rows.splice(row, rows.length - row, "")
    else rows[row] = (rows[row] ?? "") + text
    rows[row] ??= ""
  }
  return rows
}

test("[CLI-15] rows in place are replaced; permanent rows are above them", () => {
  const writes: string[] = []
  const painter = livePainter((text) => void writes.push(text))
  painter.draw([], ["works"])
  painter.draw([], ["works"])
  expect(writes).toHaveLength(1)
  painter.draw(["first"], ["text", "more", "works"])
  painter.draw(["second", "third"], ["x"])
  expect(screenAfter(writes)).toEqual(["first", "second", "third", "x"])
  painter.draw(["end"], [])
  expect(screenAfter(writes)).toEqual(["first", "second", "third", "end", ""])
})

test("[CLI-15] without a terminal only lines are written", () => {
  const writes: string[] = []
  const painter = plainPainter((text) => void writes.push(text))
  painter.draw([], ["live"])
  painter.draw(["one", "two"], ["live"])
  expect(writes).toEqual(["one\ntwo\n"])
})
