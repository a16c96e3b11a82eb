import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { withSeed } from "../test-seed.ts"
import { visible, visibleLine } from "./format.ts"

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
