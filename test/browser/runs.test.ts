import { readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { launchChromium } from "./chromium.ts"
import { type ConsoleFixture, startConsole } from "./console-fixture.ts"
import { ENDED, question, type RunSeed, runsOf, say, seedRuns } from "./seed/runs.ts"
import { visit } from "./visit.ts"

let chromium: Awaited<ReturnType<typeof launchChromium>>
let fixture: ConsoleFixture
let seed: RunSeed
let runs: ReturnType<typeof runsOf>

beforeAll(async () => {
  ;[chromium, fixture] = await Promise.all([launchChromium(), startConsole({ backups: 0 })])
  runs = runsOf(fixture)
  seed = await seedRuns(fixture)
})
afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

const open = (address: string) => visit(chromium.browser, fixture, { path: address })
const option = (page: Page, name: RegExp) => page.getByRole("option", { name })
const at = (page: Page) => new URL(page.url()).searchParams.get("at")

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

describe("list of runs", () => {
  test("keys move over the runs; Space previews, Enter opens, Back returns", async () => {
    await using window = await open("/")
    const { page } = window
    await press(page, "g", "r")
    await option(page, /Make quotes and invoices/).waitFor()
    await press(page, "j")
    await page.waitForURL((url) => url.searchParams.has("at"))
    const selected = at(page)
    expect([seed.asking.id, seed.tariff.id], "what waits is first").toContain(selected)
    await press(page, "Space")
    await page.getByText("Open approval").waitFor()
    await press(page, "Escape")
    await page.waitForURL((url) => !url.searchParams.has("beside"))
    await press(page, "Enter")
    await page.waitForURL((url) => url.pathname === `/runs/${selected}`)
    await page.goBack()
    await page.waitForURL((url) => url.searchParams.get("at") === selected)
    expect(window.problems()).toEqual([])
  })

  test("text and status filter the runs and are part of the address", async () => {
    await using window = await open("/runs")
    const { page } = window
    await option(page, /Make quotes and invoices/).waitFor()
    await page.getByRole("button", { name: /^Failed/ }).click()
    await page.waitForURL(/status=failed/)
    await option(page, /Make quotes/).waitFor({ state: "detached" })
    await option(page, /Add a retry/).waitFor()
    await page.reload()
    await page.getByRole("button", { name: /^Failed/, pressed: true }).waitFor()
    await page.goto(`${fixture.url}/runs`)
    await option(page, /Add a retry/).waitFor()
    await press(page, "/")
    await page.keyboard.type("publish")
    await page.waitForURL((url) => url.searchParams.get("text") === "publish")
    await option(page, /Add a retry/).waitFor({ state: "detached" })
    await option(page, /Publish the tariffs/).waitFor()
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-5] a change of a run in another window appears by itself", async () => {
    await using window = await open("/runs")
    await option(window.page, /Read every tariff/).waitFor()
    await runs.edit(seed.compacted.id, { title: "Renamed elsewhere" })
    await option(window.page, /Renamed elsewhere/).waitFor()
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-27] several runs are archived at once and restored by undo; deleting asks with their number", async () => {
    await using window = await open("/runs")
    const { page } = window
    await option(page, /Add a retry/).click()
    await page.waitForURL((url) => url.searchParams.get("at") === seed.failed.id)
    await press(page, "x", "j", "x", ".")
    await page.getByRole("menuitemradio", { name: /^Archive/ }).click()
    await page.getByText("2 runs archived").waitFor()
    await option(page, /Add a retry/).waitFor({ state: "detached" })
    await press(page, "Control+z")
    await option(page, /Add a retry/).waitFor()
    await press(page, ".")
    await page.getByRole("menuitemradio", { name: /^Delete/ }).click()
    await page.getByRole("dialog").getByText("This cannot be undone.").waitFor()
    const focused = () => page.evaluate("document.activeElement?.textContent")
    await expect.poll(focused).toBe("Cancel")
    expect(window.problems()).toEqual([])
  })

  test("keys start a run; an error is shown beside its field, and the input stays", async () => {
    await using window = await visit(chromium.browser, fixture, { expects: [/status of 4\d\d/] })
    const { page } = window
    await press(page, "c")
    const words = page.getByLabel("Task", { exact: true })
    await words.waitFor()
    await page.getByRole("radio", { name: /^Synthetic/ }).check()
    await words.focus()
    await press(page, "Control+Enter")
    await page.getByText("A task is required.").waitFor()
    await words.fill("--help is no flag here")
    await page.getByLabel("Directory").fill("/etc")
    await page.getByRole("button", { name: "Start" }).click()
    await page.getByRole("alert").getByText("it is outside this repository").waitFor()
    await press(page, "Escape")
    await page.waitForURL((url) => !url.searchParams.has("beside"))
    await page.getByRole("button", { name: /New run/ }).click()
    await page.getByLabel("Directory").fill("")
    await words.press("Control+Enter")
    await page.waitForURL((url) => url.pathname.startsWith("/runs/"))
    await page.getByText("--help is no flag here").first().waitFor()
    expect(window.problems()).toEqual([])
  })

  test("a changed rules file applies once it is trusted, and a rule can be removed", async () => {
    const file = path.join(fixture.project, ".qm", "permissions.json")
    const text = await readFile(file, "utf8")
    await writeFile(file, text.replaceAll("npm test *", "npm run db:check"))
    await using window = await open("/runs?view=permissions")
    const { page } = window
    await page.getByText(/allow rules? in it (is|are) inactive/).waitFor()
    await page.getByRole("button", { name: "Trust this file" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByText("Bash, command npm run db:check").waitFor()
    await dialog.getByRole("button", { name: "Trust" }).click()
    await page.getByText("not trusted").first().waitFor({ state: "detached" })
    await page.getByRole("button", { name: "Remove" }).last().click()
    await page.getByText("Rule removed: allow Bash, command npm").waitFor()
    expect(window.problems()).toEqual([])
  })
})

describe("approvals", () => {
  test("[CONSOLE-25] on Now, Allow answers the selected approval and no key answers another", async () => {
    const short = await runs.play("Check it", [question("check", "npm run check"), ENDED])
    await runs.question(short.id)
    await using window = await open("/")
    const { page } = window
    const answers: string[] = []
    page.on("request", (it) => it.url().endsWith("/agents/answer") && answers.push(it.url()))
    const row = page.locator("[data-row]", { hasText: "Check it" })
    const allow = row.getByRole("button", { name: /^Allow/ })
    await row.waitFor()
    expect(await page.evaluate("document.activeElement?.tagName")).toBe("BODY")
    for (let i = 0; i < 3 && !(await allow.isVisible()); i++) await press(page, "j")
    await allow.waitFor()
    await press(page, "a")
    await page.getByText("Allowed once: npm run check").waitFor()
    await allow.waitFor({ state: "detached" })
    // Another approval took its position: no key may answer it before it is selected.
    await press(page, "d", "a", "g", "e")
    await page.getByRole("heading", { name: "Events", level: 1 }).waitFor()
    expect(answers).toHaveLength(1)
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-25] an approval longer than its row is opened, readable in full, and can be denied", async () => {
    const { id } = await runs.question(seed.asking.id)
    await using window = await open(`/runs?view=approvals&at=${id}`)
    const { page } = window
    await page.getByText("git push --force origin HEAD:main").last().waitFor()
    await page.getByLabel(/Reason for a denial/).fill("not by force")
    await page.getByRole("button", { name: /^Deny/ }).click()
    await page.getByText("Status: denied by the user.").waitFor()
    const statuses = (await runs.approvals(seed.asking.id)).map((it) => it.status)
    expect(statuses).toEqual(["denied"])
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-25] an approval answered in another window says by whom", async () => {
    const run = await runs.play("Ask me", [question("ask", "make"), ENDED])
    const { id } = await runs.question(run.id)
    await using window = await open(`/runs?view=approvals&at=${id}`)
    await window.page.getByRole("button", { name: /^Allow once/ }).waitFor()
    expect((await fixture.qm(["deny", id])).code).toBe(0)
    await window.page.getByText("Status: denied by the user.").waitFor()
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-25] in a transcript, its key answers an approval once, and the turns queued after it can be removed", async () => {
    await using window = await open(`/runs/${seed.tariff.id}`)
    const { page } = window
    await page.getByRole("button", { name: "Allow once" }).waitFor()
    const focused = await page.evaluate("document.activeElement?.tagName")
    expect(focused, "the focus never lands on Allow by itself").not.toBe("BUTTON")
    await page.getByRole("button", { name: "Remove" }).click()
    await page.getByText("Then update docs/tariff.md").waitFor({ state: "detached" })
    await page.locator("#page").focus()
    await press(page, "a")
    await page.getByText("allowed by the user").waitFor()
    await page.getByText("Quotes and invoices round by one rule now.").waitFor()
    expect(window.problems()).toEqual([])
  })
})

describe("one run", () => {
  test("[CONSOLE-31] a run of 6,000 messages draws few rows, does not jump while older ones load, and keys reach both ends", async () => {
    await using window = await open(`/runs/${seed.long.id}`)
    const { page } = window
    await page.getByText("Step 599:").waitFor()
    for (let i = 0; i < 40; i++) {
      const moved = await scrollUp(page, 150)
      // Newly loaded rows may absorb a scroll step; they never move the visible text.
      if (moved !== null && moved !== 0) expect(moved).toBeCloseTo(150, -1)
    }
    expect(await page.locator("[data-entry]").count()).toBeLessThan(300)
    await press(page, "g", "g")
    await page.getByText("Step 0:").waitFor()
    await press(page, "G")
    await page.getByText("Step 599:").waitFor()
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-3] a link leads to its message at any position and to its text", async () => {
    await using window = await open(`/runs/${seed.long.id}?at=3005`)
    const { page } = window
    await page.locator("[data-entry][aria-current=true]").waitFor()
    await page.getByRole("button", { name: /Jump to latest, \d/ }).waitFor()
    await press(page, "j")
    await page.waitForURL((url) => Number(url.searchParams.get("at")) > 3_005)
    await press(page, "r")
    await page.getByRole("region", { name: "Raw message" }).waitFor()
    await press(page, "Escape")
    await page.waitForURL((url) => !url.searchParams.has("raw"))
    await press(page, "Escape")
    await page.waitForURL((url) => !url.searchParams.has("at"))
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-31] the transcript follows its end only when scrolled to the end", async () => {
    const words = Array.from({ length: 60 }, (_, i) => say(`Word ${i}.`))
    const { id } = await runs.play("Count", [
      ...words,
      question("one", "make one"),
      say("Followed."),
      question("two", "make two"),
      say("Not followed."),
      ENDED,
    ])
    await using window = await open(`/runs/${id}`)
    const { page } = window
    await page.getByRole("button", { name: "Allow once" }).waitFor()
    await runs.answer((await runs.question(id)).id, "allow")
    await page.getByText("Followed.").waitFor()
    await page.getByRole("button", { name: "Allow once" }).waitFor()
    await scrollUp(page, 900)
    await stillTop(page)
    const before = await middleRow(page)
    await runs.answer((await runs.question(id)).id, "allow")
    await page.getByText("Completed", { exact: true }).waitFor()
    await stillTop(page)
    // Rows above are measured late and then move the scroll position, but not the visible text.
    expect((await middleRow(page, before.id)).top).toBeCloseTo(before.top, -1)
    await page.getByRole("button", { name: /Jump to latest/ }).click()
    await page.getByText("Not followed.").waitFor()
    expect(window.problems()).toEqual([])
  })

  test("the Stop button does not move: a second click hits no other button", async () => {
    const { id } = await runs.play("Wait", [question("wait", "make"), ENDED])
    await using window = await open(`/runs/${id}`)
    const { page } = window
    await page.getByRole("button", { name: "Allow once" }).waitFor()
    const stop = page.getByRole("button", { name: "Stop", exact: true })
    const box = await stop.boundingBox()
    if (box === null) throw new Error("Stop is not drawn")
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
    await page.mouse.click(x, y)
    await page.getByText("Stopped").first().waitFor()
    await page.mouse.click(x, y)
    expect(await page.getByRole("dialog").count()).toBe(0)
    expect(await stop.isDisabled()).toBe(true)
    expect(await stop.boundingBox()).toEqual(box)
    expect(window.problems()).toEqual([])
  })

  test("a run is exported as a page or as lines, with the page's own CSP", async () => {
    await using window = await open(`/runs/${seed.kinds.id}`)
    const { page } = window
    await page.getByText("Everything was shown.").waitFor()
    for (const format of ["HTML", "JSONL"]) {
      await page.getByRole("button", { name: "Actions" }).click()
      const saved = page.waitForEvent("download")
      await page.getByRole("menuitemradio", { name: `Export as ${format}` }).click()
      const file = await saved
      expect(file.suggestedFilename()).toBe(`${seed.kinds.id}.${format.toLowerCase()}`)
      expect(await file.failure()).toBe(null)
    }
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-30] streamed text appears at the end and within a collapsed or open activity", async () => {
    const top = await runs.play("Write", [question("one", "make one"), ...writing(), ENDED])
    await using window = await open(`/runs/${top.id}`)
    const { page } = window
    await page.getByRole("button", { name: "Allow once" }).waitFor()
    await runs.answer((await runs.question(top.id)).id, "allow")
    await page.locator("#writing", { hasText: "half a thought" }).waitFor()

    const started = { event: "activity.started", activityId: "live", ...LOOKS_INTO }
    const script = [question("one", "make one"), started, ...writing("live"), ENDED]
    const inside = await runs.play("Look", script)
    await page.goto(`${fixture.url}/runs/${inside.id}`)
    await page.getByRole("button", { name: "Allow once" }).waitFor()
    await runs.answer((await runs.question(inside.id)).id, "allow")
    // The timeline has a button of this name too, once the activity has taken some time.
    const row = page.locator("button[aria-expanded]", { hasText: "Look into the callers" })
    await row.getByText(/half a thought/).waitFor()
    await row.click()
    await page.locator("[data-writing]", { hasText: "half a thought" }).waitFor()
    expect(await page.locator("#writing").count()).toBe(0)
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-32] Markdown is never shown as source, not even before it is rendered", async () => {
    await using window = await visit(chromium.browser, fixture, {
      path: `/runs/${seed.kinds.id}`,
      initScript: `new MutationObserver(() => {
        if (document.body?.textContent.includes("**twice**")) reportProblem("seen raw")
      }).observe(document, { subtree: true, childList: true, characterData: true })`,
    })
    await window.page.getByText("Everything was shown.").waitFor()
    await window.page.locator("strong", { hasText: "twice" }).waitFor({ state: "attached" })
    expect(window.problems()).toEqual([])
  })
})

const writing = (parentId?: string) =>
  Array.from({ length: 1_000 }, () => ({
    event: "text.delta",
    text: "half a thought, ",
    after: 50,
    ...(parentId === undefined ? {} : { parentId }),
  }))

const LOOKS_INTO = { kind: "agent", tool: "Task", title: "Look into the callers" }

/** Returns how far a visible row moved in px, or null when it left the viewport. */
async function scrollUp(page: Page, px: number): Promise<number | null> {
  return (await page.evaluate(`(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done))
    const top = (row) => row.getBoundingClientRect().top
    const feed = document.querySelector("[role=feed]")
    // At the top until older rows are there.
    while (feed.scrollTop < ${px}) await frame()
    const row = [...document.querySelectorAll("[data-entry]")].find((it) => top(it) > 250)
    const before = row === undefined ? 0 : top(row)
    feed.scrollTop -= ${px}
    await frame()
    await frame()
    const after = document.getElementById(row?.id ?? "")
    return after === null ? null : top(after) - before
  })()`)) as number | null
}

/** A row that is visible, or the row with this id. */
async function middleRow(page: Page, id = ""): Promise<{ id: string; top: number }> {
  return (await page.evaluate(`(() => {
    const top = (row) => row.getBoundingClientRect().top
    const id = ${JSON.stringify(id)}
    const rows = [...document.querySelectorAll("[data-entry]")]
    const row = rows.find((it) => (id === "" ? top(it) > 250 : it.id === id))
    return { id: row?.id ?? "", top: row === undefined ? -1 : top(row) }
  })()`)) as { id: string; top: number }
}

/** Rows are measured after they are drawn, which moves the list for a moment. */
async function stillTop(page: Page): Promise<number> {
  const top = () => page.getByRole("feed").evaluate((it) => it.scrollTop)
  let last = await top()
  for (;;) {
    await page.waitForTimeout(100)
    const next = await top()
    if (next === last) return next
    last = next
  }
}
