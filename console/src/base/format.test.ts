import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { withSeed } from "../test-seed.ts"
import {
  cssPercent,
  formatCents,
  formatElapsed,
  formatMoment,
  formatSeconds,
  formatShare,
  formatWhenAmong,
  formatWhenFine,
  visible,
  visibleLine,
} from "./format.ts"

describe("visible and visibleLine", () => {
  it.each([
    ["\u202Egpj.exe", "\\u{202e}gpj.exe"],
    ["a\u001b[2J", "a\\x1b[2J"],
    ["a\u200Bb", "a\\u{200b}b"],
    ["\u{E0041}", "\\u{e0041}"],
    ["שלום", "שלום"],
    ["naïve 漢字", "naïve 漢字"],
  ])("[CONSOLE-22] %j is shown as %s", (text, drawn) => {
    expect(visible(text)).toBe(drawn)
  })

  it("[CONSOLE-22] visibleLine leaves no control or format character and is idempotent", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const line = visibleLine(text)
        expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)
        expect(visibleLine(line)).toBe(line)
      }),
      withSeed(),
    )
  })

  it("[CONSOLE-22] visible keeps line breaks and tabs, visibleLine escapes them", () => {
    expect(visible("a\n\tb")).toBe("a\n\tb")
    expect(visibleLine("a\n\tb")).toBe("a\\n\\tb")
  })
})

describe("figures", () => {
  it.each([
    [0, "0 %"],
    [0.0004, "under 0.1 %"],
    [0.0849, "8.5 %"],
  ])("[CONSOLE-15] a share of %d is %s", (share, description) => {
    expect(formatShare(share)).toBe(description)
  })

  it.each([
    [420, "420 ms"],
    [9_940, "9.9 s"],
    [61_000, "61 s"],
    [600_000, "10 min"],
  ])("%d ms are shown as %s", (ms, text) => {
    expect(formatElapsed(ms)).toBe(text)
  })

  it("a width in CSS stays between 0 and 100 %", () => {
    expect([-1, 0.123456, 2].map(cssPercent)).toEqual(["0.00%", "12.35%", "100.00%"])
  })
})

it("[CONSOLE-22] a log shows seconds and a tooltip the date and the milliseconds", () => {
  const at = new Date(2026, 10, 15, 8, 16, 3, 42).getTime()
  expect(formatSeconds(at)).toBe("08:16:03")
  expect(formatWhenFine(at, at)).toBe("today 08:16:03")
  expect(formatMoment(at)).toBe("2026-11-15 08:16:03.042")
})

it("[CONSOLE-22] times are finer only where two would read the same", () => {
  const at = new Date(2026, 10, 15, 8, 16, 3).getTime()
  const others = [at, at + 60_000]
  expect(formatWhenAmong(at, at, others)).toBe("today 08:16")
  expect(formatWhenAmong(at, at, [...others, at + 4_000])).toBe("today 08:16:03")
  expect(formatWhenAmong(at, at, [...others, at + 4])).toBe("today 08:16:03.000")
})

it.each([
  [0, "$0.00"],
  [0.0011, "under $0.01"],
  [0.104, "$0.10"],
])("a cost of %d dollars is %s in a table", (usd, text) => {
  expect(formatCents(usd)).toBe(text)
})
