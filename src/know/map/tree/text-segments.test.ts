import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { SymbolKind } from "#ground/contract"
import { fcParameters } from "#test/seed"
import type { SymbolFact } from "../facts.ts"
import { LONGEST_SEGMENT_LINES } from "../limits.ts"
import { countTokens, segmentsOf, signatureLine, splitText } from "./text-segments.ts"

const words = (text: string) => text.split(/\s+/).filter((it) => it !== "").length

function symbol(kind: SymbolKind, fromLine: number, toLine: number): SymbolFact {
  return { name: "it", kind, signature: "it", fromLine, toLine, isExported: true }
}

function member(kind: SymbolKind, fromLine: number, toLine: number): SymbolFact {
  return { ...symbol(kind, fromLine, toLine), parent: "it" }
}

function rangesOf(text: string, symbols: readonly SymbolFact[]) {
  return segmentsOf(text, symbols, words).map((it) => [it.fromLine, it.toLine, it.symbol])
}

const lines = (count: number, line = (at: number) => `line ${at}`) =>
  Array.from({ length: count }, (_, at) => `${line(at + 1)}\n`).join("")

describe("segments of a text", () => {
  test("[MAP-20] a class gives its head and its methods; code in between is separate", () => {
    const symbols = [symbol("class", 3, 12), member("method", 5, 8), member("method", 10, 12)]
    expect(rangesOf(lines(14), symbols)).toEqual([
      [1, 2, undefined],
      [3, 4, 0],
      [5, 8, 1],
      [9, 9, 0],
      [10, 12, 2],
      [13, 14, undefined],
    ])
  })

  test("[MAP-20] a function contains its nested code", () => {
    const symbols = [symbol("function", 1, 9), member("function", 3, 6)]
    expect(rangesOf(lines(9), symbols)).toEqual([[1, 9, 0]])
  })

  test("[MAP-20] short members and values share a segment", () => {
    const symbols = [
      symbol("interface", 1, 4),
      member("method", 2, 2),
      member("method", 3, 3),
      symbol("constant", 6, 6),
    ]
    expect(rangesOf(lines(6), symbols)).toEqual([
      [1, 4, 0],
      [5, 6, undefined],
    ])
  })

  test("[MAP-20] a comment belongs to the symbol below it", () => {
    const text = "a = 1\n\n# Finds\n# a berth.\ndef find():\n  pass\n  return\n"
    expect(rangesOf(text, [symbol("function", 5, 7)])).toEqual([
      [1, 2, undefined],
      [3, 7, 0],
    ])
  })

  test("[MAP-20] a long segment is split at a quiet line, otherwise at the limit", () => {
    const quiet = lines(LONGEST_SEGMENT_LINES + 20, (at) => (at === 70 ? "" : `line ${at}`))
    expect(rangesOf(quiet, [])).toEqual([
      [1, 70, undefined],
      [71, 100, undefined],
    ])
    expect(rangesOf(lines(LONGEST_SEGMENT_LINES + 1), []).map((it) => it[1])).toEqual([80, 81])
  })

  test("[MAP-20] an empty text has no segment, and a missing final newline loses no line", () => {
    expect(rangesOf("", [])).toEqual([])
    expect(rangesOf("a\nb", [])).toEqual([[1, 2, undefined]])
  })

  test("[MAP-20] for any symbols, segments are contiguous and contain every token", () => {
    const kind = fc.constantFrom<SymbolKind>("function", "class", "method", "constant")
    const line = fc.constantFrom("", "one two", "# said", "  three", "x")
    const position = fc.nat(300)
    const input = fc.record({
      text: fc.array(line, { maxLength: 250 }),
      symbols: fc.array(fc.tuple(kind, position, position, fc.boolean()), { maxLength: 20 }),
    })
    fc.assert(
      fc.property(input, ({ text: all, symbols }) => {
        const text = all.map((it) => `${it}\n`).join("")
        const placed = all.length === 0 ? [] : symbols
        const facts = placed.map(([what, a, b, isInner]) => {
          const [from = 1, to = 1] = [a, b]
            .map((it) => (it % all.length) + 1)
            .toSorted((x, y) => x - y)
          return isInner ? member(what, from, to) : symbol(what, from, to)
        })
        const segments = segmentsOf(text, facts, words)
        let next = 1
        for (const { fromLine, toLine, symbol: at } of segments) {
          expect(fromLine).toBe(next)
          expect(toLine).toBeGreaterThanOrEqual(fromLine)
          expect(toLine - fromLine).toBeLessThan(LONGEST_SEGMENT_LINES)
          expect(at === undefined || facts[at] !== undefined).toBe(true)
          next = toLine + 1
        }
        expect(next).toBe(all.length + 1)
        expect(segments.reduce((sum, it) => sum + it.tokens, 0)).toBe(words(text))
      }),
      fcParameters({ numRuns: 200 }),
    )
  })
})

test("[MAP-20] tokens of a symbol include all its lines, also between two splits", () => {
  const text = lines(12)
  const symbols = [symbol("class", 2, 11), member("method", 4, 7), member("method", 9, 9)]
  const { ends } = splitText(text, symbols)
  const ranges = symbols.flatMap((it) => [it.fromLine, it.toLine])
  const counts = countTokens(text, { ends, ranges, signatures: symbols.map(signatureLine) }, words)
  expect(counts.symbols).toEqual([20, 8, 2])
  expect(counts.signatures).toEqual([2, 2, 2])
})

describe("nested symbols", () => {
  function nested(levels: number) {
    const heads = Array.from({ length: levels }, (_, at) => [
      `// level ${at}`,
      `namespace n${at} {`,
    ])
    const body = Array.from({ length: 300 }, (_, at) => `  const value${at} = ${at}`)
    const tails = Array.from({ length: levels }, () => "}")
    const all = [...heads.flat(), ...body, ...tails]
    const symbols = Array.from({ length: levels }, (_, at) =>
      symbol("module", 2 * at + 2, all.length - at),
    )
    return { text: `${all.join("\n")}\n`, symbols }
  }

  function counted(text: string, symbols: readonly SymbolFact[]) {
    const { ends } = splitText(text, symbols)
    const ranges = symbols.flatMap((it) => [it.fromLine, it.toLine])
    const signatures = symbols.map(signatureLine)
    let units = 0
    const counts = countTokens(text, { ends, ranges, signatures }, (part) => {
      units += part.length
      return words(part)
    })
    return { counts, units: units - signatures.join("\n").length - signatures.length }
  }

  test("[MAP-20] no line is counted more than twice at any depth", () => {
    const { text, symbols } = nested(50)
    const { counts, units } = counted(text, symbols)
    expect(units).toBeLessThanOrEqual(2 * text.length)
    const linesOf = text.split("\n")
    expect(counts.symbols).toEqual(
      symbols.map((it) => words(linesOf.slice(it.fromLine - 1, it.toLine).join("\n"))),
    )
  })

  test("[MAP-20] no line is counted more than twice with thousands of symbols on it", () => {
    const text = `before\n${"f() ".repeat(2_000)}\nafter\n`
    const symbols = Array.from({ length: 2_000 }, () => member("method", 2, 2))
    const { counts, units } = counted(text, symbols)
    expect(units).toBeLessThanOrEqual(2 * text.length)
    expect(new Set(counts.symbols)).toEqual(new Set([2_000]))
  })

  test("[MAP-20] for any ranges, a symbol has the tokens of its lines, and whole segments theirs", () => {
    const position = fc.integer({ min: 1, max: 40 })
    const kind = fc.constantFrom<SymbolKind>("function", "class", "method", "constant")
    const line = fc.constantFrom("", "one two", "# said", "  three", "x")
    const input = fc.record({
      all: fc.array(line, { minLength: 40, maxLength: 40 }),
      placed: fc.array(fc.tuple(kind, position, position), { maxLength: 12 }),
    })
    fc.assert(
      fc.property(input, ({ all, placed }) => {
        const symbols = placed.map(([what, a, b]) => symbol(what, Math.min(a, b), Math.max(a, b)))
        const text = all.map((it) => `${it}\n`).join("")
        const { counts, units } = counted(text, symbols)
        expect(units).toBeLessThanOrEqual(2 * text.length)
        expect(counts.symbols).toEqual(
          symbols.map((it) => words(all.slice(it.fromLine - 1, it.toLine).join("\n"))),
        )
      }),
      fcParameters({ numRuns: 200 }),
    )
  })

  test("[MAP-20] where tokens span lines, a symbol of whole segments has their sum", () => {
    // Each count is one too high, so that sums of parts differ from a single count.
    const text = lines(12)
    const symbols = [symbol("class", 2, 11), member("method", 4, 7), member("method", 9, 9)]
    const { ends } = splitText(text, symbols)
    const ranges = [2, 11, 4, 7, 9, 9, 9, 10]
    const signatures = ["a", "b", "c", "d"]
    const counts = countTokens(text, { ends, ranges, signatures }, (part) => words(part) + 1)
    expect(ends).toEqual([1, 3, 7, 11, 12])
    expect(counts.segments).toEqual([3, 5, 9, 9, 3])
    expect(counts.symbols).toEqual([23, 9, 3, 6])
  })
})
