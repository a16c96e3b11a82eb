import { describe, expect, it } from "vitest"
import { tabAfter } from "./tabs.tsx"

const TABS = [{ id: "a" }, { id: "b" }, { id: "c" }]

describe("tabs", () => {
  it.each([
    ["a", "ArrowRight", "b"],
    ["c", "ArrowRight", "a"],
    ["a", "ArrowLeft", "c"],
    ["b", "Home", "a"],
    ["a", "End", "c"],
    ["a", "j", undefined],
  ])("[CONSOLE-2] from tab %s the key %s moves to %s", (active, key, to) => {
    expect(tabAfter(TABS, active, key)?.id).toBe(to)
  })
})
