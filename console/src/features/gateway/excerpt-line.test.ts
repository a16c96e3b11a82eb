import { describe, expect, it } from "vitest"
import { tellingLine } from "./excerpt-line.ts"

describe("excerpt line of an item", () => {
  const text = "\n  First of all.\nThen half a cent.\nAnd a cent more."

  it("without a search it is the first meaningful line", () => {
    expect(tellingLine(text, "  ")).toBe("First of all.")
    expect(tellingLine("", "")).toBe("")
    expect(tellingLine(text, "(zzz"), "found elsewhere than in the text").toBe("First of all.")
  })

  it("with a search it is the line that contains the search term", () => {
    expect(tellingLine(text, "CENT")).toBe("Then half a cent.")
    expect(tellingLine(text, "more cent")).toBe("Then half a cent.")
    expect(tellingLine(text, "first")).toBe("First of all.")
    expect(tellingLine(text, "more.")).toBe("And a cent more.")
  })

  it("a long line is reduced to the part around the match", () => {
    const long = `${"x".repeat(5_000)} quay-19 ${"y".repeat(5_000)}`
    const line = tellingLine(long, "quay-19")
    expect(line).toMatch(/^…x+ quay-19 y+$/)
    expect(line.indexOf("quay-19")).toBeLessThan(40)
    expect(line.length).toBeLessThan(300)
  })
})
