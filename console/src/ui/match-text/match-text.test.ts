import { expect, test } from "vitest"
import { cutAround, splitAtWords } from "./match-text.tsx"

test("words are marked wherever they occur, whatever their case", () => {
  expect(splitAtWords("Round the roundHalf", ["round", "half"])).toEqual([
    "",
    "Round",
    " the ",
    "round",
    "",
    "Half",
    "",
  ])
  expect(splitAtWords("no match", ["zz"])).toEqual(["no match"])
  expect(splitAtWords("text", [])).toEqual(["text"])
  expect(splitAtWords("İstanbul", ["stan"]).join("")).toBe("İstanbul")
})

test("a long start before the first match is cut, a short one is kept", () => {
  const text = "line 7: quotes are rounded half to even"
  expect(cutAround(text, ["half"])).toBe("…s are rounded half to even")
  expect(cutAround(text, ["quotes"])).toBe(text)
  expect(cutAround(text, ["zz"])).toBe(text)
})

test("a long text between two matches is cut, a short one is kept", () => {
  const text = "round a quote once, and never again after the sum, half to even"
  expect(cutAround(text, ["round", "even"])).toBe("round a quote once,… sum, half to even")
  expect(cutAround(text, ["half", "even"])).toBe("…fter the sum, half to even")
})

test("a long rest is cut after all words have occurred", () => {
  const rest = " and so on for each line".repeat(3)
  expect(cutAround(`half to even${rest}`, ["half"])).toBe(
    "half to even and so on for each line and so on for each…",
  )
  const far = " a rate, a berth, a quote, a tide ".repeat(2)
  const shown = cutAround(`half${far}even${far}cent${rest}`, ["half", "even", "cent"])
  expect(shown).toBe("half a rate, a ber…quote, a tide even a rate, a ber…quote, a tide cent…")
})
