import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { launchChromium } from "./chromium.ts"
import { type ConsoleFixture, startConsole } from "./console-fixture.ts"
import { measureFirstLoad } from "./first-load.ts"
import { auditPage, RULES_OF_COLOUR, seriousFindings, walkByTab } from "./page-audit.ts"
import { prepareSwarm } from "./seed/swarm.ts"
import { beFailing, visit } from "./visit.ts"

const LARGEST_FIRST_LOAD_BYTES = 250_000

let chromium: Awaited<ReturnType<typeof launchChromium>>
let fixture: ConsoleFixture

beforeAll(async () => {
  ;[chromium, fixture] = await Promise.all([
    launchChromium(),
    startConsole({ backups: 0, prepare: prepareSwarm }),
  ])
})
afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

const lane = (page: Page, name: string) =>
  page.getByRole("region", { name: "Workstreams" }).getByRole("region", { name, exact: true })
const review = (page: Page) => page.getByRole("region", { name: "Review" })

async function findings(page: Page): Promise<readonly string[]> {
  const found: string[] = []
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 })
    for (const theme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: theme })
      await page.locator(`html[data-theme=${theme}]`).waitFor()
      const { findings: faults } = await auditPage(page)
      found.push(...faults.map((it) => `${width} ${theme}: ${it.rule} ${it.where} ${it.says}`))
      if (width === 1440 && theme === "light")
        found.push(...(await seriousFindings(page, { without: RULES_OF_COLOUR })))
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  return found
}

describe("Swarm page", () => {
  test("[CONSOLE-96] a swarm is planned, run and reviewed on the page, by keys", async () => {
    await using window = await visit(chromium.browser, fixture, { path: "/swarm" })
    const { page } = window
    await page.getByText("No swarm ran yet.").waitFor()
    expect(await findings(page)).toEqual([])
    for (const file of ["a", "b", "c"])
      await fixture.call("ticket.new", { title: `Change ${file}`, paths: [`src/${file}.ts`] })
    await page.keyboard.press("c")
    await page.getByRole("button", { name: /^Start 3 workstreams/ }).waitFor()
    expect(await findings(page)).toEqual([])
    await page.keyboard.press("Control+Enter")
    await review(page).getByText("3 of 3 ready").waitFor()
    await lane(page, "ws1").getByText("Parked at testing").waitFor()
    const forecast = page.getByText("Conflict forecast: ws1 with ws2")
    await forecast.waitFor()
    await page.getByRole("button", { name: "Ignore" }).click()
    await forecast.waitFor({ state: "detached" })
    await page.reload()
    await page.getByRole("button", { name: "Show 1 ignored forecast" }).click()
    await forecast.waitFor()
    await lane(page, "ws3").getByText("exit code 0").waitFor()
    expect(await findings(page)).toEqual([])

    await page.keyboard.press("3")
    await page.keyboard.press("r")
    await page.getByLabel("Missing or wrong in ws3").fill("Add a test with three items")
    await page.keyboard.press("Enter")
    await expect
      .poll(async () => (await fixture.call("swarm.review", {})).swarm?.workstreams[2], {
        timeout: 60_000,
      })
      .toMatchObject({ attempt: 2, state: "parked" })
    await lane(page, "ws3").getByText("attempt 2, waits for you").waitFor()

    await page.keyboard.press("1")
    await page.keyboard.press("Enter")
    await page.getByRole("region", { name: "Diff" }).getByText("shared.txt").first().waitFor()
    expect(await findings(page)).toEqual([])
    await page.keyboard.press("Escape")
    await page.keyboard.press("a")
    await review(page).getByText("approved").waitFor()
    await page.keyboard.press("2")
    await page.keyboard.press("a")
    await page.getByText("SWARM_MERGE_CONFLICT").waitFor()
    await review(page).getByRole("button", { name: "Discard" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click()
    await review(page).getByText("discarded").waitFor()
    const { tickets } = await fixture.call("board.show", {})
    expect(tickets.map((it) => it.lane).toSorted()).toEqual(["backlog", "conclusion", "testing"])
    expect((await walkByTab(page)).traps).toEqual([])
    expect(window.problems().filter((it) => !/409/.test(it))).toEqual([])

    const [concluded] = tickets.filter((it) => it.lane === "conclusion")
    await page.goto(`${fixture.url}/board/${concluded?.id}`)
    await page.getByText("Diff of its commits").waitFor()
    await page.goto(`${fixture.url}/`)
    await page.getByRole("heading", { name: /^Worktrees/ }).waitFor()
    const load = await measureFirstLoad(chromium.browser, fixture, "/swarm")
    expect(load.bytes).toBeLessThan(LARGEST_FIRST_LOAD_BYTES)
  })

  test("[CONSOLE-96] Pause all stops each workstream after one question, and continues them after a restart", async () => {
    await using own = await startConsole({ backups: 0, prepare: prepareSwarm })
    for (const file of ["a", "b"])
      await own.call("ticket.new", { title: `Change ${file}`, paths: [`src/${file}.ts`] })
    const script = '{"event":"turn.ended","outcome":"completed","after":3600000}'
    await own.call("swarm.run", { script, wait: false })
    await using window = await visit(chromium.browser, own, { path: "/swarm" })
    const { page } = window
    const states = async () =>
      (await own.call("swarm.review", {})).swarm?.workstreams.map((it) => it.state)
    for (const name of ["ws1", "ws2"]) await lane(page, name).getByText("Working").waitFor()

    await page.keyboard.press("p")
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("heading", { name: "Pause 2 workstreams" }).waitFor()
    await dialog.getByText("ws2, working: Change b").waitFor()
    expect(await findings(page)).toEqual([])
    await page.keyboard.press("Escape")
    expect(await states()).toEqual(["working", "working"])
    await page.keyboard.press("p")
    await dialog.getByRole("button", { name: "Pause 2" }).click()
    for (const name of ["ws1", "ws2"])
      await lane(page, name).getByText("Paused", { exact: true }).waitFor()
    expect(await states()).toEqual(["paused", "paused"])
    const { runs } = await own.call("agents.list", {})
    expect(runs.map((it) => it.status)).toEqual(["stopped", "stopped"])

    await own.stop()
    await own.startAgain()
    await page.reload()
    await lane(page, "ws1").getByText("Paused", { exact: true }).waitFor()
    await page.keyboard.press("p")
    await dialog.getByRole("button", { name: "Continue 2" }).click()
    await review(page).getByText("2 of 2 ready").waitFor()
    expect(await states()).toEqual(["parked", "parked"])
  })

  test("[CONSOLE-96] a failing server is shown with its code", async () => {
    const expects = [/503/]
    await using window = await visit(chromium.browser, fixture, {
      path: "/swarm",
      expects,
      prepare: beFailing,
    })
    await window.page.getByText("STORE_CORRUPT").first().waitFor()
    expect(await findings(window.page)).toEqual([])
    expect(window.problems()).toEqual([])
  })
})
