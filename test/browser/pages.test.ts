import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { launchChromium } from "./chromium.ts"
import { type ConsoleFixture, startConsole } from "./console-fixture.ts"
import { visit } from "./visit.ts"

let chromium: Awaited<ReturnType<typeof launchChromium>>
let fixture: ConsoleFixture

beforeAll(async () => {
  ;[chromium, fixture] = await Promise.all([launchChromium(), startConsole({ backups: 3 })])
})
afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

describe("every page shows the server's data without a problem in the browser", () => {
  test.each([
    { page: "/", heading: "Now", shows: "See what your agent loads" },
    { page: "/events", heading: "Events", shows: "store.backed-up" },
    { page: "/events?at=2&view=raw", heading: "Events", shows: '"store.backed-up"' },
    { page: "/events?text=never", heading: "Events", shows: "No loaded event matches." },
    { page: "/settings", heading: "Settings", shows: "store.keepBackups" },
    { page: "/settings", heading: "Settings", shows: /\d+ of \d+ checks pass/ },
    { page: "/settings?at=tokens.window", heading: "Settings", shows: "QM_TOKENS_WINDOW" },
    { page: "/no/such/page", heading: "Not found", shows: "Page not found" },
  ])("[CONSOLE-1] $page", async ({ page: address, heading, shows }) => {
    await using window = await visit(chromium.browser, fixture, { path: address })
    const { page } = window
    await page.getByRole("heading", { name: heading, level: 1 }).waitFor()
    await page.getByText(shows).first().waitFor()
    expect(await page.getByText(/NaN|undefined|\[object/).count(), "a value without words").toBe(0)
    expect(new URL(page.url()).hash, "the token has left the address bar").toBe("")
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-7] a new repository shows what an agent loads and the next steps", async () => {
    await using fresh = await startConsole({ backups: 0 })
    await using window = await visit(chromium.browser, fresh)
    await window.page.getByText("See what your agent loads").waitFor()
    await window.page.getByRole("button", { name: "Build a package" }).waitFor()
    await window.page.goto(`${fresh.url}/events?name=config.`)
    await window.page.getByText("No loaded event matches.").waitFor()
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-8] a failed page shows the next step, and the other pages work", async () => {
    await using broken = await startConsole({ backups: 1 })
    const file = path.join(broken.project, ".qm", "config.json")
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, '{ "tokens": { "window": "wide" } }')
    const expects = [/status of (400|422|500|503)/]
    await using window = await visit(chromium.browser, broken, { path: "/settings", expects })
    const { page } = window
    const problem = /config\.json:1:25: tokens\.window must be a number, got "wide"/
    await page.getByRole("heading", { name: problem }).waitFor()
    await page.getByText("CONFIG_INVALID").waitFor()
    await page.getByRole("link", { name: "Events" }).click()
    await page.getByText("store.backed-up").waitFor()
    // Regaining focus triggers a second request; the file is repaired only after that request has
    // failed too.
    const askedAgain = page.waitForResponse((it) => it.url().includes("/api/config/show"))
    await page.getByRole("link", { name: "Settings" }).click()
    await (await askedAgain).finished()
    await page.getByText("CONFIG_INVALID").waitFor()
    await writeFile(file, '{ "tokens": { "window": 64000 } }')
    await page.getByRole("button", { name: "Try again" }).click()
    const size = page.getByRole("textbox", { name: "tokens.window" })
    await expect.poll(() => size.inputValue()).toBe("64000")
    expect(window.problems()).toEqual([])
  })
})

describe("login", () => {
  test("[TB1] a browser without a link sees one sentence and the command that creates a link", async () => {
    const expects = [/status of 401/]
    await using window = await visit(chromium.browser, fixture, { by: "address", expects })
    await window.page.getByText("Sign-in link required").waitFor()
    await window.page.getByText("qm open", { exact: true }).waitFor()
    expect(await window.page.getByText("tideline").count(), "nothing of the repository").toBe(0)
    expect(window.problems()).toEqual([])
  })

  test("[HTTP-3] a link admits one browser once, and scripts cannot read the cookie", async () => {
    const link = fixture.link()
    await using first = await visit(chromium.browser, fixture, { by: "address", expects: [/401/] })
    await first.page.goto(link)
    await first.page.reload()
    await first.page.getByRole("heading", { name: "Now", exact: true }).waitFor()
    expect(await first.page.evaluate("document.cookie")).toBe("")
    const [cookie] = await first.context.cookies()
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" })

    await using second = await visit(chromium.browser, fixture, { by: "address", expects: [/401/] })
    await second.page.goto(link)
    await second.page.reload()
    await second.page.getByText("Sign-in link required").waitFor()
    expect(await second.context.cookies()).toEqual([])

    // Opening an old link does not log out a browser that is logged in.
    await first.page.goto("about:blank")
    await first.page.goto(link)
    await first.page.getByRole("heading", { name: "Now", exact: true }).waitFor()
  })

  test("[CONSOLE-4] a browser without storage shows everything", async () => {
    const refuse = (name: string) =>
      `Object.defineProperty(window, "${name}", {
        get() { throw new DOMException("refused", "SecurityError") } });`
    const initScript = refuse("localStorage") + refuse("sessionStorage") + refuse("indexedDB")
    await using window = await visit(chromium.browser, fixture, { path: "/events", initScript })
    const { page } = window
    const head = await fixture.head()
    await page.locator(`#event-${head}`).waitFor()
    await fixture.backUp()
    await page.locator(`#event-${head + 1}`).waitFor()
    await page.goto(`${fixture.url}/settings`)
    await page.getByText("Paper").click()
    const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor")
    await expect.poll(ground).toMatch(/0\.977/)
    expect(window.problems()).toEqual([])
  })
})
