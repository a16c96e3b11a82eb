import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test, vi } from "vitest"
import { tempDirectory } from "#test/temp"
import { reportCoverage } from "../../scripts/test/coverage.ts"

type CoverageCounts = Readonly<Record<string, readonly [covered: number, total: number]>>

async function report(files: CoverageCounts, floor: number) {
  await using directory = await tempDirectory()
  const lines = Object.entries(files).map(([path, [covered, total]]) => [
    join(directory.path, path),
    { lines: { covered, total } },
  ])
  const total = { lines: { covered: 0, total: 0 } }
  mkdirSync(join(directory.path, "coverage"))
  mkdirSync(join(directory.path, "scripts"))
  const summary = JSON.stringify({ total, ...Object.fromEntries(lines) })
  writeFileSync(join(directory.path, "coverage/coverage-summary.json"), summary)
  writeFileSync(join(directory.path, "scripts/coverage-floor.json"), `{ "lines": ${floor} }`)
  const written = vi.spyOn(process.stdout, "write").mockReturnValue(true)
  try {
    const holds = reportCoverage(directory.path)
    return { holds, printed: written.mock.calls.map(([text]) => String(text)).join("") }
  } finally {
    written.mockRestore()
  }
}

const GOOD: CoverageCounts = {
  "src/ground/contract/a.ts": [100, 100],
  "src/ground/base/b.ts": [90, 100],
  "src/show/app/c.ts": [90, 100],
}

test("[TEST-4] [Q1] each wing and each bar is printed, and good coverage passes", async () => {
  const { holds, printed } = await report(GOOD, 93.3)
  expect(printed).toMatchInlineSnapshot(`
    "Q1 src/ground              95.0 %
    Q1 src/show                90.0 %
    Q1 src/ground/contract    100.0 %  bar 100 %  holds
    Q1 src                     93.3 %  bar 90 %  holds
    "
  `)
  expect(holds).toBe(true)
})

test("[TEST-4] [Q1] coverage below a bar fails", async () => {
  const room = await report({ ...GOOD, "src/ground/contract/a.ts": [99, 100] }, 90)
  expect([room.holds, room.printed.includes("bar 100 %  MISSED")]).toEqual([false, true])
  const overall = await report({ ...GOOD, "src/show/app/c.ts": [70, 100] }, 80)
  expect([overall.holds, overall.printed.includes("bar 90 %  MISSED")]).toEqual([false, true])
})

test("[TEST-4] coverage may fall by 0.3 points of random variation, not by more", async () => {
  expect((await report(GOOD, 93.6)).holds).toBe(true)
  const fallen = await report(GOOD, 93.7)
  expect([fallen.holds, fallen.printed.includes("Q1 floor MISSED")]).toEqual([false, true])
})

test("[TEST-4] after a rise, the run prints the new possible floor", async () => {
  expect((await report(GOOD, 91)).printed).toContain("coverage-floor.json to 93.3")
})
