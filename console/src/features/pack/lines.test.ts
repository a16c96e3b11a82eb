import { describe, expect, it } from "vitest"
import { changeLines, describeChange } from "./changes.ts"
import { candidateLines, chosenLines, isFileKey } from "./lines.ts"
import { aFile, aLeft, aPack } from "./pack.fixture.ts"
import { findFile } from "./preview.tsx"
import {
  checkBudget,
  checkTask,
  describeLeftOut,
  describeTitle,
  neededBudget,
  readBudget,
  refusedPin,
} from "./words.ts"

const FILES = [aFile("low.ts", { score: 0.4 }), aFile("high.ts", { score: 0.9 })]
const shown = { files: FILES, drops: [], turned: [], minRelevance: 0.25 }

describe("rows of a package", () => {
  it("candidates are ordered by score, and files left out are grouped by reason", () => {
    const pack = aPack({
      role: "backend",
      files: FILES,
      manifest: { ...aPack().manifest, leftTokens: 8_410 },
      left: [
        aLeft("x.ts", { why: "denied" }),
        aLeft("n1.ts", { score: 0.3 }),
        aLeft("n2.ts", { score: 0.35 }),
        aLeft("y.ts", { why: "below" }),
      ],
    })
    const lines = candidateLines(pack, shown)
    expect(
      lines.map((it) => (it.kind === "group" ? `${it.name} ${it.count} ${it.sum}` : it.key)),
    ).toEqual([
      "high.ts",
      "low.ts",
      "Did not fit 2 8,410",
      "n2.ts",
      "n1.ts",
      "Below 0.25 1 ",
      "Denied for role backend 1 ",
    ])
    const turned = candidateLines(pack, { ...shown, turned: ["group:no-room", "group:below"] })
    expect(turned.map((it) => it.key)).toEqual([
      "high.ts",
      "low.ts",
      "group:no-room",
      "group:below",
      "y.ts",
      "group:denied",
    ])
  })

  it("[CONSOLE-38] a file dropped a moment ago is in the group of dropped files at once", () => {
    const pack = aPack({ files: FILES, left: [aLeft("x.ts", { why: "dropped", score: 0.1 })] })
    const drops = ["x.ts", "not-listed.ts", "low.ts"]
    const lines = candidateLines(pack, { ...shown, files: FILES.slice(1), drops })
    expect(lines.map((it) => it.key)).toEqual([
      "high.ts",
      "group:dropped",
      "low.ts",
      "x.ts",
      "not-listed.ts",
    ])
    expect(lines.at(-1)).toMatchObject({ left: { score: null, tokens: null } })
  })

  it("headings name the kind and its tokens if each kind is contiguous", () => {
    const files = [
      aFile("a"),
      aFile("b"),
      aFile("c", { form: "signatures" }),
      aFile("d", { form: "symbols" }),
    ]
    const said = chosenLines({ files, records: [] }, null).map((it) => {
      if (it.kind === "heading") return `${it.of} ${it.sum}`
      return it.kind === "file" ? `${it.number} ${it.key}` : it.key
    })
    expect(said).toEqual(["files 200", "1 a", "2 b", "symbols 200", "3 c", "4 d"])
    expect(chosenLines({ files, records: [] }, "symbols").map((it) => it.key)).toEqual([
      "kind:symbols",
      "c",
      "d",
    ])
  })

  it("records follow the files, in groups of their own", () => {
    const record = { why: "about a", text: "Round once", tokens: 12 }
    const chosen = {
      files: [aFile("a")],
      records: [
        { ...record, kind: "paragraph" as const, id: "Tax § 1" },
        { ...record, kind: "ticket" as const, id: "#3" },
      ],
    }
    expect(chosenLines(chosen, null).map((it) => it.key)).toEqual([
      "kind:files",
      "a",
      "kind:memory",
      "record:ticket:#3",
      "kind:knowledge",
      "record:paragraph:Tax § 1",
    ])
    expect(chosenLines(chosen, "knowledge").map((it) => it.key)).toEqual([
      "kind:knowledge",
      "record:paragraph:Tax § 1",
    ])
    expect(["a", "group:dropped", "record:ticket:#3", ""].map(isFileKey)).toEqual([
      true,
      false,
      false,
      false,
    ])
  })

  it("an order with mixed kinds is preserved, and each row shows its kind", () => {
    const files = [aFile("a", { form: "symbols" }), aFile("b"), aFile("c", { form: "signatures" })]
    const lines = chosenLines({ files, records: [] }, null)
    expect(lines.map((it) => it.key)).toEqual(["a", "b", "c"])
    expect(lines.every((it) => it.kind === "file" && it.showsKind)).toBe(true)
  })

  it("the preview finds the heading of a file before lines that mention it", () => {
    const lines = ["x -> src/a.ts", "lib/src/a.ts", "src/a.tsx", "### src/a.ts", "", "src/a.ts, b"]
    expect(findFile(lines, "src/a.ts")).toEqual({ at: 3, marked: new Set([0, 3, 5]) })
    expect(findFile(["a", "src/a.ts  0.97"], "src/a.ts").at).toBe(1)
    expect(findFile(lines, "nobody.ts")).toEqual({ at: null, marked: new Set() })
    expect(findFile(lines, "")).toEqual({ at: null, marked: new Set() })
  })

  it("the comparison of two packages lists added, removed and reformatted files", () => {
    const item = {
      id: "",
      task: "",
      role: null,
      budget: 1,
      tokens: 1,
      files: 1,
      session: null,
      builtAt: 0,
    }
    const change = (path: string, kind: "added" | "removed" | "changed" | "same") => ({
      path,
      change: kind,
      formBefore: "full" as const,
      formAfter: kind === "changed" ? ("signatures" as const) : ("full" as const),
      tokensBefore: kind === "added" ? 0 : 10,
      tokensAfter: kind === "removed" ? 0 : 30,
      scoreBefore: 0.5,
      scoreAfter: 0.75,
    })
    const changes = [
      change("s", "same"),
      change("c", "changed"),
      change("a", "added"),
      change("r", "removed"),
    ]
    const lines = changeLines({
      from: item,
      to: item,
      changes,
      recordsBefore: 40,
      recordsAfter: 28,
    })
    expect(lines.map((it) => (it.kind === "heading" ? `${it.name} ${it.sum}` : it.key))).toEqual([
      "Added +30",
      "a",
      "Removed −10",
      "r",
      "Changed +20",
      "c",
      "Unchanged text +20",
      "s",
      "Memories, tickets and documents −12",
    ])
    expect(describeChange(change("c", "changed"))).toBe(
      "the whole file to its signatures, 0.50 to 0.75",
    )
  })
})

describe("texts of a package", () => {
  it("[CONSOLE-7] a budget is a whole number of tokens, with commas or a k", () => {
    expect(["24000", "24,000", "24k", "1.5k"].map(readBudget)).toEqual([
      24_000, 24_000, 24_000, 1_500,
    ])
    expect(["0", "-3", "1.5", "many", "1e3", ""].map(readBudget)).toEqual(Array(6).fill(undefined))
    expect(checkBudget("")).toBeUndefined()
    expect(checkBudget("many")).toBe("Must be a whole number")
  })

  it("[CONSOLE-7] a task that is too long for a URL is rejected with the limit, not truncated", () => {
    expect(checkTask("x".repeat(4_000))).toBeUndefined()
    expect(checkTask("x".repeat(4_001))).toMatch(
      /4,001 characters; the limit of this page is 4,000.*qm pack/,
    )
  })

  it("only an error about the budget offers another budget", () => {
    const data = { needed: 420, path: "a.ts" }
    expect(neededBudget({ code: "PACK_BUDGET_TOO_SMALL", data })).toBe(420)
    expect(neededBudget({ code: "STORE_DISK_FULL", data })).toBeUndefined()
    expect(neededBudget({ code: "PACK_BUDGET_TOO_SMALL", data: null })).toBeUndefined()
    expect(refusedPin({ code: "STORE_DISK_FULL", data }, ["a.ts"])).toBeUndefined()
  })

  it("a title ends at a clause or a word", () => {
    expect(describeTitle({ task: "Round it; then test\nmore" })).toBe("Round it")
    expect(describeTitle({ task: `${"word ".repeat(20)}` })).toBe(`${"word ".repeat(11).trim()}…`)
    expect(describeTitle({ task: "x".repeat(90) })).toBe(`${"x".repeat(55)}…`)
  })

  it("a file left out says why it was a candidate, or which rule denied it", () => {
    expect(describeLeftOut(aLeft("a", { detail: "needs 50 tokens", reasons: ["calls b"] }))).toBe(
      "Calls b",
    )
    expect(describeLeftOut(aLeft("a", { detail: "needs 50 tokens" }))).toBe("Needs 50 tokens")
    expect(describeLeftOut(aLeft("a", { why: "denied", detail: "denied by web/**" }))).toBe(
      "Denied by web/**",
    )
  })
})
