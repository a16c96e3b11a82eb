import { describe, expect, test } from "vitest"
import type { WireItem } from "#ground/contract"
import { createConversations } from "./news.ts"

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
  const { news } = createConversations()
  return (words: string, id = "one", before?: string) => {
    const told = before === undefined ? undefined : items(before)
    const { added, gone, kept } = news(id, items(words), told)
    return [added.map((it) => it.name).join(" "), gone, kept]
  }
}

describe("[GATE-49] what is new since the request before", () => {
  test("[GATE-49] everything at first, then what was appended", () => {
    const news = conversation()
    expect([news("o a b"), news("o a b c d"), news("o a b c d")]).toEqual([
      ["o a b", 0, 0],
      ["c d", 0, 3],
      ["", 0, 5],
    ])
  })

  test("[GATE-49] a piece that comes twice is new the second time, one that moved is not", () => {
    const news = conversation()
    news("a b c d")
    expect([news("a b c d b"), news("a c b d b")]).toEqual([
      ["b", 0, 4],
      ["", 0, 1],
    ])
  })

  test("[GATE-49] what a compaction or a fold took away is counted", () => {
    const news = conversation()
    news("s t u a b c d e")
    expect(news("s t u sum")).toEqual(["sum", 5, 3])
  })

  test("[GATE-49] conversations do not disturb each other", () => {
    const news = conversation()
    news("a b", "one")
    news("x y", "two")
    expect([news("a b c", "one"), news("x y z", "two")]).toEqual([
      ["c", 0, 2],
      ["z", 0, 2],
    ])
  })

  test("[GATE-49] a request for a title in between makes nothing new or gone", () => {
    const news = conversation()
    news("o s t a b")
    expect(news("o s title ask")).toEqual(["o s title ask", 0, 2])
    // It is kept against the newest, whatever that was, and new against the one it continues.
    expect(news("o s t a b c")).toEqual(["c", 0, 2])
  })

  test("[GATE-49] after a restart the request before is the one that is handed in", () => {
    expect(conversation()("a b c", "one", "a b")).toEqual(["c", 0, 2])
    const news = conversation()
    news("a b c")
    expect(news("a b c d", "one", "z")).toEqual(["d", 0, 3])
  })
})
