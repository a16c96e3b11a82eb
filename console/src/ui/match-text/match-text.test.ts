import { expect, test } from "vitest"
import { cutBefore, splitAtWords } from "./match-text.tsx"

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
  expect(cutBefore(text, ["half"])).toBe("…s are rounded half to even")
  expect(cutBefore(text, ["quotes"])).toBe(text)
  expect(cutBefore(text, ["zz"])).toBe(text)
})
