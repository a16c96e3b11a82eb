import { expect, test } from "vitest"
import { createRecent } from "./recent.ts"

test("[MAP-44] what was asked for last is kept, up to a weight", () => {
  const recent = createRecent<string, number>({ most: 10, weightOf: (it) => it })
  recent.set("a", 4)
  recent.set("b", 4)
  expect(recent.get("a")).toBe(4)
  recent.set("c", 4)
  expect([recent.get("a"), recent.get("b"), recent.get("c")]).toEqual([4, undefined, 4])
  recent.set("a", 1)
  recent.set("d", 5)
  expect(["a", "c", "d"].map(recent.get)).toEqual([1, 4, 5])
})

test("[MAP-44] what is heavier than all together is not kept", () => {
  const recent = createRecent<string, number>({ most: 10, weightOf: (it) => it })
  recent.set("a", 2)
  recent.set("huge", 11)
  expect([recent.get("a"), recent.get("huge")]).toEqual([undefined, undefined])
  recent.set("b", 10)
  expect(recent.get("b")).toBe(10)
})
