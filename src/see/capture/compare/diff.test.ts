import { expect, test } from "vitest"
import type { ManifestItem } from "#ground/contract"
import { anItem } from "../items.fixture.ts"
import { diffCaptures } from "./diff.ts"

const side = (items: readonly ManifestItem[], texts: Readonly<Record<string, string>> = {}) => ({
  items,
  textOf: (path: string) =>
    texts[path] === undefined ? undefined : { path, text: texts[path], later: "", isCut: false },
})

test("[CAPTURE-9] the diff has added, removed and changed items with tokens and lines", () => {
  const before = side([anItem("a"), anItem("b", { tokens: 5 })], { b: "one\ntwo" })
  const after = side([anItem("b", { tokens: 9, sha: "2" }), anItem("c", { tokens: 3 })], {
    b: "one\ntwo\nthree",
  })
  expect(diffCaptures(before, after)).toEqual([
    { path: "a", label: "a", change: "removed", tokensBefore: 1, tokensAfter: 0 },
    {
      path: "b",
      label: "b",
      change: "changed",
      tokensBefore: 5,
      tokensAfter: 9,
      linesAdded: 1,
      linesRemoved: 0,
      lines: [
        { sign: " ", before: 1, after: 1, text: "one" },
        { sign: " ", before: 2, after: 2, text: "two" },
        { sign: "+", after: 3, text: "three" },
      ],
    },
    { path: "c", label: "c", change: "added", tokensBefore: 0, tokensAfter: 3 },
  ])
})

test("[CAPTURE-9] one file moved to the front is one move", () => {
  const names = ["a", "b", "c", "d", "e"]
  const before = side(names.map((it) => anItem(it)))
  const after = side(["e", "a", "b", "c", "d"].map((it) => anItem(it)))
  expect(diffCaptures(before, after)).toMatchObject([{ path: "e", change: "moved" }])
  expect(diffCaptures(before, before)).toEqual([])
})

test("[CAPTURE-9] a withheld or truncated text is compared by size and hash only", () => {
  const [old, now] = [anItem("b", { sha: "1" }), anItem("b", { sha: "2" })]
  const withheld = { path: "b", text: "", later: "", isCut: false, withheld: "by a link" }
  const [change] = diffCaptures(
    { items: [old], textOf: () => withheld },
    { items: [now], textOf: () => withheld },
  )
  expect(change).toEqual({
    path: "b",
    label: "b",
    change: "changed",
    tokensBefore: 1,
    tokensAfter: 1,
  })
})
