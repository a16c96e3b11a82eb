import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { launchChromium } from "./chromium.ts"
import { type ConsoleFixture, startConsole } from "./console-fixture.ts"
import { seedTranscripts } from "./seed/transcripts.ts"
import { visit } from "./visit.ts"

let chromium: Awaited<ReturnType<typeof launchChromium>>
let fixture: ConsoleFixture
let long: string

/** `call` imports only what the tests do not import themselves. */
beforeAll(async () => {
  ;[chromium, fixture] = await Promise.all([launchChromium(), startConsole({ backups: 0 })])
  const unimported = { ...fixture, call: async () => undefined as never }
  long = (await seedTranscripts(unimported)).long
})
afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

const open = (path: string) => visit(chromium.browser, fixture, { path })

describe("Sessions, session and cost pages", () => {
  test("[CONSOLE-67] waiting transcripts are imported on request, and cancelled without loss", async () => {
    await using window = await open("/sessions")
    const { page } = window
    await page.getByText("6 transcripts on this machine").waitFor()
    // Holds the answer, so that there is time to cancel.
    await page.route("**/api/sessions/import", () => undefined)
    await page.getByRole("button", { name: /^Import this repository/ }).click()
    await page.getByText("Importing 0 of 6").waitFor()
    await page.getByRole("button", { name: "Cancel" }).click()
    await page.getByText("Import cancelled. The next one continues here.").waitFor()
    await page.unroute("**/api/sessions/import")
    await page.getByRole("button", { name: /^Import this repository/ }).click()
    await page.getByText(/^Imported 5 sessions with \d+ lines\.$/).waitFor()
    const list = page.getByRole("listbox", { name: "Sessions" })
    const rows = list.getByRole("option")
    await rows.filter({ hasText: "Round quotes half to even" }).waitFor()
    expect(await rows.count()).toBe(5)
    const unknown = rows.filter({ hasText: "Explain the tariff tables" })
    expect(await unknown.innerText()).toContain("unknown")
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-67] words search the text; Enter shows the session, Enter again opens it", async () => {
    await fixture.call("sessions.import", { all: false })
    await using window = await open("/sessions")
    const { page } = window
    await page.keyboard.press("/")
    await page.keyboard.type("rounded half")
    const match = page.getByRole("option", { name: /rounded half to even/ }).first()
    await match.waitFor()
    expect(await match.locator("mark").first().innerText()).toBe("rounded")
    await page.keyboard.press("Enter")
    await page.keyboard.press("j")
    await page.keyboard.press("Enter")
    const detail = page.getByRole("region", { name: "The session" })
    await detail.getByText("Matching lines").waitFor()
    await page.keyboard.press("Enter")
    await page.waitForURL(/\/sessions\/[0-9a-f-]{36}$/)
    await page.getByRole("img", { name: /^Window over time/ }).waitFor()
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-68] the chart marks a compaction and a wait; a point and keys show what entered", async () => {
    await fixture.call("sessions.import", { all: false })
    await using window = await open(`/sessions/${long}?call=12`)
    const { page } = window
    const chart = page.getByRole("img", { name: /Compacted after turn \d+, 18\d\.\dk → 24\.5k/ })
    await chart.waitFor()
    await page.getByText(/^1 h 1\d min, not to scale$/).waitFor()
    await page.getByText("Cache misses", { exact: true }).waitFor()
    await page.getByText(/^Removed tool results \d/).waitFor()
    await page.getByRole("heading", { name: "Entered at call 12" }).waitFor()
    await page.keyboard.press("ArrowRight")
    await page.getByRole("heading", { name: "Entered at call 13" }).waitFor()
    const box = await chart.boundingBox()
    await chart.click({ position: { x: 4, y: (box?.height ?? 60) / 2 } })
    await page.getByRole("heading", { name: "Entered at call 1", exact: true }).waitFor()
    await page.getByRole("link", { name: /you Round quotes half to even/ }).click()
    const line = page.getByRole("region", { name: "The line" })
    await line.getByText("Round quotes half to even").waitFor()
    await line.getByText(/^Its requests did not go through the gateway/).waitFor()
    await line.getByText("qm gateway run --mode fold -- claude").waitFor()
    await page.keyboard.press("Escape")
    await line.waitFor({ state: "detached" })
    await page.goto(`${fixture.url}/sessions/${long}?call=28`)
    const removed = page.getByRole("region", { name: "What the compaction removed" })
    await removed.getByText(/rounding\.ts/).waitFor()
    await removed
      .getByText(/read again, \d/)
      .first()
      .waitFor()
    await page.getByText("As a table").click()
    await expect.poll(() => page.getByRole("table").getByRole("row").count()).toBe(47)
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-69] costs by day and group equal those of the command", async () => {
    await fixture.call("sessions.import", { all: false })
    const cost = await fixture.call("sessions.cost", { by: "model", since: "30d" })
    await using window = await open("/cost")
    const { page } = window
    const groups = page.getByRole("region", { name: "Cost by group" })
    await groups.getByText("claude-opus-4-5").waitFor()
    const sum = `$${(cost.total.usd ?? 0).toFixed(2)}+`
    await groups.getByText(sum).waitFor()
    const opus = cost.rows.find((it) => it.key === "claude-opus-4-5")
    const change = `${opus?.change?.percent?.toFixed(0).replace("-", "−")} %`
    await groups.getByText(change.startsWith("−") ? change : `+${change}`).waitFor()
    await groups.getByRole("img", { name: "Cost by day of claude-opus-4-5" }).waitFor()
    await page.getByText("Fresh input").waitFor()
    await page.getByText(/No price is known for nova-9/).waitFor()
    await page.keyboard.press("t")
    await page.waitForURL(/by=repository/)
    await page.getByRole("button", { name: "Agent and sub-agent" }).click()
    await groups.getByText("claude-code Explore").waitFor()
    await page.getByRole("button", { name: "Tool results" }).click()
    await groups.getByText("Bash").waitFor()
    await page.keyboard.press("ArrowLeft")
    await page.waitForURL(/day=\d{4}-\d{2}-\d{2}/)
    expect(window.problems()).toEqual([])
  })
})
