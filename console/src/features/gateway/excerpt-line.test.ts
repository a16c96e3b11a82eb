import { describe, expect, it } from "vitest"
import { excerptLine } from "./excerpt-line.ts"

describe("excerpt line of an item", () => {
  const text = "\n  First of all.\nThen half a cent.\nAnd a cent more."

  it("without a search it is the first meaningful line", () => {
    expect(excerptLine(text, "  ")).toBe("First of all.")
    expect(excerptLine("", "")).toBe("")
    expect(excerptLine(text, "(zzz"), "found elsewhere than in the text").toBe("First of all.")
  })

  it("with a search it is the line that contains the search term", () => {
    expect(excerptLine(text, "CENT")).toBe("Then half a cent.")
    expect(excerptLine(text, "more cent")).toBe("Then half a cent.")
    expect(excerptLine(text, "first")).toBe("First of all.")
    expect(excerptLine(text, "more.")).toBe("And a cent more.")
  })

  it("a long line is reduced to the part around the match", () => {
    const long = `${"x".repeat(5_000)} quay-19 ${"y".repeat(5_000)}`
    const line = excerptLine(long, "quay-19")
    expect(line).toMatch(/^…x+ quay-19 y+$/)
    expect(line.indexOf("quay-19")).toBeLessThan(40)
    expect(line.length).toBeLessThan(300)
  })
})
