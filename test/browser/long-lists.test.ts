import { afterAll, beforeAll, expect, test } from "vitest"
import { launchChromium } from "./chromium.ts"
import { type ConsoleFixture, startConsole } from "./console-fixture.ts"
import { writeFiles } from "./seed/harbour.ts"
import { importRuns } from "./seed/runs.ts"
import { visit } from "./visit.ts"

/** Lists of more than 100 rows are virtual. */
const MANY = 150
const MOST_DRAWN = 90

let chromium: Awaited<ReturnType<typeof launchChromium>>
let fixture: ConsoleFixture

beforeAll(async () => {
  ;[chromium, fixture] = await Promise.all([launchChromium(), startConsole({ backups: 0 })])
  const { call } = fixture
  const numbers = Array.from({ length: MANY }, (_, i) => String(i).padStart(3, "0"))
  const rules = numbers.map((it) => [`.claude/rules/rule-${it}.md`, "Tests are sentences.\n"])
  const files = numbers.map((it) => [`data/station-${it}.ts`, `export const station${it} = 1\n`])
  await writeFiles(fixture.project, Object.fromEntries([...rules, ...files]))
  await call("capture.take", { host: "claude-code" })
  await call("map.scan", {})
  for (const it of numbers) {
    await call("memory.record", { kind: "term", title: `Term ${it}`, body: `It means ${it}.` })
    // A session opens at most five branches per minute.
    const sessionId = `stations ${Math.floor(Number(it) / 5)}`
    const asked = { description: `Check station ${it}`, prompt: "Read it.", sessionId }
    const { branchId } = await call("fold.branch", asked)
    await call("fold.return", { branchId, message: "Nothing.", sessionId })
  }
  await importRuns(fixture, { titles: numbers.map((it) => `Read station ${it}`), messages: 1 })
})
afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

test.each([
  { path: "/capture", row: "option", name: /rule-\d\d\d/ },
  { path: "/map?view=list&open=data", row: "treeitem", name: /station-\d\d\d/ },
  { path: "/pack?task=station&turned=group%3Abelow", row: "option", name: /station-\d\d\d/ },
  { path: "/memory", row: "option", name: /Term \d\d\d/ },
  { path: "/folds?all=yes", row: "treeitem", name: /Check station \d\d\d/ },
  { path: "/runs", row: "option", name: /Read station \d\d\d/ },
] as const)(
  "[CONSOLE-6] a long list on $path draws only visible rows, and End reaches the last",
  async (list) => {
    await using window = await visit(chromium.browser, fixture, { path: list.path })
    const { page } = window
    const rows = page.getByRole(list.row, { name: list.name })
    await rows.first().waitFor()
    const drawn = await page.getByRole(list.row).count()
    expect(drawn).toBeGreaterThan(10)
    expect(drawn).toBeLessThan(MOST_DRAWN)
    const [name = ""] = list.name.exec(await rows.first().innerText()) ?? []
    await page.keyboard.press("End")
    await expect.poll(() => rows.filter({ hasText: name }).count()).toBe(0)
    await page.locator(`[role=${list.row}][aria-selected=true]`).first().waitFor()
    expect(await page.getByRole(list.row).count()).toBeLessThan(MOST_DRAWN)
    expect(window.problems()).toEqual([])
  },
)
