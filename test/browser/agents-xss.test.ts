import { writeFile } from "node:fs/promises"
import path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { visible, visibleLine } from "#ground/base"
import { isNight } from "#test/seed"
import { launchChromium } from "./chromium.ts"
import { type ConsoleFixture, startConsole } from "./console-fixture.ts"
import { payloads } from "./payloads.ts"
import { runsOf } from "./seed/runs.ts"
import { HANG_MS, type Visit, visit } from "./visit.ts"

const PAYLOADS = payloads(300)
/** A script may have 200,000 characters, so the corpus is played in five parts. */
const PARTS = 5
const SIZE = PAYLOADS.length / PARTS

let chromium: Awaited<ReturnType<typeof launchChromium>>
let fixture: ConsoleFixture
let runs: ReturnType<typeof runsOf>

beforeAll(async () => {
  ;[chromium, fixture] = await Promise.all([launchChromium(), startConsole()])
  runs = runsOf(fixture)
  // Every approval of the sample is open at the same time.
  await fixture.qm(["config", "set", "agents.maxRunning", "64"])
})
afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

describe("300 hostile texts from an agent are displayed as text", () => {
  test.each(Array.from({ length: PARTS }, (_, part) => part))(
    "[S4] part %i: messages, tool calls, approvals and failures are text in the live transcript and the exported page",
    async (part) => {
      const own = PAYLOADS.slice(part * SIZE, (part + 1) * SIZE)
      const [first = ""] = own
      const { id } = await runs.play(first, [ask(first), ...own.flatMap(deeds), END])
      await using window = await visit(chromium.browser, fixture, {
        path: `/runs/${id}`,
        ...GUARDED,
      })
      const { page } = window
      await page.getByText("Waiting for you").waitFor()
      await letItBegin(id)
      await page.getByText("Completed", { exact: true }).waitFor()
      expectAllShown(await readTranscript(page), own)
      await expectNothingRan(window)

      await expectHarmlessExport(id, own)
      // Stored and live messages use the same rows, so the day run checks one part.
      if (part > 0 && !isNight()) return
      await page.reload()
      await page.locator("[data-entry]").first().waitFor()
      expectAllShown(await readTranscript(page), own)
      await expectNothingRan(window)
    },
  )

  test("[S4] approvals are text in the inbox, on Now and in the transcript", async () => {
    const asked = await Promise.all(SAMPLE.map((it) => runs.play("Ask", [ask(it), END])))
    await using inbox = await visit(chromium.browser, fixture, {
      path: "/runs?view=approvals",
      ...LOOKED,
    })
    await using now = await visit(chromium.browser, fixture, { path: "/", ...LOOKED })
    for (const [i, { id }] of asked.entries()) {
      const payload = SAMPLE[i] ?? ""
      await expectShown(now.page, payload)
      await inbox.page.locator(`#approval-${await openQuestion(id)}`).click()
      await expectShown(inbox.page, payload)
    }
    for (const window of [inbox, now]) await expectNothingRan(window)
    for (const [i, { id }] of asked.entries()) {
      await now.page.evaluate(`(() => { ${GO}; return go("/runs/${id}") })()`)
      await now.page.getByText("Waiting for you").waitFor()
      await expectShown(now.page, SAMPLE[i] ?? "")
      await runs.answer(await openQuestion(id), "deny")
    }
    await expectNothingRan(now)
  })

  test("[S4] prompts, titles, labels and failures are text in the list and its detail", async () => {
    for (const payload of SAMPLE) {
      const { id } = await runs.play(payload, [{ event: "error", message: payload, isFatal: true }])
      await runs.edit(id, { label: [payload.slice(0, 60)], workflow: payload.slice(0, 60) })
    }
    await using window = await visit(chromium.browser, fixture, { path: "/runs", ...LOOKED })
    const { page } = window
    for (const payload of SAMPLE) await expectShown(page, payload)
    await page.keyboard.press("j")
    await page.keyboard.press(" ")
    for (const _ of SAMPLE) {
      await page.getByRole("region", { name: "The selected run" }).waitFor()
      await page.keyboard.press("j")
    }
    await expectNothingRan(window)
  })

  test("[S4] diagrams are shown only as images without scripts", async () => {
    const drawn = PAYLOADS.filter((_, i) => i % (isNight() ? 1 : 20) === 0).flatMap(diagrams)
    const honest = diagram("flowchart LR\n  honest --> picture")
    const { id } = await runs.play("Draw", [ask("May I draw?"), ...drawn, honest, END])
    await using window = await visit(chromium.browser, fixture, {
      path: `/runs/${id}`,
      ...GUARDED,
    })
    const { page } = window
    await page.getByText("Waiting for you").waitFor()
    await letItBegin(id)
    await page.getByText("Completed", { exact: true }).waitFor()
    await readTranscript(page)
    const seen = await seeDiagrams(page)
    expect(seen.length).toBeGreaterThan(drawn.length * 0.9)
    expect(new Set(seen)).toEqual(new Set(["drawn", "refused", "the honest one"]))
    await expectNothingRan(window)
  })
})

/** The day run takes every 25th payload where each payload needs its own step. */
const SAMPLE = PAYLOADS.filter((_, i) => isNight() || i % 25 === 0)

const END = { event: "turn.ended", outcome: "completed" }

const ask = (payload: string) => ({
  event: "approval.requested",
  approvalId: payload.slice(0, 200),
  tool: payload,
  title: payload,
  input: payload,
})

function deeds(payload: string, index: number): readonly object[] {
  const command = `command ${index} ${payload}`.slice(0, 200)
  const edit = `edit ${index} ${payload}`.slice(0, 200)
  const diff = `--- a/${payload}\n+++ b/${payload}\n@@ -1 +1 @@\n-${payload}\n+${payload}\n`
  const about = { tool: payload, title: payload, input: payload, path: payload }
  return [
    { event: "text.delta", text: payload },
    { event: "message", type: "assistant", text: payload },
    { event: "message", type: "system", text: payload },
    { event: "activity.started", activityId: command, kind: "command", ...about },
    { event: "activity.updated", activityId: command, output: payload },
    { event: "activity.ended", activityId: command, outcome: "failed", output: payload },
    { event: "activity.started", activityId: edit, kind: "edit", ...about },
    { event: "activity.ended", activityId: edit, outcome: "done", output: payload, diff },
    { event: "context.file", path: payload, reason: payload },
    { event: "context.compacted", trigger: payload },
    { event: "error", message: payload },
  ]
}

function diagrams(payload: string): readonly object[] {
  const quoted = payload.replaceAll('"', "#quot;").replaceAll("\n", " ")
  const sources = [
    `flowchart LR\n${payload}`,
    `flowchart LR\n  a["${quoted}"] -->|"${quoted}"| b`,
    `flowchart LR\n  a --> b\n  click a href "${payload.replaceAll('"', "'")}"`,
    `%%{init: {"securityLevel": "loose", "themeCSS": ${JSON.stringify(payload)}}}%%\nflowchart LR\n  a --> b`,
  ]
  return sources.map(diagram)
}

const diagram = (source: string) => ({
  event: "message",
  type: "assistant",
  text: `\`\`\`mermaid\n${source}\n\`\`\``,
})

function indented(payload: string): string {
  try {
    return JSON.stringify(JSON.parse(payload), null, 2)
  } catch {
    return payload
  }
}

async function letItBegin(id: string): Promise<void> {
  await runs.answer(await openQuestion(id), "allow")
}

async function openQuestion(id: string): Promise<string> {
  for (;;) {
    const found = (await runs.approvals(id)).find((it) => it.status === "open")
    if (found !== undefined) return found.id
    await sleep(20)
  }
}

/**
 * Rows have one line and titles 80 characters, so the beginning is enough; JSON has one line per
 * field.
 */
async function expectShown(page: Page, payload: string): Promise<void> {
  const texts = [asKept(payload), indented(payload)].map((it) => it.slice(0, 40))
  const forms = texts.flatMap((it) => [visible(it), visibleLine(it)])
  const isThere = async () => {
    const text = (await page.evaluate("document.body.textContent")) as string
    return forms.some((it) => text.includes(it))
  }
  await expect.poll(isThere, { message: payload, timeout: HANG_MS }).toBe(true)
}

async function readTranscript(page: Page): Promise<readonly string[]> {
  return (await page.evaluate(`(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
    const all = (selector) => [...document.querySelectorAll(selector)]
    const box = document.querySelector("[aria-label=Transcript]")
    // Older pages load while the transcript is scrolled to the top.
    while (document.querySelector("#row-m1") === null) {
      box.scrollTop = 0
      await frame()
    }
    const texts = new Map()
    for (;;) {
      for (const it of all("[data-entry] button[aria-expanded=false]")) it.click()
      await frame()
      for (const it of all("[data-entry]")) texts.set(it.id, it.textContent)
      const isLast = box.scrollTop + box.clientHeight >= box.scrollHeight - 2
      if (isLast && [...texts.values()].some((it) => it.includes("Turn completed"))) break
      box.scrollTop += box.clientHeight * 0.8
      await frame()
    }
    return [...texts.values()]
  })()`)) as readonly string[]
}

/**
 * Reports the outcome of each diagram. Only diagrams on screen are drawn, so each is scrolled into
 * view.
 */
async function seeDiagrams(page: Page): Promise<readonly string[]> {
  return (await page.evaluate(`(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
    const box = document.querySelector("[aria-label=Transcript]")
    const fates = new Map()
    const fate = (figure) => {
      const alt = figure.querySelector("img")?.alt
      if (alt !== undefined) return alt.includes("honest") ? "the honest one" : "drawn"
      return figure.textContent.includes("Diagram error:") ? "refused" : undefined
    }
    // On a busy machine rows come some frames after the scroll: both edges of the box have one then.
    const isFilled = (rows) => {
      const { top, bottom } = box.getBoundingClientRect()
      const rects = rows.map((row) => row.getBoundingClientRect())
      const has = (from, to) => rects.some((it) => it.bottom > from && it.top < to)
      return has(top, top + 120) && has(bottom - 120, bottom)
    }
    box.scrollTop = 0
    for (;;) {
      await frame()
      const rows = [...document.querySelectorAll("[data-entry]")]
      if (!isFilled(rows)) continue
      const drawn = rows.flatMap((row) => {
        const figure = row.querySelector("figure")
        const isDiagram = figure?.querySelector("figcaption").textContent.startsWith("mermaid")
        return isDiagram ? [[row.id, fate(figure)]] : []
      })
      if (drawn.some(([, fate]) => fate === undefined)) continue
      for (const [id, fate] of drawn) fates.set(id, fate)
      if (box.scrollTop + box.clientHeight >= box.scrollHeight - 2) return [...fates.values()]
      box.scrollTop += box.clientHeight * 0.6
    }
  })()`)) as readonly string[]
}

/**
 * Text that looks like a cookie is redacted before it is stored, so compare only the part before
 * it.
 */
function asKept(payload: string): string {
  return payload.split("Set-Cookie:")[0] ?? payload
}

function expectAllShown(rows: readonly string[], own: readonly string[]): void {
  const all = rows.join("\n")
  const missing = own.filter((it) => !all.includes(visibleLine(asKept(it))))
  expect(missing, "each stands there letter by letter, as the title of what was done").toEqual([])
}

const SENTINEL = `Object.defineProperty(window, "__pwn", {
  set: (value) => reportProblem("pwned: " + value),
})`

/** Navigates like the back button: the console follows its address without a reload. */
const GO = `const go = (address) => new Promise((done) => {
  history.pushState(null, "", address)
  dispatchEvent(new PopStateEvent("popstate"))
  setTimeout(done)
})`

const GUARDED = { initScript: SENTINEL, viewport: { width: 1440, height: 4_000 } }

const LOOKED = { initScript: SENTINEL, viewport: { width: 1440, height: 2_000 } }

async function expectNothingRan({ page, problems }: Visit): Promise<void> {
  // Wait one frame and one timer, so that pending handlers have run.
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
  expect([...new Set(problems())]).toEqual([])
  // A diagram is an image without scripts or an address, drawn in a sandboxed frame; no other image
  // or frame is allowed.
  const frame = "iframe:not([src='/diagram.html'][sandbox='allow-scripts'])"
  const alive = `img:not([src^='data:image/svg+xml']), ${frame}, object, embed, base, form`
  expect(await page.locator(alive).count()).toBe(0)
  expect(await page.locator("a[href^='javascript:' i], a[href^='data:' i]").count()).toBe(0)
}

async function expectHarmlessExport(id: string, own: readonly string[]): Promise<void> {
  const file = path.join(fixture.home, `${id}.html`)
  await writeFile(file, await runs.exportHtml(id))
  const context = await chromium.browser.newContext()
  const problems: string[] = []
  await context.exposeFunction("reportProblem", (text: string) => void problems.push(text))
  await context.addInitScript({ content: SENTINEL })
  context.on("dialog", (it) => {
    problems.push(`dialog: ${it.message()}`)
    void it.dismiss()
  })
  context.on("console", (it) => void problems.push(`console: ${it.text()}`))
  context.on("request", (it) => {
    const isOwn = it.url() === `file://${file}` || it.url().startsWith("data:")
    if (!isOwn) problems.push(`request: ${it.url()}`)
  })
  const page = await context.newPage()
  await page.goto(`file://${file}`)
  await page.evaluate(`document.querySelectorAll("details").forEach((it) => { it.open = true })`)
  const text = (await page.evaluate("document.body.textContent")) as string
  await context.close()
  expect([...new Set(problems)]).toEqual([])
  const missing = own.map(asKept).filter((it) => !text.includes(visible(it)))
  expect(missing, "each stands in the page letter by letter").toEqual([])
}
