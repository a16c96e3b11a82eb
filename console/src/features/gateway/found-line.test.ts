import { describe, expect, it } from "vitest"
import { tellingLine } from "./found-line.ts"

describe("the line of a piece", () => {
  const text = "\n  First of all.\nThen half a cent.\nAnd a cent more."

  it("[CONSOLE-61] without a search it is the first that says something", () => {
    expect(tellingLine(text, "  ")).toBe("First of all.")
    expect(tellingLine("", "")).toBe("")
    expect(tellingLine(text, "(zzz"), "found elsewhere than in the text").toBe("First of all.")
  })

  it("[CONSOLE-61] of a search it is the line that has what was looked for", () => {
    expect(tellingLine(text, "CENT")).toBe("Then half a cent.")
    expect(tellingLine(text, "more cent")).toBe("Then half a cent.")
    expect(tellingLine(text, "first")).toBe("First of all.")
    expect(tellingLine(text, "more.")).toBe("And a cent more.")
  })

  it("[CONSOLE-61] of a long line it is the part around what was found", () => {
    const long = `${"x".repeat(5_000)} quay-19 ${"y".repeat(5_000)}`
    const line = tellingLine(long, "quay-19")
    expect(line).toMatch(/^…x+ quay-19 y+$/)
    expect(line.indexOf("quay-19")).toBeLessThan(40)
    expect(line.length).toBeLessThan(300)
  })
})
