import { readFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { SYMBOL_KINDS } from "#ground/contract"
import { fcParameters } from "#test/seed"
import { LANGUAGE_NAMES } from "../facts.ts"
import {
  FILE_BUDGET_MS,
  LARGEST_TEXT_BYTES,
  LONGEST_DOC_UNITS,
  LONGEST_LINE_UNITS,
  LONGEST_SIGNATURE_UNITS,
  MOST_FACTS,
} from "../limits.ts"
import { createWorkers } from "../workers.ts"
import { cleanDoc, signatureOf } from "./comments.ts"
import { createParser } from "./parser.ts"

const UNHURRIED = { spentMs: () => 0 }

const FIXTURES = join(import.meta.dirname, "../../../../test/languages")

describe("parser limits", () => {
  const parser = createParser(UNHURRIED)

  test("[MAP-4] parses the largest text, and not one byte more", async () => {
    const line = `// ${"~".repeat(996)}\n`
    const text = line.repeat(LARGEST_TEXT_BYTES / line.length)
    expect(text).toHaveLength(LARGEST_TEXT_BYTES)
    const read = await parser.parse({ language: "go", text })
    expect(read.problems).toEqual([])
    const facts = await parser.parse({ language: "go", text: `${text}\n` })
    expect(facts).toEqual({ ...EMPTY, language: "go", problems: [{ reason: "too-large" }] })
    const wide = await parser.parse({ language: "go", text: "é\n".repeat(LARGEST_TEXT_BYTES / 2) })
    expect(wide.problems).toEqual([{ reason: "too-large" }])
  })

  test("[MAP-4] parses the longest line, and not one character more", async () => {
    const line = `// ${"~".repeat(LONGEST_LINE_UNITS - 3)}`
    const read = await parser.parse({ language: "go", text: `package quay\n${line}\n` })
    expect(read).toMatchObject({ packages: ["quay"], problems: [] })
    const facts = await parser.parse({ language: "go", text: `package quay\n${line}~` })
    const problems = [{ reason: "line-too-long", line: 2 }]
    expect(facts).toEqual({ ...EMPTY, language: "go", problems })
  })

  test("[MAP-4] abandons a text that exceeds its budget, and replaces the parser", async () => {
    let spent = 0
    const slow = createParser({ spentMs: () => (spent += FILE_BUDGET_MS) })
    const text = "func moor() {}\n".repeat(20_000)
    const facts = await slow.parse({ language: "go", text })
    expect(facts).toEqual({ ...EMPTY, language: "go", problems: [{ reason: "too-slow" }] })
    expect(slow.isSpent()).toBe(true)
    await expect(slow.parse({ language: "go", text: "" })).rejects.toThrow("not used again")
  })
})

test("[MAP-4] truncates facts above the limit, and reports it", async () => {
  const text = "moor()\n".repeat(MOST_FACTS + 10)
  const facts = await createParser(UNHURRIED).parse({ language: "javascript", text })
  expect(facts.references).toHaveLength(MOST_FACTS)
  expect(facts.problems).toEqual([{ reason: "too-many" }])
})

const EMPTY = { packages: [], symbols: [], references: [], imports: [], problems: [] }

describe("signatures and comments", () => {
  test.for([
    [
      "def close(\n    self,\n    reason: str,\n) -> None:",
      "function",
      "def close(self, reason: str) -> None",
    ],
    [
      "export const moor = async (ship: Ship) =>",
      "function",
      "export const moor = async (ship: Ship)",
    ],
    ["class Quay {", "class", "class Quay"],
    ["def self.draw; end", "method", "def self.draw"],
    [`const names = [${'"east", '.repeat(40)}]`, "constant", /^const names = \["east", .{90,}…$/],
    [`function moor(${"ship: Ship, ".repeat(40)})`, "function", /^function moor\(ship.{200,}…$/],
  ] as const)("[MAP-6] signature of %j, a %s", ([text, kind, expected]) => {
    const signature = signatureOf(text, kind)
    expect(signature).toEqual(
      typeof expected === "string" ? expected : expect.stringMatching(expected),
    )
    expect(signature.length).toBeLessThanOrEqual(LONGEST_SIGNATURE_UNITS)
  })

  test.for([
    ["/** Finds a berth.\n * Or waits.\n *\n * More. */", "Finds a berth. Or waits."],
    ["/**\n * Finds a berth.\n * @param ship who\n */", "Finds a berth."],
    ["# one\n# two", "one two"],
    ["/// <summary>One harbour.</summary>", "One harbour."],
    ['"""Tides.\n\n    More.\n    """', "Tides."],
    ["// ", undefined],
    ["/**/", undefined],
    ["", undefined],
  ] as const)("[MAP-6] the comment %j becomes %j", ([comment, doc]) => {
    expect(cleanDoc(comment)).toBe(doc)
  })

  test("[MAP-6] a long comment is truncated between two characters", () => {
    const doc = cleanDoc(`// ${"😀".repeat(LONGEST_DOC_UNITS)}`) ?? ""
    expect(doc.isWellFormed()).toBe(true)
    expect(doc.length).toBeLessThanOrEqual(LONGEST_DOC_UNITS)
  })

  test("[MAP-6] a comment after code, or separated by a line, belongs to no symbol", async () => {
    const text = "let open = 1 // of the gate\nfunction one() {}\n\n// far\n\nfunction two() {}\n"
    const { symbols } = await createParser().parse({ language: "javascript", text })
    expect(symbols.map((it) => [it.name, it.doc])).toEqual([
      ["open", undefined],
      ["one", undefined],
      ["two", undefined],
    ])
  })
})

describe("hostile texts", () => {
  const language = fc.constantFrom(...LANGUAGE_NAMES)
  const text = fc.oneof(
    fc.uint8Array({ maxLength: 400 }).map((it) => Buffer.from(it).toString("latin1")),
    fc.string({ unit: "binary", maxLength: 300 }),
    fc.array(fc.constantFrom(...WORDS()), { maxLength: 120 }).map((it) => it.join(" ")),
    garbledFixture(),
  )

  test("[MAP-8] [F1] random bytes, random words and garbled files never throw, hang or give wrong lines", {
    timeout: 600_000,
  }, async () => {
    await using workers = createWorkers({ longestSilenceMs: 60_000 })
    const files = fc.array(fc.record({ path: fc.constant("x"), language, text }), { maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(files, async (sourceFiles) => {
        const parsed = await workers.parseMany(sourceFiles)
        expect(parsed).toHaveLength(sourceFiles.length)
        for (const [at, { facts }] of parsed.entries()) {
          expect(facts.language).toBe(sourceFiles[at]?.language)
          const lines = (sourceFiles[at]?.text ?? "").split("\n").length
          for (const symbol of facts.symbols) {
            expect(SYMBOL_KINDS).toContain(symbol.kind)
            expect(symbol.name).not.toBe("")
            expect(symbol.fromLine).toBeGreaterThan(0)
            expect(symbol.toLine).toBeGreaterThanOrEqual(symbol.fromLine)
            expect(symbol.toLine).toBeLessThanOrEqual(lines)
          }
          for (const it of [...facts.references, ...facts.imports]) {
            expect(it.line).toBeLessThanOrEqual(lines)
          }
        }
      }),
      fcParameters({ numRuns: 60 }),
    )
  })

  // Each of these takes one of the grammars more than 0.5 s of computing.
  test.for([
    ["python", "/*", 2_000, 50],
    ["typescript", "({[<", 2_000, 25],
    ["rust", "<", 2_000, 25],
    ["bash", "$(", 2_000, 15],
  ] as const)(
    "[MAP-8] [F1] %s: a long repetition of %j never throws or hangs",
    { timeout: 600_000 },
    async ([name, character, times, lines]) => {
      await using workers = createWorkers({ threads: 1, longestSilenceMs: 50_000 })
      const hostile = Array.from({ length: lines }, () => character.repeat(times)).join("\n")
      const good = readFileSync(join(FIXTURES, `${name}.txt`), "utf8")
      const files = [good, hostile, good].map((it) => ({ path: "x", language: name, text: it }))
      const [before, , after] = await workers.parseMany(files)
      expect(before?.facts.symbols.length).toBeGreaterThan(5)
      expect(after).toEqual(before)
    },
  )
})

function WORDS(): readonly string[] {
  return (
    "function class def fn func struct enum interface type import from use package namespace module " +
    "export public private static const let var if else for while return end do { } ( ) [ ] < > : ; " +
    ", . -> => = == \" ' ` # // /* */ @ $ \\ \n \n\t moor Berth tide_low 12 <?php ?> <<EOF EOF"
  ).split(/ (?=.)/)
}

function garbledFixture(): fc.Arbitrary<string> {
  const texts = LANGUAGE_NAMES.map((it) => readFileSync(join(FIXTURES, `${it}.txt`), "utf8"))
  const position = fc.double({ min: 0, max: 1, noNaN: true })
  const change = fc.record({ at: position, units: fc.nat(60), sign: fc.string({ maxLength: 4 }) })
  return fc
    .tuple(fc.constantFrom(...texts), fc.array(change, { maxLength: 6 }))
    .map(([whole, changes]) =>
      changes.reduce((text, { at, units, sign }) => {
        const from = Math.floor(at * text.length)
        return text.slice(0, from) + sign + text.slice(from + units)
      }, whole),
    )
}
