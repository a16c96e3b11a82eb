import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { visible, visibleLine } from "#ground/base"
import { isNight } from "#test/seed"
import { launchChromium } from "./chromium.ts"
import { payloads } from "./payloads.ts"
import { visit } from "./visit.ts"
import { type BrowserWorld, startWorld } from "./world.ts"

const PAYLOADS = payloads(300)

/** Names of folders and branches that git and the file system accept, and that would run. */
const FOLDER = `<img src=x onerror="__pwn=1">`
const BRANCH = `"><svg/onload=__pwn=1>`

let chromium: Awaited<ReturnType<typeof launchChromium>>
let world: BrowserWorld
let firstSeq: number

beforeAll(async () => {
  ;[chromium, world] = await Promise.all([
    launchChromium(),
    startWorld({ name: FOLDER, branch: BRANCH, backups: 1 }),
  ])
  firstSeq = (await world.head()) + 1
  const db = (await world.store()).forRoom("store")
  await db.transaction(async (tx) => {
    for (const [i, file] of PAYLOADS.entries()) {
      tx.emit("store.backed-up", { file, sizeBytes: i })
    }
  })
})
afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

describe("300 hostile texts are shown as text", () => {
  test("the corpus is real: in a page that trusts it, it runs, asks and opens dialogs", async () => {
    const found = await seeOnATrustingPage()
    expect(new Set(PAYLOADS).size).toBe(300)
    expect(found.ran).toBeGreaterThan(60)
    expect(found.dialogs).toBeGreaterThan(10)
    expect(found.requests).toBeGreaterThan(10)
  })

  test("the sentinel is awake on our own page", async () => {
    await using window = await visit(chromium.browser, world, { initScript: SENTINEL })
    await window.page.evaluate("window.__pwn = 1")
    await expect.poll(window.problems).toEqual(["pwned: 1"])
  })

  test.each(["fields", "raw"])("[S4] in events, in the list and as %s", async (view) => {
    const address = `/events?at=${firstSeq}&view=${view}`
    await using window = await visit(chromium.browser, world, { path: address, ...GUARDED })
    const { page } = window
    const list = page.getByRole("listbox", { name: "Events" })
    const detail = page.getByRole("region", { name: "Event", exact: true })
    await detail.waitFor()
    // Both views draw the same text; by day the second one sees every fifth payload.
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
      // The detail shows values as JSON does; as raw, what would hide itself is shown too.
      const asJson = JSON.stringify(payload)
      const beside = view === "raw" ? visible(asJson) : asJson
      if (texts[0].includes(payload) && texts[1].includes(beside)) shown++
    }
    expect(shown, "every payload stood in the list and beside it, letter by letter").toBe(
      300 / step,
    )
    expect(await list.count()).toBe(1)
    await expectNothingRan(window)
  })

  test("[S4] in addresses: filters, selections and pages that do not exist", async () => {
    await using window = await visit(chromium.browser, world, { path: "/settings", ...GUARDED })
    const { page } = window
    const seen = (await page.evaluate(
      `(async () => { ${GO}; let seen = 0
        for (const [i, payload] of ${JSON.stringify(PAYLOADS)}.entries()) {
          const text = encodeURIComponent(payload)
          const places = [
            "/events?name=" + text + "&text=" + text + "&at=" + text,
            "/settings?text=" + text + "&at=" + text + "&layer=" + text,
          ]
          // By day each text stands in one of the two, in turn.
          for (const it of ${isNight()} ? places : [places[i % 2]]) await go(it)
          await go("/" + text)
          if (document.body.textContent.includes(text)) seen++
        }
        return seen })()`,
    )) as number
    expect(seen, "the page that does not exist names the address").toBe(300)
    await expectNothingRan(window)
  })

  test("[S4] in settings that cannot be read, in the palette and in its failures", async () => {
    const file = path.join(world.project, ".qm", "config.json")
    await mkdir(path.dirname(file), { recursive: true })
    const sample = PAYLOADS.filter((_, i) => i % (isNight() ? 1 : 15) === 0)
    const [first = ""] = sample
    await writeFile(file, JSON.stringify({ log: { level: first } }))
    await using window = await visit(chromium.browser, world, { path: "/settings", ...GUARDED })
    const { page } = window
    const again = page.getByRole("button", { name: "Try again" })
    // What is long is not repeated in a failure: a part of a key would not be known for one.
    const repeated = sample.filter((it) => visibleLine(JSON.stringify(it)).length <= 80)
    expect(repeated.length).toBeGreaterThan(5)
    for (const payload of repeated) {
      await writeFile(file, JSON.stringify({ log: { level: payload } }))
      await again.click()
      const failure = page.getByText("log.level").first()
      await expect.poll(() => failure.textContent()).toContain(plainPart(payload))
    }
    await writeFile(file, "{}")
    await again.click()
    await page.getByRole("textbox", { name: "store.keepBackups" }).waitFor()
    for (const payload of isNight() ? sample : sample.slice(0, 10)) {
      await page.keyboard.press("Control+k")
      await page.getByRole("combobox").fill("tokens.count")
      // A busy page filters a moment later, and Enter would take what stood there before.
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

  test("[S4] in the names of the repository and its branch", async () => {
    await using window = await visit(chromium.browser, world, GUARDED)
    await window.page.getByText(FOLDER, { exact: true }).first().waitFor()
    await window.page.getByText(BRANCH, { exact: true }).first().waitFor()
    await expectNothingRan(window)
  })
})

/** Told at once, and by a way that a script on the page cannot take back. */
const SENTINEL = `Object.defineProperty(window, "__pwn", {
  set: (value) => reportProblem("pwned: " + value),
})`

/** Refusals of the API are answers here; everything else is a finding. */
const GUARDED = { initScript: SENTINEL, expects: [/status of 4\d\d/] }

async function expectNothingRan(window: Awaited<ReturnType<typeof visit>>): Promise<void> {
  // One full turn of the page, so that handlers and timers that were due have run.
  await window.page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
  expect(window.problems()).toEqual([])
  expect(await window.page.locator("img, iframe, object, embed, base, form").count()).toBe(0)
}

/** Quotes and invisible letters are escaped there and long values cut: a plain part is enough. */
function plainPart(payload: string): string {
  return /[ !#-[\]-~]+/.exec(payload)?.[0]?.slice(0, 40) ?? payload
}

/** As the way back would: the console follows its address without loading the page anew. */
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
    // The page may have gone elsewhere in the meantime.
    it.dismiss().catch(() => undefined)
  })
  // Nothing waits for a stranger who never answers.
  await context.route("**/*stranger.test*/**", (it) => it.abort())
  context.on("request", (it) => {
    if (it.url().includes("stranger.test")) found.requests++
  })
  for (let i = 0; i < PAYLOADS.length; i += 30) {
    const boxes = PAYLOADS.slice(i, i + 30).map((it) => `<div>${it}</div>`)
    // A page of its own each: what ran in the last one may be about to take it elsewhere.
    const page = await context.newPage()
    await page.route("http://trusting.test/", (it) =>
      it.fulfill({ contentType: "text/html", body: boxes.join("\n") }),
    )
    // Hostile pages leave, loop and hang, which is their business: each has a second.
    await page.goto("http://trusting.test/", { waitUntil: "load", timeout: 1_000 }).catch(() => {})
    await page.close()
  }
  await context.close()
  return found
}
