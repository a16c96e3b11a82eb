import { describe, expect, test } from "vitest"
import type { WireItem } from "#ground/contract"
import { createItemHistory } from "./new-items.ts"

function items(words: string): readonly WireItem[] {
  return words.split(" ").map((name) => ({
    kind: name.startsWith("o") ? "other" : "user",
    context: "history",
    name,
    sha256: name.repeat(64).slice(0, 64),
    tokens: 1,
    bytes: 1,
  }))
}

function conversation() {
  const { newItems } = createItemHistory()
  return (words: string, id = "one", before?: string) => {
    const told = before === undefined ? undefined : items(before)
    const { added, gone, kept } = newItems(id, items(words), told)
    return [added.map((it) => it.name).join(" "), gone, kept]
  }
}

describe("new and removed items of a request", () => {
  test("all items are new at first, then those that were appended", () => {
    const newItems = conversation()
    expect([newItems("o a b"), newItems("o a b c d"), newItems("o a b c d")]).toEqual([
      ["o a b", 0, 0],
      ["c d", 0, 3],
      ["", 0, 5],
    ])
  })

  test("an item that occurs a second time is new, an item that moved is not", () => {
    const newItems = conversation()
    newItems("a b c d")
    expect([newItems("a b c d b"), newItems("a c b d b")]).toEqual([
      ["b", 0, 4],
      ["", 0, 1],
    ])
  })

  test("items removed by a compaction or a fold are counted", () => {
    const newItems = conversation()
    newItems("s t u a b c d e")
    expect(newItems("s t u sum")).toEqual(["sum", 5, 3])
  })

  test("conversations do not affect each other", () => {
    const newItems = conversation()
    newItems("a b", "one")
    newItems("x y", "two")
    expect([newItems("a b c", "one"), newItems("x y z", "two")]).toEqual([
      ["c", 0, 2],
      ["z", 0, 2],
    ])
  })

  test("a title request in between makes no item new or removed", () => {
    const newItems = conversation()
    newItems("o s t a b")
    expect(newItems("o s title ask")).toEqual(["o s title ask", 0, 2])
    // Stored as a difference to the newest list, and new relative to the one it continues.
    expect(newItems("o s t a b c")).toEqual(["c", 0, 2])
  })

  test("after a restart the stored previous request is used", () => {
    expect(conversation()("a b c", "one", "a b")).toEqual(["c", 0, 2])
    const newItems = conversation()
    newItems("a b c")
    expect(newItems("a b c d", "one", "z")).toEqual(["d", 0, 3])
  })
})
