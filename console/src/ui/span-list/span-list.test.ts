import { expect, it } from "vitest"
import { spanOf, targetOf } from "./span-list.tsx"

it("a span is the same from either end", () => {
  expect(spanOf(4, 1)).toEqual({ from: 1, to: 4 })
  expect(spanOf(1, 4)).toEqual({ from: 1, to: 4 })
})

it("keys move within the list, and other keys do nothing", () => {
  const targets = ["ArrowDown", "ArrowUp", "Home", "End", "x"].map((it) => targetOf(it, 2, 3))
  expect(targets).toEqual([2, 1, 0, 2, undefined])
  expect(targetOf("ArrowUp", 0, 3)).toBe(0)
})
