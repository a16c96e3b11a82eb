import { expect, test } from "vitest"
import {
  countItems,
  createPace,
  type EarlierCounts,
  type ItemCounts,
  PAUSE_AFTER_BYTES,
} from "./count.ts"
import { aFound } from "./items.fixture.ts"

function counting() {
  const asked: string[] = []
  const count = (text: string) => (asked.push(text), text.length)
  return {
    asked,
    deps: {
      encoding: "letters",
      scale: null,
      pace: async () => {},
      counter: async () => ({ encoding: "letters", count }),
    },
  }
}

const earlierOf = (
  items: readonly ReturnType<typeof aFound>[],
  counted: readonly ItemCounts[],
  estimator = "letters",
): EarlierCounts => ({
  estimator,
  items: items.flatMap(({ path, source, load }, index) => {
    const figures = counted[index]
    return figures === undefined ? [] : [{ path, source, load, ...figures }]
  }),
})

test("counts of an earlier capture are reused and give the same totals", async () => {
  const items = [
    aFound("/x/A.md", { text: "one", frame: "A: " }),
    aFound("/x/B.md", { text: "two", sent: "", later: "two", load: "conditional" }),
  ]
  const first = counting()
  const counted = await countItems(items, undefined, first.deps)
  expect(counted.map((it) => [it.tokens, it.tokensOnDemand])).toEqual([
    [6, 0],
    [0, 3],
  ])
  const second = counting()
  const noTable = () => Promise.reject(new Error("the table was loaded"))
  const earlier = earlierOf(items, counted)
  expect(await countItems(items, earlier, { ...second.deps, counter: noTable })).toEqual(counted)

  const changed = [aFound("/x/A.md", { text: "other", frame: "A: " }), ...items.slice(1)]
  await countItems(changed, earlier, second.deps)
  expect(second.asked).toEqual(["A: other"])
})

test("another encoding, another load mode or a moved file is counted again", async () => {
  const items = [aFound("/x/A.md", { text: "one" })]
  const counted = await countItems(items, undefined, counting().deps)
  for (const [now, estimator] of [
    [items, "other"],
    [[aFound("/x/A.md", { text: "one", load: "import" })], "letters"],
    [[aFound("/x/B.md", { text: "one" })], "letters"],
  ] as const) {
    const { asked, deps } = counting()
    await countItems(now, earlierOf(items, counted, estimator), deps)
    expect(asked).toEqual(["one"])
  }
})

test("[CAPTURE-19] a large capture yields to the event loop and stops when the call is aborted", async () => {
  const call = new AbortController()
  let rests = 0
  const pace = createPace({
    signal: call.signal,
    rest: async () => {
      rests++
      if (rests === 2) call.abort(new Error("the call has ended"))
    },
  })
  await pace(PAUSE_AFTER_BYTES - 1)
  expect(rests).toBe(0)
  await pace(1)
  expect(rests).toBe(1)
  await expect(pace(PAUSE_AFTER_BYTES)).rejects.toThrow("the call has ended")
})
