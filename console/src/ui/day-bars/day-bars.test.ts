import { expect, test } from "vitest"
import { roundUp } from "./day-bars.tsx"

test("the scale ends at 1, 2 or 5 times a power of ten", () => {
  expect([0, 0.3, 1, 1.2, 4.9, 21.7, 80].map(roundUp)).toEqual([1, 0.5, 1, 2, 5, 50, 100])
})
