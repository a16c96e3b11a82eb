import { writeFile } from "node:fs/promises"
import path from "node:path"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { launchChromium } from "./chromium.ts"
import { type ConsoleFixture, startConsole } from "./console-fixture.ts"
import { walkByTab } from "./page-audit.ts"
import { type BoardStory, seedBoard } from "./seed/board.ts"
import { visit } from "./visit.ts"

let chromium: Awaited<ReturnType<typeof launchChromium>>
let fixture: ConsoleFixture
let story: BoardStory

beforeAll(async () => {
  ;[chromium, fixture] = await Promise.all([launchChromium(), startConsole({ backups: 2 })])
  story = await seedBoard(fixture)
})
afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

const lane = (page: Page, name: string) => page.getByRole("region", { name, exact: true })
const card = (page: Page, name: string, id: string) =>
  lane(page, name).getByRole("button", { name: new RegExp(id) })
const laneOf = async (id: string) => (await fixture.call("ticket.show", { id })).ticket.lane

describe("Board page", () => {
  test("on a phone the board starts at the lane that waits for the person", async () => {
    await using window = await visit(chromium.browser, fixture, { path: "/board" })
    const { page } = window
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`${fixture.url}/board`)
    await card(page, "Testing", story.tested).waitFor()
    const box = await lane(page, "Testing").boundingBox()
    expect(Math.abs(box?.x ?? Number.NaN)).toBeLessThan(1)
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-90] a drag and a key move a ticket alike, another browser shows it, undo reverts it", async () => {
    await using one = await visit(chromium.browser, fixture, { path: "/board" })
    await using two = await visit(chromium.browser, fixture, { path: "/board" })
    const { page } = one
    await card(page, "Working", story.working).dragTo(lane(page, "Testing"))
    await card(two.page, "Testing", story.working).waitFor()
    expect(await laneOf(story.working)).toBe("testing")
    await page.getByRole("button", { name: "Undo" }).first().click()
    await card(two.page, "Working", story.working).waitFor()
    await card(page, "Working", story.working).click()
    await page.keyboard.press(">")
    await card(two.page, "Testing", story.working).waitFor()
    await page.keyboard.press("u")
    await card(two.page, "Working", story.working).waitFor()
    expect(one.problems()).toEqual([])
  })

  test("[CONSOLE-91] a refused move says why, and the card returns", async () => {
    await using window = await visit(chromium.browser, fixture, { path: "/board" })
    const { page } = window
    await card(page, "Backlog", story.blocked).dragTo(lane(page, "Working"))
    await page.getByText(new RegExp(`depends on ${story.working}`)).waitFor()
    await card(page, "Backlog", story.blocked).waitFor()
    await card(page, "Backlog", story.blocked).getByText("↘ blocked by 1").waitFor()
    expect(await card(page, "Working", story.blocked).count()).toBe(0)
  })

  test("[CONSOLE-92] work of an agent is sent back with feedback, and approved only with evidence", async () => {
    const { tested } = story
    const at = `/board?at=${tested}&show=${tested}`
    await using window = await visit(chromium.browser, fixture, { path: at })
    const { page } = window
    const peek = page.getByRole("region", { name: "The ticket" })
    await peek.getByText("2 of 2").waitFor()
    await peek.getByRole("button", { name: /^Approve/ }).click()
    await page.getByText(/it has no evidence/).waitFor()
    expect(await laneOf(tested)).toBe("testing")
    await page.keyboard.press("r")
    await peek.getByLabel("Missing or wrong").fill("Name both lengths")
    await peek.getByRole("button", { name: "Send back" }).click()
    await card(page, "Working", tested).waitFor()
    await peek.getByText(/rejected by [^:]+: Name both lengths/).waitFor()
    await fixture.call("ticket.move", { id: tested, lane: "testing" })
    await fixture.call("ticket.evidence", { id: tested, command: ["git", "--version"] })
    await peek.getByText("exit code 0", { exact: true }).waitFor()
    await peek.getByRole("button", { name: /^Approve/ }).click()
    await card(page, "Conclusion", tested).waitFor()
    expect(await laneOf(tested)).toBe("conclusion")
  })

  test("[CONSOLE-93] the whole page works by keys: lanes, peek, log, new ticket, ticket page", async () => {
    await using window = await visit(chromium.browser, fixture, { path: "/board" })
    const { page } = window
    await lane(page, "Backlog").waitFor()
    await page.keyboard.press("j")
    await page.keyboard.press("l")
    await page.locator('[aria-current="true"]', { hasText: story.working }).waitFor()
    await page.keyboard.press("Space")
    await page.getByRole("region", { name: "The ticket" }).getByText("Events").waitFor()
    await page.keyboard.press("Escape")
    await page.keyboard.press("v")
    const log = page.getByRole("region", { name: "Event log" })
    await log.getByText(story.working).first().waitFor()
    await log.getByRole("button", { name: "Undo" }).first().waitFor()
    await page.keyboard.press("Escape")
    // The selected card has a line to the one that depends on it.
    await expect.poll(() => page.locator("svg path[data-open]").count()).toBe(1)
    await page.keyboard.press("c")
    await page.getByLabel("Title").fill("Name the <units> in every line")
    await page.keyboard.press("Control+Enter")
    await lane(page, "Backlog").getByText("Name the <units> in every line").waitFor()
    await page.keyboard.press("Escape")
    await page.keyboard.press("Enter")
    await page
      .getByRole("region", { name: "The ticket" })
      .getByText("Work", { exact: true })
      .waitFor()
    await page.keyboard.press("Escape")
    await lane(page, "Backlog").waitFor()
    expect((await walkByTab(page)).traps).toEqual([])
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-99] a run is started from a ticket, has its package and names the ticket", async () => {
    const { working } = story
    await using window = await visit(chromium.browser, fixture, { path: `/board/${working}` })
    const { page } = window
    await page.evaluate(`localStorage.setItem("qm.launch.agent", "synthetic")`)
    await page.getByRole("button", { name: /^Start run/ }).waitFor()
    const request = page.waitForRequest((it) => it.url().endsWith("/api/agents/start"))
    await page.keyboard.press("s")
    await page.waitForURL((url) => url.pathname.startsWith("/runs/"))
    const { runs } = await fixture.call("agents.list", { label: working })
    expect(runs).toMatchObject([{ type: "synthetic", labels: [working] }])
    expect((await request).postDataJSON()).toMatchObject({ pack: expect.stringMatching(/^pk_/) })
    await page.getByRole("link", { name: working }).click()
    const work = page.getByRole("region", { name: "Facts of the ticket" })
    await work.locator(`a[href$="/runs/${runs[0]?.id}"]`).waitFor()
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-94] a broken file is reported and the other tickets stay", async () => {
    const file = path.join(fixture.project, ".qm", "board", "tickets", "broken.md")
    await writeFile(file, "---\ntitle: [\n---\n")
    await using window = await visit(chromium.browser, fixture, { path: "/board" })
    const { page } = window
    await page.getByText(/1 file cannot be read: .*broken\.md/).waitFor()
    await card(page, "Working", story.working).waitFor()
    await page.keyboard.press("/")
    await page.keyboard.type("no such ticket")
    await page.getByText("No ticket matches this filter.").waitFor()
    expect(await card(page, "Working", story.working).count()).toBe(0)
  })
})
