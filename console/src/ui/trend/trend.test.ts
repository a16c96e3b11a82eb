import { expect, it } from "vitest"
import { dropsIn } from "./trend.tsx"

it("each large drop of a line is marked once, before it", () => {
  expect(dropsIn([10, 50, 180, 24, 30, 28, 190, 25])).toEqual([2, 6])
  expect(dropsIn([])).toEqual([])
})
