import { describe, expect, it } from "vitest"
import { BRANCH_STATUSES, BranchEndReason } from "#ground/contract"
import { formatMinutes } from "../../base/format.ts"
import { ACTIVE, aBranch, aStep, NOW } from "./fold.fixture.ts"
import {
  describeCharges,
  describeDepth,
  describeKeptOut,
  describeModes,
  describeScope,
  describeSecrets,
  describeState,
  describeStep,
  filesOf,
  formatBudget,
  formatTime,
  formatUsed,
  lineAround,
  markOf,
  rowLine,
} from "./words.ts"

describe("texts of the page Folds", () => {
  it("every status has its own mark and every end its own label", () => {
    const marks = BRANCH_STATUSES.map((status) => markOf(aBranch("a", { status })))
    expect(new Set(marks).size).toBe(BRANCH_STATUSES.length)
    const words = BranchEndReason.options.map((endReason) =>
      describeState(aBranch("a", { status: "failed", endReason })),
    )
    expect(new Set(words).size).toBe(BranchEndReason.options.length)
    expect(describeState(aBranch("a", ACTIVE))).toBe("active")
    const exhausted = aBranch("a", { ...ACTIVE, isExhausted: true })
    expect(describeState(exhausted)).toBe("budget used up")
    expect(formatBudget(exhausted)).toBe("9,812 of 12,000 tokens, 81 %, budget used up")
    expect(describeState({ ...exhausted, budgetUsed: 12_400 })).toBe("over budget")
  })

  it("the parts of a used budget are named by who counted them", () => {
    const usage = { source: "usage", charges: 2, tokens: -312 } as const
    const parts = { charges: [...aBranch("a").charges, usage] }
    expect(describeCharges(aBranch("a", parts))).toBe(
      "9,812 by hooks of the host, -312 by the provider's count",
    )
    const own = { charges: [], isLowerBound: true }
    expect(describeCharges(aBranch("a", own))).toBe("the host's own tools not counted")
    expect(describeCharges(aBranch("a", { charges: [] }))).toBe("nothing yet")
  })

  it("a partly counted number is shown as at least", () => {
    expect(formatBudget(aBranch("a"))).toBe("9,812 of 12,000 tokens, 81 %")
    expect(formatUsed(aBranch("a"))).toBe("9.8k")
    const part = aBranch("a", { isLowerBound: true })
    expect(formatBudget(part)).toBe("at least 9,812 of 12,000 tokens, 81 %")
    expect(formatUsed(part)).toBe("≥ 9.8k")
    expect(describeKeptOut(part)).toBe("at least 9,400 tokens")
    expect(describeKeptOut(aBranch("a", { tokensKeptOut: 0 }))).toBe("nothing")
    expect(describeKeptOut({ ...part, tokensKeptOut: 0 })).toBe("none counted")
  })

  it("the elapsed time grows while a branch is active and stops when it ends", () => {
    expect(formatTime(aBranch("a"), NOW)).toBe("1:22 of 5:00 minutes")
    expect(formatTime(aBranch("a", { ...ACTIVE, createdAt: NOW - 9_000 }), NOW)).toBe(
      "0:09 of 5:00 minutes",
    )
    expect(formatTime(aBranch("a", { ...ACTIVE, createdAt: NOW + 5_000 }), NOW)).toMatch(/^0:00/)
    expect(formatMinutes(40)).toBe("0:00")
  })

  it("ways are listed with their counts, the most frequent first", () => {
    const all = [aBranch("a"), aBranch("b", { mode: "handle" }), aBranch("c", { mode: "handle" })]
    expect(describeModes(all)).toBe("handles for 2, sub-agent for 1")
    expect([
      describeDepth(aBranch("a")),
      describeDepth(aBranch("a", { depth: 1, children: 1 })),
    ]).toEqual(["0, no children", "1, 1 child"])
    expect(describeSecrets(aBranch("a", { redactions: 2 }))).toBe("2 values replaced")
  })

  it("each file is listed once, and files outside the scope are marked", () => {
    const branch = aBranch("a", {
      scope: ["src/**"],
      files: ["src/a.ts", "docs/x.md"],
      touchedPaths: ["src/a.ts", "src/b.ts"],
      outOfScope: ["docs/x.md"],
    })
    expect(filesOf(branch)).toEqual([
      { path: "src/a.ts", isOutside: false, description: "touched and named" },
      { path: "docs/x.md", isOutside: true, description: "named" },
      { path: "src/b.ts", isOutside: false, description: "touched" },
    ])
    expect(describeScope(branch)).toBe("1 outside src/**")
    expect(describeScope({ ...branch, outOfScope: [] })).toBe("all inside src/**")
    expect(describeScope(aBranch("a"))).toBe("no scope was declared")
  })

  it("a step is named by its tool, and its first meaningful line is shown", () => {
    expect(describeStep(aStep(1))).toBe("search")
    expect(describeStep(aStep(1, { kind: "charge", tool: "Read" }))).toBe("Host, Read")
    expect(describeStep(aStep(1, { kind: "wire", tool: "Read" }))).toBe("Folded out, Read")
    expect(describeStep(aStep(1, { kind: "wire", tool: null }))).toBe("Folded out")
    expect(describeStep(aStep(1, { kind: "forced", tool: null }))).toBe("Ended automatically")
    expect(rowLine("\n  \n  a\u202Eb\nc")).toBe("a\\u{202e}b")
    expect(rowLine("x".repeat(10_000)).length).toBe(300)
  })

  it("for a long line the part with the search term is shown", () => {
    const line = `${"a ".repeat(50)}one Cent too much`
    expect(lineAround(line, " cent much")).toBe("…a a a a one Cent too much")
    expect(lineAround("one cent", "cent")).toBe("one cent")
    expect(lineAround(line, "")).toBe(line)
    expect(lineAround(line, "gone")).toBe(line)
  })
})
