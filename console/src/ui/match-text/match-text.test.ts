import { expect, test } from "vitest"
import { splitAtWords } from "./match-text.tsx"

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
