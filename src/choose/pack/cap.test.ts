import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { madeTree } from "#test/indexed-tree"
import { fcParameters } from "#test/seed"
import { isWorthSending } from "./fit/expected-need.ts"
import { memoryTree } from "./memory-tree.fixture.ts"
import { counter, packFixture } from "./pack.fixture.ts"

const TOPICS = "lamp chair table window garden engine bottle ticket camera violin".split(" ")

/** Fifty modules about other things, and one that rounds invoices. */
function shop(): Record<string, string> {
  const others = Array.from({ length: 50 }, (_, at) => {
    const topic = TOPICS[at % TOPICS.length] ?? ""
    const lines = Array.from(
      { length: 12 },
      (_unused, line) =>
        `export function ${topic}${at}Step${line}(size) {\n  return size + ${line}\n}\n`,
    )
    return [`src/${topic}/${topic}${at}.ts`, lines.join("\n")] as const
  })
  const invoice = [
    "/** Rounds one line of an invoice to whole cents. */",
    "export function roundInvoiceLine(cents) {",
    "  return Math.floor(cents)",
    "}",
    "",
  ].join("\n")
  return { ...Object.fromEntries(others), "src/invoice/rounding.ts": invoice }
}

const tree = (files: Record<string, string>) => memoryTree(files, { count: counter.count })
const TASK = "Round the cents of an invoice line half up instead of down"

describe("the budget is a cap", () => {
  test("[PACK-34] a package ends when further lines are unlikely to be needed", async () => {
    await using lab = packFixture(tree(shop()))
    const { pack } = await lab.build({ task: TASK, budget: 16_000, fill: false })
    expect(pack.files[0]).toMatchObject({ path: "src/invoice/rounding.ts", form: "full" })
    expect(pack.tokens).toBeLessThan(2_000)
    const filled = await lab.build({ task: TASK, budget: 16_000, fill: true })
    expect(filled.pack.tokens).toBeGreaterThanOrEqual(pack.tokens)
  })

  test("[PACK-34] files that are unlikely to be needed are listed as such, not as too large", async () => {
    await using lab = packFixture(tree(shop()))
    const task = `${TASK}, for each step`
    const { pack } = await lab.build({ task, budget: 16_000, fill: false, minRelevance: 0 })
    expect(pack.left.map((it) => it.why)).toContain("unlikely")
    expect(pack.left.map((it) => it.why)).not.toContain("no-room")
  })

  test("[PACK-34] a file that has only another form of a word of the task is included", async () => {
    const files = {
      "CLAUDE.md": "# Rules\nRound quotes half to even.\n",
      "src/quote.ts":
        "export function roundQuote(cents: number): number {\n  return Math.round(cents)\n}\n",
    }
    await using lab = packFixture(tree(files))
    const { pack } = await lab.build({ task: "fix the rounding of quotes", fill: false })
    expect(pack.files.map((it) => it.path)).toContain("src/quote.ts")
  })

  test("[PACK-34] a pasted issue ends earlier than a short task, and a long segment costs more", () => {
    const kinds = ["issue", "task"] as const
    const sent = (chance: number, tokens: number) =>
      kinds.filter((kind) => isWorthSending({ chance, tokens }, kind))
    expect(sent(0.08, 100)).toEqual(["issue", "task"])
    expect(sent(0.08, 1_000)).toEqual(["task"])
    expect(sent(0.014, 100)).toEqual(["task"])
    expect(sent(0.014, 1_000)).toEqual([])
  })

  test("[PACK-34] the expected recall rises with the size of a package", async () => {
    await using lab = packFixture(tree(shop()))
    const { pack } = await lab.build({ task: TASK, fill: false })
    const recalls = pack.expectation.curve.map((it) => it.recall)
    expect(recalls).toEqual(recalls.toSorted((a, b) => a - b))
    expect(pack.expectation.recall).toBeGreaterThan(0.1)
  })

  test("[PACK-35] a task about something else gets an empty package with the reason", async () => {
    await using lab = packFixture(tree(shop()))
    const task = "make the coffee machine brew espresso faster in the kitchen, with size"
    const { pack, text } = await lab.build({ task, fill: false })
    expect(pack).toMatchObject({ isEmpty: true, tokens: 0, files: [] })
    expect(pack.emptyReason).toContain("The task seems unrelated to this repository")
    expect(text).toContain("unrelated")
    const filled = await lab.build({ task, fill: true })
    expect(pack.emptyReason?.includes("Pass --fill")).toBe(!filled.pack.isEmpty)
    const named = await lab.build({ task: `${task} in src/lamp/lamp0.ts`, fill: false })
    expect(named.pack.files.map((it) => it.path)).toContain("src/lamp/lamp0.ts")
  })

  test("[PACK-13] no package exceeds its cap, and the same input gives the same bytes", async () => {
    await using lab = packFixture(tree(shop()))
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 400, max: 6_000 }),
        fc.constantFrom(TASK, "camera and violin steps", "fix lamp0Step3 in src/lamp/lamp0.ts"),
        fc.constantFrom("markdown", "xml", "json"),
        async (budget, task, format) => {
          const input = { task, budget, format, fill: false, save: false }
          const [one, other] = [await lab.build(input), await lab.build(input)]
          expect(one.textTokens).toBeLessThanOrEqual(budget)
          expect(other.text).toBe(one.text)
        },
      ),
      fcParameters({ numRuns: 25 }),
    )
  })

  test("[PACK-36] removing a file that has nothing to do with the task changes nothing", async () => {
    const files = shop()
    await using whole = packFixture(tree(files))
    const input = { task: TASK, format: "markdown", fill: false, save: false }
    const { text } = await whole.build(input)
    for (const gone of ["src/violin/violin9.ts", "src/lamp/lamp0.ts", "src/ticket/ticket47.ts"]) {
      const { [gone]: _gone, ...rest } = files
      await using lab = packFixture(tree(rest))
      expect((await lab.build(input)).text).toBe(text)
    }
  })
})

describe("unusual input", () => {
  const log = Array.from(
    { length: 4_000 },
    (_, at) => `2026-01-01T00:00:${at % 60} WARN worker ${at}: retry of invoice line ${at}`,
  ).join("\n")
  const trace = [
    "Traceback (most recent call last):",
    '  File "/srv/app/src/invoice/rounding.ts", line 3, in roundInvoiceLine',
    "    return Math.floor(cents)",
    "ValueError: cents is negative",
  ].join("\n")

  test.each([
    ["200 kB of a log", log],
    ["another language", "Die Rechnungszeilen werden falsch gerundet, bitte aufrunden"],
    ["only a stack trace", trace],
    ["only an address", "https://example.test/issues/12"],
    ["only signs", "??? !!! ..."],
  ])("[PACK-13] %s gives a package within its cap", async (_name, task) => {
    await using lab = packFixture(tree(shop()))
    const built = await lab.build({ task, budget: 4_000, format: "markdown", fill: false })
    expect(built.textTokens).toBeLessThanOrEqual(4_000)
    expect(built.pack.isEmpty).toBe(built.pack.emptyReason !== null)
  })

  test("[PACK-2] a stack trace alone leads to its file", async () => {
    await using lab = packFixture(tree(shop()))
    const { pack } = await lab.build({ task: trace, fill: false })
    expect(pack.files[0]?.path).toBe("src/invoice/rounding.ts")
  })

  test("[PACK-8] a member that the task names by its instance is sent", async () => {
    const body = (name: string) =>
      Array.from({ length: 30 }, (_, at) => `  this.${name}Step${at} = payload + ${at}`).join("\n")
    const members = ["send", "hijack", "redirect", "header"].map(
      (name) => `Reply.prototype.${name} = function (payload) {\n${body(name)}\n  return this\n}\n`,
    )
    const reply = `function Reply (res) {\n  this.res = res\n}\n${members.join("\n")}`
    await using made = await madeTree({
      "lib/reply.js": reply,
      "lib/route.js": "exports.route = 1\n",
    })
    await using lab = packFixture(made.tree)
    const task = "reply.send with a stream leaks a listener on drain"
    const { pack } = await lab.build({ task, format: "markdown", fill: false })
    expect(pack.files[0]).toMatchObject({ path: "lib/reply.js" })
    const text = (pack.files[0]?.pieces ?? []).map((it) => it.text).join("\n")
    expect(text).toContain("sendStep7")
    expect(pack.signals.missing.map((it) => it.signal)).not.toContain("structure")
  })

  test("[PACK-26] a repository of generated files gives an empty package with the reason", async () => {
    const generated =
      "// Code generated by protoc. DO NOT EDIT.\nexport const roundInvoiceLine = 1\n"
    const files = Object.fromEntries([1, 2, 3].map((it) => [`src/invoice${it}_pb.ts`, generated]))
    await using made = await madeTree(files)
    await using lab = packFixture(made.tree)
    const { pack } = await lab.build({ task: TASK, fill: false })
    expect(pack).toMatchObject({ isEmpty: true, files: [] })
    expect(pack.emptyReason).not.toBeNull()
  })

  test("[PACK-26] an empty repository gives an empty package with the reason", async () => {
    await using lab = packFixture(tree({}))
    const { pack } = await lab.build({ task: TASK, fill: false })
    expect(pack.emptyReason).toBe("The repository has no readable file.")
  })
})
