import { mkdir, rm, writeFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { launchChromium } from "./chromium.ts"
import { type ConsoleFixture, startConsole } from "./console-fixture.ts"
import { prepareFirstRun } from "./seed/first-run.ts"
import { visit } from "./visit.ts"

let chromium: Awaited<ReturnType<typeof launchChromium>>
let fixture: ConsoleFixture

beforeAll(async () => {
  ;[chromium, fixture] = await Promise.all([
    launchChromium(),
    startConsole({ backups: 0, prepare: prepareFirstRun }),
  ])
})
afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

describe("first run", () => {
  test("[CONSOLE-66] the capture is taken once and drawn, beside the agents of this machine", async () => {
    await using window = await visit(chromium.browser, fixture)
    const { page } = window
    await page.getByText(/tokens in Claude Code, [\d.]+ % of/).waitFor()
    await page.getByText("no sign-in found, not connected").waitFor()
    await page.getByText("signed in, not connected").waitFor()
    await page.reload()
    await page.getByText(/tokens in Claude Code/).waitFor()
    const { captures } = await fixture.call("capture.list", {})
    expect(captures.map((it) => [it.host, it.times])).toEqual([["claude-code", 1]])
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-66] a stored capture that cannot be read shows its error and can be retried", async () => {
    const file = path.join(fixture.project, ".qm", "config.json")
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, JSON.stringify({ log: { level: "loud" } }))
    const expects = [/status of 4\d\d/]
    await using window = await visit(chromium.browser, fixture, { expects })
    await window.page.getByText("log.level must be one of").first().waitFor()
    await rm(file)
    await window.page.getByRole("button", { name: "Try again" }).first().click()
    await window.page.getByText(/tokens in Claude Code/).waitFor()
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-66] an import can be cancelled, and continues at the next one", async () => {
    await using window = await visit(chromium.browser, fixture)
    const { page } = window
    await page.route("**/api/agents/read", () => {})
    await page.getByRole("button", { name: "Import 3 sessions" }).click()
    await page.getByText("0 of 3 sessions imported").waitFor()
    await page.getByRole("button", { name: "Cancel" }).click()
    await page.getByText("0 of 3 sessions imported, cancelled").waitFor()
    await page.unroute("**/api/agents/read")
    await page.getByRole("button", { name: "Import 3 sessions" }).click()
    // The first imported run ends the first-run page; Now lists the sessions.
    await page.getByRole("heading", { name: "Recent sessions" }).waitFor()
    await page.getByText("Explain the tariff tables").first().waitFor()
    const { runs } = await fixture.call("agents.list", {})
    expect(runs.map((it) => it.title).toSorted()).toEqual([
      "Explain the tariff tables",
      "Round quotes half to even",
      "Why is night pilotage billed",
    ])
    expect(window.problems()).toEqual([])
  })
})
