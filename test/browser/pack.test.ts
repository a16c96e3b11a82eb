import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { launchChromium } from "./chromium.ts"
import { type ConsoleFixture, startConsole } from "./console-fixture.ts"
import { payloads } from "./payloads.ts"
import { writeFiles, writeHarbour } from "./seed/harbour.ts"
import { TASK } from "./seed/seed.ts"
import { visit } from "./visit.ts"

const ROUNDING = "src/tariff/rounding.ts"
const QUOTE = "src/tariff/quote.ts"
const BUILT = `/pack?task=${encodeURIComponent(TASK)}&budget=4000`

/** Payloads that fit into a file name and into a string literal. */
const NAMES = payloads(300)
  .filter((it) => !it.includes("/") && !it.includes("\0") && Buffer.byteLength(it) < 200)
  .slice(0, 40)

let chromium: Awaited<ReturnType<typeof launchChromium>>
let fixture: ConsoleFixture

beforeAll(async () => {
  ;[chromium, fixture] = await Promise.all([launchChromium(), startConsole({ backups: 0 })])
  await writeHarbour(fixture)
  await fixture.call("map.scan", {})
  await fixture.call("pack.build", { task: TASK, budget: 2_000 })
})
afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

const open = (address: string) =>
  // Chromium logs every response above 399 to its console.
  visit(chromium.browser, fixture, { path: address, expects: [/status of 4\d\d/] })

function chosen(page: Page, path: string) {
  const name = path.slice(path.lastIndexOf("/") + 1)
  return page.getByRole("listbox", { name: "Selected files" }).getByRole("option", { name })
}

async function order(page: Page): Promise<readonly string[]> {
  const rows = page.getByRole("listbox", { name: "Selected files" }).getByRole("option")
  return rows.evaluateAll((all) =>
    all.map((it) => it.querySelector("[title]")?.getAttribute("title") ?? ""),
  )
}

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

const has = (name: string, value: string) => (url: URL) => url.searchParams.get(name) === value

describe("Pack page", () => {
  test("[CONSOLE-38] with keys alone, a task is written and a file pinned, dropped, moved and changed in form", async () => {
    await using window = await open("/")
    const { page } = window
    await press(page, "g", "p")
    await page.getByRole("textbox", { name: "Task" }).waitFor()
    await press(page, "e")
    await page.keyboard.type(TASK)
    await press(page, "Tab", "Shift+Tab")
    expect(new URL(page.url()).search).toBe("")
    await press(page, "Enter")
    await chosen(page, ROUNDING).waitFor()
    const count = (await order(page)).length
    await press(page, "j")
    await page.waitForURL((url) => url.searchParams.has("at"))
    const first = new URL(page.url()).searchParams.get("at") ?? ""
    await press(page, "Space")
    await page.waitForURL(has("pin", first))
    await chosen(page, first).getByText("pinned").first().waitFor()
    await press(page, "j", "x")
    await page.waitForURL((url) => url.searchParams.has("drop"))
    await page.getByText(`tokens, ${count - 1} files`).waitFor()
    await press(page, "Control+z")
    await page.getByText(`tokens, ${count} files`).waitFor()
    await press(page, "k", "v", "3")
    await page.waitForURL((url) => url.searchParams.has("signatures"))
    const [top = "", second = ""] = await order(page)
    const isSecond = () => new URL(page.url()).searchParams.get("at") === second
    if (!isSecond()) await chosen(page, second).click()
    await press(page, "Alt+ArrowUp")
    await page.waitForURL((url) => url.searchParams.has("order"))
    await expect.poll(async () => (await order(page)).slice(0, 2)).toEqual([second, top])
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-38] several quick changes cause one build, and the previous package stays visible meanwhile", async () => {
    await using window = await open(BUILT)
    const { page } = window
    await chosen(page, ROUNDING).waitFor()
    const asked: string[] = []
    page.on("request", (it) => {
      if (it.url().endsWith("/api/pack/build")) asked.push(it.postData() ?? "")
    })
    for (let i = 0; i < 4; i++) await press(page, "j", "Space")
    expect(await chosen(page, ROUNDING).count()).toBe(1)
    await page.waitForURL((url) => url.searchParams.getAll("pin").length === 4)
    await expect.poll(() => asked.at(-1)).toMatch(/"target":\[("[^"]+",?){4}\]/)
    await page.getByText("not saved").waitFor()
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-38] the pointer moves a row, and a click changes its form", async () => {
    await using window = await open(`${BUILT}&pin=${encodeURIComponent(QUOTE)}`)
    const { page } = window
    await chosen(page, QUOTE).waitFor()
    const before = await order(page)
    const last = before.at(-1) ?? ""
    const rows = page.getByRole("listbox", { name: "Selected files" }).getByRole("option")
    await rows.last().dragTo(rows.first(), { targetPosition: { x: 60, y: 3 } })
    await page.waitForURL((url) => url.searchParams.has("order"))
    await expect.poll(() => order(page)).toEqual([last, ...before.slice(0, -1)])
    await chosen(page, QUOTE).getByText("Path", { exact: true }).click()
    await page.waitForURL(has("mention", QUOTE))
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-3] the package request survives a reload, and Back returns to it", async () => {
    await using window = await open(
      `${BUILT}&pin=${QUOTE}&drop=docs/tariff.md&symbols=${ROUNDING}&tab=xml`,
    )
    const { page } = window
    await page.getByText(`<file path="${ROUNDING}"`).waitFor()
    const before = await order(page)
    expect(before).not.toContain("docs/tariff.md")
    await page.reload()
    await page.getByText(`<file path="${ROUNDING}"`).waitFor()
    expect(await order(page)).toEqual(before)
    await press(page, "b", "Control+a")
    await page.keyboard.type("3k")
    await press(page, "Enter")
    await page.getByText("of 3,000 tokens, ").waitFor()
    await page.goBack()
    await page.getByText("of 4,000 tokens, ").waitFor()
    expect(window.problems()).toEqual([])
  })

  test("a preview opens at the selected file, and Escape returns to the list", async () => {
    await using window = await open(`${BUILT}&tab=json`)
    const { page } = window
    await chosen(page, ROUNDING).waitFor()
    await press(page, "j")
    await page.waitForURL((url) => url.searchParams.has("at"))
    const path = new URL(page.url()).searchParams.get("at") ?? ""
    await press(page, "Enter")
    const text = page.getByRole("region", { name: "Package text" })
    await text.getByText(`"path": "${path}"`).waitFor()
    const focused = () => page.evaluate('document.activeElement?.getAttribute("aria-label")')
    await expect.poll(focused).toBe("Package text")
    await press(page, "Escape")
    await expect.poll(focused).toBe("Candidates")
    await page.waitForURL(has("at", path))
    expect(window.problems()).toEqual([])
  })

  test("with a too small budget the package stays and the page offers the required budget", async () => {
    await using window = await open(BUILT)
    const { page } = window
    await chosen(page, ROUNDING).waitFor()
    await page.getByRole("textbox", { name: "Budget in tokens" }).fill("20")
    await press(page, "Enter")
    await page.getByText("PACK_BUDGET_TOO_SMALL").waitFor()
    expect(await chosen(page, ROUNDING).count()).toBe(1)
    const raise = page.getByRole("button", { name: /^Raise the budget to \d+$/ })
    const needed = /\d+$/.exec((await raise.textContent()) ?? "")?.[0] ?? ""
    await raise.click()
    await page.waitForURL(has("budget", needed))
    await page.getByText(`of ${needed} tokens, `).waitFor()
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-38] a stored package stays unchanged; changing it creates a new one, and both are compared", async () => {
    const pin = encodeURIComponent(QUOTE)
    await using window = await open(`${BUILT}&pin=${pin}&signatures=${pin}`)
    const { page, context } = window
    await context.grantPermissions(["clipboard-read", "clipboard-write"])
    await chosen(page, QUOTE).getByText("pinned").first().waitFor()
    await press(page, "y")
    await page.getByText(/^Copied [\d,]+ tokens/).waitFor()
    expect(await page.evaluate("navigator.clipboard.readText()")).toMatch(/^## Context Package/)
    await press(page, "s")
    await page.waitForURL((url) => url.searchParams.has("id"))
    await page.getByText(/^saved today/).waitFor()
    const id = new URL(page.url()).searchParams.get("id")
    await page.goto(`${fixture.url}/pack`)
    await page.getByText(TASK).first().waitFor()
    await page.goto(`${fixture.url}/pack?id=${id}`)
    await chosen(page, QUOTE).getByText("pinned").first().waitFor()
    // A change of a stored package starts from its selection.
    const other = (await order(page)).find((it) => it !== QUOTE) ?? ""
    await chosen(page, other).first().click()
    await press(page, "x")
    await page.waitForURL((url) => !url.searchParams.has("id"))
    expect(new URL(page.url()).searchParams.get("pin")).toBe(QUOTE)
    expect(new URL(page.url()).searchParams.get("signatures")).toBe(QUOTE)
    await page.getByText("not saved").waitFor()
    await press(page, "d")
    await page.waitForURL(/compare=yes/)
    await page.getByText(/^\d+ changes?, /).waitFor()
    await press(page, "Escape")
    await chosen(page, QUOTE).waitFor()
    expect(window.problems()).toEqual([])
  })

  test("starting a run stores the package, and the run begins with task and package", async () => {
    await using window = await open(BUILT)
    const { page } = window
    const started: unknown[] = []
    page.on("request", (it) => {
      if (it.url().endsWith("/api/agents/start")) started.push(it.postDataJSON())
    })
    await chosen(page, ROUNDING).waitFor()
    await press(page, "Control+Enter")
    await page.waitForURL((url) => url.pathname === "/runs")
    const { searchParams } = new URL(page.url())
    const pack = searchParams.get("pack") ?? ""
    expect([searchParams.get("beside"), searchParams.get("prompt")]).toEqual(["new", TASK])
    const words = page.getByLabel("Task", { exact: true })
    expect(await words.inputValue()).toBe(TASK)
    await page.getByText(/^\d+ files, [\d,]+ tokens, before the first turn/).waitFor()
    await page.getByRole("link", { name: "Open" }).click()
    await page.getByText(/^saved today/).waitFor()
    await page.getByRole("button", { name: /^Start run/ }).click()
    await words.waitFor()
    expect(await page.getByLabel("Package").inputValue(), "it is not kept twice").toBe(pack)
    await page.getByLabel("Package").fill("pk_none")
    await page.getByRole("alert").getByText("No stored package").waitFor()
    await page.getByLabel("Package").fill(pack)
    await page.getByRole("radio", { name: /^Synthetic/ }).check()
    await words.press("Control+Enter")
    await page.waitForURL((url) => url.pathname.startsWith("/runs/"))
    expect(started).toMatchObject([{ prompt: TASK, pack }])
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-3] on a phone the columns are tabs, and the preview is a page", async () => {
    await using window = await open(BUILT)
    const { page } = window
    await page.setViewportSize({ width: 390, height: 844 })
    const tab = (name: RegExp) => page.getByRole("button", { name })
    await page.getByRole("listbox", { name: "Candidates" }).waitFor()
    await chosen(page, ROUNDING).waitFor({ state: "hidden" })
    await tab(/^Selected/).click()
    await chosen(page, ROUNDING).click()
    await page.getByRole("button", { name: "Pin" }).click()
    await page.waitForURL(has("pin", ROUNDING))
    await tab(/^Preview/).click()
    await page.getByRole("region", { name: "Package text" }).waitFor()
    expect(await chosen(page, ROUNDING).isVisible()).toBe(false)
    await page.goBack()
    await chosen(page, ROUNDING).waitFor()
    expect(window.problems()).toEqual([])
  })

  test("[S4] names, comments and texts of a hostile repository are text in Map and Pack", async () => {
    const hostile = NAMES.map((it, at) => [
      `hostile/${it}.ts`,
      `/** rounding ${it.replaceAll("*/", "")} */\nexport const rounding${at} = ${JSON.stringify(it)}\n`,
    ])
    await writeFiles(fixture.project, Object.fromEntries(hostile))
    await fixture.call("map.scan", {})
    const sentinel = `Object.defineProperty(window, "__pwn", {
      set: (value) => reportProblem("pwned: " + value),
    })`
    await using window = await visit(chromium.browser, fixture, {
      path: "/map?view=list&open=hostile",
      initScript: sentinel,
      expects: [/status of 4\d\d/],
    })
    const { page } = window
    await page
      .getByRole("treeitem", { name: /hostile/ })
      .first()
      .waitFor()
    for (const name of NAMES.filter((_, at) => at % (process.env["QM_NIGHT"] ? 1 : 5) === 0)) {
      const file = `hostile/${name}.ts`
      await page.goto(`${fixture.url}/map?show=${encodeURIComponent(file)}`)
      await page
        .getByText(/^export const rounding/)
        .first()
        .waitFor()
      const pinned = `task=${encodeURIComponent(`rounding ${name}`)}&pin=${encodeURIComponent(file)}`
      await page.goto(`${fixture.url}/pack?${pinned}&tab=markdown`)
      await page
        .getByText(/tokens, \d+ files?/)
        .first()
        .waitFor()
    }
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    expect(window.problems()).toEqual([])
    expect(await page.locator("img, iframe, object, embed, base, form").count()).toBe(0)
  })
})
