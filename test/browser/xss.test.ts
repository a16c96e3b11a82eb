import { mkdir, rename, writeFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { visible, visibleLine } from "#ground/base"
import { isNight } from "#test/seed"
import { launchChromium } from "./chromium.ts"
import { type ConsoleFixture, startConsole } from "./console-fixture.ts"
import { payloads } from "./payloads.ts"
import { visit } from "./visit.ts"

const PAYLOADS = payloads(300)

/** Folder and branch names that git and the file system accept and that would run as markup. */
const FOLDER = `<img src=x onerror="__pwn=1">`
const BRANCH = `"><svg/onload=__pwn=1>`

let chromium: Awaited<ReturnType<typeof launchChromium>>
let fixture: ConsoleFixture
let firstSeq: number

beforeAll(async () => {
  ;[chromium, fixture] = await Promise.all([
    launchChromium(),
    startConsole({ name: FOLDER, branch: BRANCH, backups: 1 }),
  ])
  firstSeq = (await fixture.head()) + 1
  const db = (await fixture.store()).forRoom("store")
  await db.transaction(async (tx) => {
    for (const [i, file] of PAYLOADS.entries()) {
      tx.emit("store.backed-up", { file, sizeBytes: i })
    }
  })
})
afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

describe("300 hostile texts are displayed as text", () => {
  test("the corpus is effective: in an unprotected page it runs code, sends requests and opens dialogs", async () => {
    const found = await seeOnATrustingPage()
    expect(new Set(PAYLOADS).size).toBe(300)
    expect(found.ran).toBeGreaterThan(60)
    expect(found.dialogs).toBeGreaterThan(10)
    expect(found.requests).toBeGreaterThan(10)
  })

  test("the sentinel works on our own page", async () => {
    await using window = await visit(chromium.browser, fixture, { initScript: SENTINEL })
    await window.page.evaluate("window.__pwn = 1")
    await expect.poll(window.problems).toEqual(["pwned: 1"])
  })

  test.each(["fields", "raw"])(
    "[S4] events show payloads as text in the list and as %s",
    async (view) => {
      const address = `/events?at=${firstSeq}&view=${view}`
      await using window = await visit(chromium.browser, fixture, { path: address, ...GUARDED })
      const { page } = window
      const list = page.getByRole("listbox", { name: "Events" })
      const detail = page.getByRole("region", { name: "Event", exact: true })
      await detail.waitFor()
      // Both views draw the same text, so the day run checks every fifth payload in the second one.
      const step = view === "fields" || isNight() ? 1 : 5
      let shown = 0
      for (let i = 0; i < PAYLOADS.length; i += step) {
        const payload = PAYLOADS[i] ?? ""
        const seq = firstSeq + i
        const next = `/events?at=${seq}&view=${view}`
        await page.evaluate(`(() => { ${GO}; return go(${JSON.stringify(next)}) })()`)
        await page.locator(`#event-${seq}[aria-selected=true]`).waitFor()
        const texts = (await page.evaluate(
          `[document.querySelector("#event-${seq}").textContent,
          document.querySelector("[aria-label=Event]").textContent]`,
        )) as [string, string]
        // The detail shows values as JSON; the raw view also shows invisible characters.
        const asJson = JSON.stringify(payload)
        const beside = view === "raw" ? visible(asJson) : asJson
        if (texts[0].includes(payload) && texts[1].includes(beside)) shown++
      }
      expect(shown, "every payload stood in the list and beside it, letter by letter").toBe(
        300 / step,
      )
      expect(await list.count()).toBe(1)
      await expectNothingRan(window)
    },
  )

  test("[S4] payloads in addresses are text: filters, selections and unknown pages", async () => {
    await using window = await visit(chromium.browser, fixture, { path: "/settings", ...GUARDED })
    const { page } = window
    const seen = (await page.evaluate(
      `(async () => { ${GO}; let seen = 0
        for (const [i, payload] of ${JSON.stringify(PAYLOADS)}.entries()) {
          const text = encodeURIComponent(payload)
          const places = [
            "/events?name=" + text + "&text=" + text + "&at=" + text,
            "/settings?text=" + text + "&at=" + text + "&layer=" + text,
          ]
          // The day run alternates between the two places.
          for (const it of ${isNight()} ? places : [places[i % 2]]) await go(it)
          await go("/" + text)
          if (document.body.textContent.includes(text)) seen++
        }
        return seen })()`,
    )) as number
    expect(seen, "the page that does not exist names the address").toBe(300)
    await expectNothingRan(window)
  })

  test("[S4] payloads in unreadable settings, the palette and its errors are text", async () => {
    const file = path.join(fixture.project, ".qm", "config.json")
    await mkdir(path.dirname(file), { recursive: true })
    const sample = PAYLOADS.filter((_, i) => i % (isNight() ? 1 : 15) === 0)
    const [first = ""] = sample
    // Replaced at once: a server that reads a half-written file sees valid, empty settings.
    const writeSettings = async (text: string) => {
      await writeFile(`${file}.new`, text)
      await rename(`${file}.new`, file)
    }
    await writeSettings(JSON.stringify({ log: { level: first } }))
    await using window = await visit(chromium.browser, fixture, { path: "/settings", ...GUARDED })
    const { page } = window
    const again = page.getByRole("button", { name: "Try again" })
    // Errors do not repeat long values: a part of a secret would not be recognized for redaction.
    const repeated = sample.filter((it) => visibleLine(JSON.stringify(it)).length <= 80)
    expect(repeated.length).toBeGreaterThan(5)
    for (const payload of repeated) {
      await writeSettings(JSON.stringify({ log: { level: payload } }))
      await again.click()
      const failure = page.getByText("log.level").first()
      await expect.poll(() => failure.textContent()).toContain(plainPart(payload))
    }
    await writeSettings("{}")
    // Not by Try again: the page recovers on its own as soon as any call reads the corrected file.
    await page.reload()
    await page.getByRole("textbox", { name: "store.keepBackups" }).waitFor()
    for (const payload of isNight() ? sample : sample.slice(0, 10)) {
      await page.keyboard.press("Control+k")
      await page.getByRole("combobox").fill("tokens.count")
      // A busy page filters a moment later, and Enter would select the previous option.
      await page.getByRole("option", { selected: true }).filter({ hasText: "tokens" }).waitFor()
      await page.keyboard.press("Enter")
      await page.getByRole("combobox").fill(payload)
      for (let i = 0; i < 4; i++) await page.keyboard.press("Enter")
      await page.keyboard.press("Escape")
      await page.keyboard.press("Escape")
      await page.keyboard.press("Escape")
      await page.getByRole("dialog").waitFor({ state: "detached" })
    }
    await expectNothingRan(window)
  })

  test("[S4] payloads in the names of the repository and its branch are text", async () => {
    await using window = await visit(chromium.browser, fixture, GUARDED)
    await window.page.getByText(FOLDER, { exact: true }).first().waitFor()
    await window.page.getByText(BRANCH, { exact: true }).first().waitFor()
    await expectNothingRan(window)
  })
})

const SENTINEL = `Object.defineProperty(window, "__pwn", {
  set: (value) => reportProblem("pwned: " + value),
})`

/** API refusals are expected here; every other problem is a finding. */
const GUARDED = { initScript: SENTINEL, expects: [/status of 4\d\d/] }

async function expectNothingRan(window: Awaited<ReturnType<typeof visit>>): Promise<void> {
  // Wait one frame and one timer, so that pending handlers have run.
  await window.page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
  expect(window.problems()).toEqual([])
  expect(await window.page.locator("img, iframe, object, embed, base, form").count()).toBe(0)
}

/**
 * The page escapes quotes and invisible characters and truncates long values, so compare a plain
 * part.
 */
function plainPart(payload: string): string {
  return /[ !#-[\]-~]+/.exec(payload)?.[0]?.slice(0, 40) ?? payload
}

/** Navigates like the back button: the console follows its address without a reload. */
const GO = `const go = (address) => new Promise((done) => {
  history.pushState(null, "", address)
  dispatchEvent(new PopStateEvent("popstate"))
  setTimeout(done)
})`

async function seeOnATrustingPage() {
  const context = await chromium.browser.newContext()
  const found = { ran: 0, dialogs: 0, requests: 0 }
  await context.exposeFunction("reportProblem", () => void found.ran++)
  await context.addInitScript({ content: SENTINEL })
  context.on("dialog", (it) => {
    found.dialogs++
    // The page may have navigated meanwhile.
    it.dismiss().catch(() => undefined)
  })
  // Abort, so that no page waits for a foreign server.
  await context.route("**/*stranger.test*/**", (it) => it.abort())
  context.on("request", (it) => {
    if (it.url().includes("stranger.test")) found.requests++
  })
  for (let i = 0; i < PAYLOADS.length; i += 30) {
    const boxes = PAYLOADS.slice(i, i + 30).map((it) => `<div>${it}</div>`)
    // A new page for each payload, because the previous one may still navigate.
    const page = await context.newPage()
    await page.route("http://trusting.test/", (it) =>
      it.fulfill({ contentType: "text/html", body: boxes.join("\n") }),
    )
    // Hostile pages navigate, loop and hang, so each gets one second.
    await page.goto("http://trusting.test/", { waitUntil: "load", timeout: 1_000 }).catch(() => {})
    await page.close()
  }
  await context.close()
  return found
}
