import fc from "fast-check"
import { expect, test } from "vitest"
import type { WireItem } from "#ground/contract"
import { fcParameters } from "#test/seed"
import {
  createLinks,
  type Link,
  linkAfter,
  listOf,
  MOST_LINKED_REQUESTS,
  MOST_LINKS,
  tailOf,
} from "./chain.ts"
import { type LinkRow, pack } from "./rows.ts"
import { piece } from "./store.fixture.ts"

type Step = { readonly items: readonly WireItem[]; readonly back: number }

/** As the store writes them: each list extends one of the previous ones. */
async function written(steps: readonly Step[]): Promise<readonly LinkRow[]> {
  const links: Link[] = []
  const rows: LinkRow[] = []
  for (const [index, { items, back }] of steps.entries()) {
    const seq = index + 1
    const tail = tailOf(items, links.at(-1 - back))
    links.push(linkAfter(tail, seq))
    const beforeSeq = tail.before?.seq ?? null
    rows.push({ seq, beforeSeq, kept: tail.kept, items: await pack(tail.items) })
  }
  return rows
}

const anItem = fc.constantFrom(
  piece("a"),
  piece("b"),
  piece("c\u0000\ud800"),
  piece("a", { isConfirmed: true, path: "/a" }),
  piece("a", { tokens: 9 }),
)
const aStep = fc.record({
  items: fc.array(anItem, { maxLength: 12 }),
  back: fc.nat({ max: 3 }),
})

test("a list is restored unchanged, whatever the previous list contained", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(aStep, { minLength: 1, maxLength: 70 }), async (steps) => {
      const rows = await written(steps)
      for (const [index, { items }] of steps.entries()) {
        expect(listOf(rows, index + 1)).toEqual({ items, missing: 0 })
      }
    }),
    fcParameters({ numRuns: 60 }),
  )
})

test("only new items are written, and the whole list again after fifty requests", async () => {
  const lists = Array.from({ length: 120 }, (_, at) =>
    Array.from({ length: at + 1 }, (_, own) => piece(`p${own}`)),
  )
  const rows = await written(lists.map((items) => ({ items, back: 0 })))
  const whole = rows.filter((it) => it.beforeSeq === null).map((it) => it.seq)
  expect(whole).toEqual([1, 1 + MOST_LINKED_REQUESTS, 1 + 2 * MOST_LINKED_REQUESTS])
  expect(rows[40]).toMatchObject({ kept: 40, beforeSeq: 40 })
  expect(rows[50]).toMatchObject({ kept: 0, beforeSeq: null })
})

test("an item that stays keeps its reason, also in a whole list", async () => {
  const came = piece("a", { why: "with Read src/x.ts" })
  const later = (at: number) => [piece("a", { why: `other ${at}` }), piece(`p${at}`)]
  const steps = [[came], ...Array.from({ length: MOST_LINKED_REQUESTS + 5 }, (_, at) => later(at))]
  const rows = await written(steps.map((items) => ({ items, back: 0 })))
  expect(rows[1]).toMatchObject({ kept: 1, beforeSeq: 1 })
  expect(rows[MOST_LINKED_REQUESTS]).toMatchObject({ kept: 0, beforeSeq: null })
  for (const seq of [2, MOST_LINKED_REQUESTS + 1, steps.length]) {
    const { items } = listOf(rows, seq)
    expect([items.length, items[0]]).toEqual([2, came])
  }
})

test("a list without its first link states how many items are missing", async () => {
  const steps = [["a", "b"], ["a", "b", "c"], ["a", "b", "c", "d"], ["a"]]
  const rows = await written(
    steps.map((names) => ({ items: names.map((it) => piece(it)), back: 0 })),
  )
  const without = rows.filter((it) => it.seq !== 1)
  expect(listOf(without, 3)).toEqual({ items: [piece("c"), piece("d")], missing: 2 })
  expect(listOf(without, 4)).toEqual({ items: [], missing: 1 })
  expect(listOf([], 4)).toEqual({ items: [], missing: 0 })
})

test("links that form a circle terminate", async () => {
  const items = await pack([piece("a")])
  const rows = [
    { seq: 1, beforeSeq: 2, kept: 1, items },
    { seq: 2, beforeSeq: 1, kept: 2, items },
  ]
  expect(listOf(rows, 2)).toEqual({ items: [piece("a"), piece("a")], missing: 1 })
})

test("the least recently used list is evicted first, and a proxied session with all its lists", () => {
  const links = createLinks()
  const link = (seq: number): Link => ({ seq, baseSeq: seq, length: 1, items: [] })
  for (let at = 0; at < MOST_LINKS; at++) links.set("gw_1", `s${at}`, link(at))
  links.set("gw_1", "s0", link(7))
  links.set("gw_2", "s0", link(8))
  expect(links.of("gw_1", "s1")).toBeUndefined()
  expect(links.of("gw_1", "s0")?.seq).toBe(7)
  links.forget("gw_1")
  expect(links.of("gw_1", "s0")).toBeUndefined()
  expect(links.of("gw_2", "s0")?.seq).toBe(8)
})
