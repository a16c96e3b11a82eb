import { expect, test } from "vitest"
import {
  atLeastTimes,
  atMost,
  atMostTimes,
  createSamples,
  interleave,
  makeRow,
  within,
} from "./frame.ts"
import { formatFigure, renderTable } from "./table.ts"

test("[BENCH-1] contestants alternate, each first equally often, not counting warm-up", async () => {
  let now = 0
  const order: string[] = []
  const contestant = <const Name extends string>(name: Name, ms: number) => ({
    name,
    run() {
      order.push(name)
      now += ms
    },
  })
  const times = await interleave([contestant("a", 1), contestant("b", 10)], {
    clock: { now: () => 0, monotonicMs: () => now, sleep: async () => {} },
    rounds: 3,
    warmUpRounds: 1,
  })
  expect(order.join("")).toBe("abbaabba")
  expect(times("a")).toMatchObject({ count: 3, median: 1 })
  expect(times("b")).toMatchObject({ count: 3, median: 10 })
})

test("[BENCH-2] each reported number is a measured sample", () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index)
  expect(createSamples(hundred)).toEqual({
    count: 100,
    min: 1,
    median: 50,
    p95: 95,
    p99: 99,
    max: 100,
  })
  expect(createSamples([7])).toMatchObject({ min: 7, median: 7, p95: 7, max: 7 })
  expect(() => createSamples([])).toThrow("at least one sample")
})

test.for([
  [atMostTimes(3), 30, 10, true],
  [atMostTimes(3), 31, 10, false],
  [atLeastTimes(2), 20, 10, true],
  [atLeastTimes(2), 19, 10, false],
  [within(25, "ms"), 35, 10, true],
  [within(25, "ms"), 36, 10, false],
  [atMost(120, "ms"), 120, 1, true],
  [atMost(120, "ms"), 121, 1, false],
] as const)("[BENCH-3] %o with %i against %i holds: %s", ([bar, measured, floor, holds]) => {
  const row = makeRow({ what: "x", measured, unit: "ms", against: "y", floor, bar })
  expect(row).toMatchObject({ ratio: measured / floor, bar: bar.words, holds })
})

test("[BENCH-3] a row without a bar neither holds nor fails", () => {
  const row = makeRow({ what: "x", measured: 5, unit: "ms", against: "y", floor: 0 })
  expect(row).toMatchObject({ bar: "", holds: null, ratio: Number.NaN })
})

test("[BENCH-4] the table has aligned columns and no decoration", () => {
  const shared = { unit: "ms", against: "node -e 0", floor: 24.04 }
  const rows = [
    makeRow({ ...shared, what: "qm --help", measured: 54.1, bar: atMostTimes(3) }),
    makeRow({ ...shared, what: "a hook", measured: 1234.5, bar: within(25, "ms") }),
    makeRow({ ...shared, what: "nothing", measured: 0.01234 }),
  ]
  expect(renderTable(rows)).toMatchInlineSnapshot(`
    "  what        measured  against      floor       ratio  bar           holds
      qm --help    54.1 ms  node -e 0  24.0 ms      2.25 ×  at most 3 ×   yes
      a hook      1,235 ms  node -e 0  24.0 ms      51.4 ×  within 25 ms  no
      nothing    0.0123 ms  node -e 0  24.0 ms  0.000513 ×
    "
  `)
})

test("[BENCH-4] numbers have three significant digits", () => {
  expect([0, 0.01234, 1, 12.345, 999.6, 12_345.6].map(formatFigure)).toEqual([
    "0",
    "0.0123",
    "1.00",
    "12.3",
    "1,000",
    "12,346",
  ])
})
