import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { compareText, nearest, visible, visibleLine, withoutHiddenCharacters } from "./text.ts"

/** Characters that may reach a terminal, defined independently of the code under test. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}\n\t]*$/u

/** Printable by category, but drawn as nothing: fillers, selectors, joiners. */
const DRAWN_AS_NOTHING =
  "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b\u180e\u200b\u200c\u200d\u200e\u200f\u2060\u2064" +
  "\u3164\ufe00\ufe0f\ufeff\uffa0\u{1bca0}\u{1d173}\u{e0001}\u{e0061}\u{e0100}"

describe("text from outside", () => {
  test("[S7] escaped text has only printable characters, newlines and tabs", () => {
    const anyUnit = fc.string({
      unit: fc.integer({ min: 0, max: 0xffff }).map((it) => String.fromCharCode(it)),
    })
    fc.assert(
      fc.property(fc.oneof(anyUnit, fc.string({ unit: "binary" })), (text) => {
        expect(visible(text)).toMatch(PRINTABLE)
        expect(visibleLine(text)).toMatch(/^[^\n\t]*$/)
      }),
      fcParameters({ numRuns: 2_000 }),
    )
  })

  test("[S7] each of the 65,536 UTF-16 units alone is printable or shown as an escape", () => {
    const acted = Array.from({ length: 0x1_0000 }, (_, unit) => String.fromCharCode(unit)).filter(
      (unit) => !PRINTABLE.test(visible(unit)),
    )
    expect(acted).toEqual([])
  })

  test("[S7] characters that are drawn as nothing are shown as escapes", () => {
    const left = Array.from(DRAWN_AS_NOTHING).filter((it) => visible(it) === it)
    expect(left).toEqual([])
    expect(visible("pay\u200bpal")).toBe("pay\\u{200b}pal")
  })

  test("[S7] escapes, C1 controls, bidirectional marks and tags are shown; plain text is unchanged", () => {
    expect(visible("\u001b]52;c;AA==\u0007")).toBe("\\x1b]52;c;AA==\\x07")
    expect(visible("\u009b2J\r")).toBe("\\x9b2J\\x0d")
    expect(visible("a\u202egnp.exe")).toBe("a\\u{202e}gnp.exe")
    expect(visible("\u{e0041}")).toBe("\\u{e0041}")
    expect(visible("\ud800x")).toBe("\\u{d800}x")
    expect(visible("Grüße, 世界 😀\n\tok")).toBe("Grüße, 世界 😀\n\tok")
    expect(visibleLine("a\n\tb")).toBe("a\\n\\tb")
  })
})

describe("nearest", () => {
  test("[BASE-2] a typing error finds the intended word", () => {
    const words = ["capture", "config", "doctor", "pack"]
    expect(nearest("confg", words)).toBe("config")
    expect(nearest("cofnig", words)).toBe("config")
    expect(nearest("DOCTOR", words)).toBe("doctor")
    expect(nearest("capt", words)).toBe("capture")
  })

  test("[BASE-2] a word that is far from all candidates finds none", () => {
    expect(nearest("zebra", ["capture", "config"])).toBeUndefined()
    expect(nearest("", ["capture"])).toBeUndefined()
    expect(nearest("anything", [])).toBeUndefined()
  })

  test("[BASE-2] of two equally near words the first in order is returned, and long words are bounded", () => {
    expect(nearest("cat", ["cot", "car"])).toBe("car")
    expect(nearest("a".repeat(1_000_000), ["a".repeat(1_000_000)])).toBeDefined()
  })
})

test("[BASE-2] text is ordered by code unit, the same on every machine", () => {
  expect(["b", "a", "B", "ä", "a"].toSorted(compareText)).toEqual(["B", "a", "a", "b", "ä"])
})

describe("invisible characters", () => {
  test("[BASE-2] invisible characters are removed from a text for a model; everything else stays", () => {
    const tags = String.fromCodePoint(0xe0041, 0xe007f)
    expect(
      withoutHiddenCharacters(`a\u202eb\u200bc${tags}d\u0000e\u001b[31mf\r\ng\th\ud800i\u2028j`),
    ).toBe("abcde[31mf\ng\thij")
    expect(withoutHiddenCharacters(DRAWN_AS_NOTHING)).toBe("")
    expect(withoutHiddenCharacters("Grüße, 世界 😀 \ue0b0\n\tok")).toBe(
      "Grüße, 世界 😀 \ue0b0\n\tok",
    )
  })
})
