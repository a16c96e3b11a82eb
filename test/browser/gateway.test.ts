import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { isNight } from "#test/seed"
import {
  claudeAnswer,
  claudeFile,
  claudePrompt,
  claudeResult,
  sessionIdOf,
  writeLines,
} from "#test/transcripts"
import { launchChromium } from "./chromium.ts"
import { type ProxyFixture, startConsole } from "./console-fixture.ts"
import { auditPage } from "./page-audit.ts"
import { payloads } from "./payloads.ts"
import { BRANCH, call, type GatewayStory, result, seedGateway, user } from "./seed/gateway.ts"
import { runsOf } from "./seed/runs.ts"
import { settle, visit } from "./visit.ts"

let chromium: Awaited<ReturnType<typeof launchChromium>>
let fixture: ProxyFixture
let story: GatewayStory
let run: string

beforeAll(async () => {
  ;[chromium, fixture] = await Promise.all([launchChromium(), startConsole({ backups: 0 })])
  run = (await runsOf(fixture).play("Why do they differ?", [ENDED])).id
  story = await seedGateway(fixture, run)
})
afterAll(async () => {
  await story[Symbol.asyncDispose]()
  await chromium[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

const ENDED = { event: "turn.ended", outcome: "completed" }
const wire = (id = run) => `/runs/${id}/gateway`
const at = (seq: number) => `${wire()}?at=${story.folding.id}.${seq}`
/** Recording happens after the response, so a request is listed a moment later. */
const rows = (page: Page) => page.getByRole("listbox", { name: "Requests" }).getByRole("option")
const detail = (page: Page) => page.getByRole("region", { name: "The request" })

describe("Gateway page, with requests of a host to its model", () => {
  test("requests are listed in order with the provider's token counts and the new part of each", async () => {
    await using window = await visit(chromium.browser, fixture, { path: wire() })
    const { page } = window
    await rows(page).nth(3).waitFor()
    expect(await rows(page).count()).toBe(4)
    await page.getByText("fold", { exact: true }).waitFor()
    await page.getByRole("group", { name: "Run status" }).getByText("4", { exact: true }).waitFor()
    await rows(page).nth(1).getByText(/Read/).first().waitFor()
    await rows(page)
      .nth(1)
      .getByText(/read from the cache, 1,000 written, 12 fresh, 140 output/)
      .waitFor()
    await rows(page).nth(2).getByText(/^−/).waitFor()
    expect(await rows(page).nth(1).getByText(/^−/).count(), "nothing was folded yet").toBe(0)
    expect(window.problems()).toEqual([])
  })

  test("the window chart marks the fold once and is available as a table", async () => {
    await using window = await visit(chromium.browser, fixture, { path: wire() })
    const { page } = window
    await rows(page).nth(3).waitFor()
    const chart = page.getByRole("img", { name: /^Window over time/ })
    const label = await chart.getAttribute("aria-label")
    expect(label?.match(/folded at request 3/g)).toHaveLength(1)
    await page.getByText("As a table").click()
    expect(await page.getByRole("row").count()).toBe(5)
    await page.getByRole("row", { name: /Request 3 .* tokens left out/ }).waitFor()
    expect(window.problems()).toEqual([])
  })

  test("keys open a request with its contents, its text and its branch", async () => {
    await using window = await visit(chromium.browser, fixture, { path: wire() })
    const { page } = window
    await rows(page).nth(3).waitFor()
    for (let i = 0; i < 3; i++) await page.keyboard.press("j")
    await page.waitForURL(`**${at(3)}`)
    await detail(page)
      .getByText(/^Request 3, [\d,]+ tokens$/)
      .waitFor()
    await detail(page).getByText("Tools", { exact: true }).waitFor()
    await detail(page).getByText("new", { exact: true }).first().waitFor()
    const link = detail(page).getByRole("link", { name: BRANCH })
    expect(await link.getAttribute("href")).toContain(`/folds?all=yes&at=${BRANCH}`)

    await page.goto(`${fixture.url}${at(2)}&tab=exact`)
    const pieces = page.getByRole("listbox", { name: "Items of the request" })
    await pieces.getByRole("option").nth(1).waitFor()
    await page.keyboard.press("/")
    await page.keyboard.type("quay-19")
    await expect.poll(() => pieces.getByRole("option").count()).toBe(1)
    await pieces
      .getByRole("option")
      .first()
      .getByText(/half a cent on quay-19/)
      .waitFor()
    await pieces.getByRole("option").first().click()
    await page.getByText("A quote and its invoice differ by half a cent on").first().waitFor()
    await page.keyboard.press("Escape")
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-5] a new request appears without a reload", async () => {
    await using window = await visit(chromium.browser, fixture, { path: wire() })
    const { page } = window
    await rows(page).nth(3).waitFor()
    await page.evaluate("document.body.dataset.sameDocument = 'yes'")
    await story.folding.ask({
      messages: [...story.turns.later, call("t9", "Read"), result("t9", "x")],
    })
    await rows(page).nth(4).waitFor()
    expect(await page.locator("body[data-same-document]").count()).toBe(1)
    expect(window.problems()).toEqual([])
  })

  test("dozens of token-count requests share one row, which Enter opens and which has no totals", async () => {
    const proxied = await story.startProxy()
    await proxied.ask({ messages: [user("Before")] })
    for (let i = 0; i < 12; i++) await proxied.count(`How much is ${i}?`)
    await proxied.ask({ messages: [user("Before"), user("After")] })
    await proxied.end()
    await using window = await visit(chromium.browser, fixture, { path: wire(proxied.id) })
    const { page } = window
    await rows(page).nth(2).waitFor()
    expect(await rows(page).count()).toBe(3)
    await rows(page).nth(1).getByText("12 counts", { exact: true }).waitFor()
    await page.keyboard.press("j")
    await page.keyboard.press("j")
    await page.keyboard.press("Enter")
    await expect.poll(() => rows(page).count()).toBe(15)
    await rows(page).nth(3).getByText("a token count, which uses no tokens").waitFor()
    expect(await rows(page).nth(3).getByText("0", { exact: true }).count()).toBe(0)
    await page.keyboard.press("j")
    await detail(page)
      .getByText(/^Request 2, about/)
      .waitFor()
    expect(await detail(page).getByText("Input", { exact: true }).count()).toBe(0)
    await rows(page).nth(1).click()
    await expect.poll(() => rows(page).count()).toBe(3)
    expect(window.problems()).toEqual([])
  })

  test("the run says that its numbers were measured by the gateway, and links there", async () => {
    await using window = await visit(chromium.browser, fixture, { path: `/runs/${run}` })
    const { page } = window
    const context = page.getByRole("region", { name: "Context" })
    const link = context.getByRole("link", { name: /^Exact, from the gateway, request \d$/ })
    await link.click()
    await page.waitForURL(`**${wire()}?at=${story.folding.id}.*`)
    await detail(page)
      .getByText(/^Request \d, /)
      .waitFor()
    await page.keyboard.press("w")
    await page.waitForURL(`**/runs/${run}`)
    await page.keyboard.press("w")
    await page.waitForURL(`**${wire()}`)
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-15] a run without a proxied session shows how to turn the gateway on", async () => {
    const other = await runsOf(fixture).play("Another", [ENDED])
    // Chromium logs every response above 399 to its console.
    const expects = [/status of 404/]
    await using window = await visit(chromium.browser, fixture, { path: wire(other.id), expects })
    const { page } = window
    await page.getByText("qm run --gateway record").waitFor()
    await page.getByRole("link", { name: "New run" }).click()
    const form = page.getByRole("region", { name: "New run" })
    await form.getByRole("radio", { name: "record" }).check()
    await form.getByText(/is recorded byte for byte/).waitFor()
    await form.getByRole("radio", { name: "Synthetic" }).check()
    await form.getByRole("textbox", { name: "Task" }).fill("Nothing")
    const sent = page.waitForRequest("**/api/agents/start")
    await form.getByRole("button", { name: "Start" }).click()
    expect((await sent).postDataJSON()).toMatchObject({ gateway: "record" })
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-15] an unknown run is reported as not found", async () => {
    const expects = [/status of 404/]
    await using window = await visit(chromium.browser, fixture, { path: wire("run_nope"), expects })
    const { page } = window
    await page.getByText("No run has this id.").waitFor()
    expect(await page.getByText("qm run --gateway").count()).toBe(0)
    expect(window.problems()).toEqual([])
  })

  test("a session with a refused fold says so and shows the original request that followed", async () => {
    const proxied = await story.startProxy({ mode: "fold" })
    story.provider.say.refusesFolded = true
    const headers = { "x-claude-code-session-id": "session-2" }
    await proxied.ask({ messages: story.turns.worked, headers })
    expect(await proxied.ask({ messages: story.turns.returned, headers })).toBe(200)
    story.provider.say.refusesFolded = false
    await proxied.end()
    await using window = await visit(chromium.browser, fixture, { path: wire(proxied.id) })
    const { page } = window
    await page.getByText(/^Folding stopped in this session: /).waitFor()
    await rows(page).nth(1).getByText("original sent").waitFor()
    await page.getByText("ended", { exact: true }).waitFor()
    expect(window.problems()).toEqual([])
  })
})

describe("folding by hand", () => {
  test("[GATE-130] a person folds finished work with a summary, which the provider gets at the next prompt", async () => {
    const proxied = await story.startProxy({ mode: "fold" })
    const headers = { "x-claude-code-session-id": "session-3" }
    const tools = [{ name: "Read" }, { name: "Grep" }]
    const found = "The quay of the invoice has another rate.\n".repeat(200)
    const worked = [
      user("Which rate is used?"),
      call("r1", "Read", { file_path: "/p/rates.ts" }),
      result("r1", `rates\n${found}`),
      call("r2", "Grep", { pattern: "rate" }),
      result("r2", `matches\n${found}`),
    ]
    await proxied.ask({ messages: worked.slice(0, 3), tools, headers })
    await proxied.ask({ messages: worked, tools, headers })
    await using window = await visit(chromium.browser, fixture, { path: wire(proxied.id) })
    const { page } = window
    await rows(page).nth(1).waitFor()
    await page.getByRole("button", { name: /^Fold\b/ }).click()
    const dialog = page.getByRole("dialog", { name: "Fold finished work" })
    await dialog.getByText(/^Replaces 2 tool results with [\d,]+ tokens/).waitFor()
    const list = dialog.getByRole("listbox", { name: "Requests" })
    const selected = () => list.getByRole("option", { selected: true }).count()
    expect(await selected(), "all at first").toBe(2)
    await list.getByRole("option").nth(0).click()
    expect(await selected(), "the first press starts").toBe(1)
    await dialog.getByText(/^Replaces 1 tool result with/).waitFor()
    await list.getByRole("option").nth(1).click()
    expect(await selected(), "the second press ends").toBe(2)
    await list.press("ArrowUp")
    expect(await selected(), "an arrow starts again").toBe(1)
    await list.press("Shift+ArrowDown")
    expect(await selected(), "Shift extends").toBe(2)
    const summary = dialog.getByRole("textbox", { name: "Summary" })
    expect(await summary.inputValue()).toMatch(/^Done: /)
    await summary.fill("")
    const submit = dialog.getByRole("button", { name: /^Fold\b/ })
    expect(await submit.isDisabled(), "a summary is required").toBe(true)
    await summary.fill("Rates are in rates.ts; quay-19 has its own.")
    await submit.click()
    await page.getByText("2 results will be folded at the next prompt").waitFor()
    expect(await dialog.count()).toBe(0)
    const done = { role: "assistant", content: [{ type: "text", text: "Found it." }] }
    await proxied.ask({ messages: [...worked, done, user("Change it")], tools, headers })
    const sent = story.provider.heard.at(-1) ?? ""
    expect(sent).toContain("Rates are in rates.ts; quay-19 has its own.")
    expect(sent).not.toContain("another rate")
    expect(sent).toContain("Which rate is used?")
    await rows(page)
      .nth(2)
      .getByText(/^−\S+ masked$/)
      .waitFor()
    expect(window.problems()).toEqual([])
    await proxied.end()
  })
})

describe("folding from the page of a session", () => {
  const session = sessionIdOf("folded by hand")
  const found = "The quay of the invoice has another rate.\n".repeat(200)
  const worked = [
    user("Which rate is used?"),
    call("r1", "Read", { file_path: "/p/rates.ts" }),
    result("r1", `rates\n${found}`),
  ]
  const headers = { "x-claude-code-session-id": session }

  /** The transcript of the requests, as the host writes it. */
  async function writeTranscript(answeredAt: readonly number[]): Promise<void> {
    const { home, project } = fixture
    const [first = 0, second = 0] = answeredAt
    const options = { cwd: project, sessionId: session }
    const use = { type: "tool_use", id: "r1", name: "Read", input: { file_path: "/p/rates.ts" } }
    const answer = (block: object, window: number, at: number) =>
      claudeAnswer(
        {
          id: `folded-${window}`,
          model: "claude-opus-4-5",
          usage: { input: 40, output: 90, cacheRead: 0, cacheWrite: window - 40 },
          blocks: [block],
        },
        { ...options, at },
      )
    await writeLines(claudeFile(home, project, session), [
      claudePrompt("Which rate is used?", { ...options, at: first - 1 }),
      ...answer(use, 12_000, first),
      claudeResult("r1", found, { ...options, at: first + 1 }),
      ...answer({ type: "text", text: "That of the quay." }, 16_000, second),
    ])
    await fixture.call("sessions.import", { all: false })
  }

  test("[CONSOLE-68] [GATE-130] the entry of a turn shows what its fold changes, and folds it", async () => {
    const proxied = await story.startProxy({ mode: "fold" })
    const tools = [{ name: "Read" }]
    const answeredAt: number[] = []
    for (const messages of [worked.slice(0, 1), worked]) {
      await proxied.ask({ messages, tools, headers })
      answeredAt.push(Date.now() + answeredAt.length * 10)
    }
    await writeTranscript(answeredAt)
    await using window = await visit(chromium.browser, fixture, { path: `/sessions/${session}` })
    const { page } = window
    await page.getByRole("link", { name: /Read result/ }).click()
    const line = page.getByRole("region", { name: "The line" })
    await line.getByRole("heading", { name: "Fold turn 1" }).waitFor()
    await line.getByText("Window now").waitFor()
    await line.getByText("16.0k").waitFor()
    await line.getByText(/^Replaces 1 tool result, [\d,]+ tokens, with a summary/).waitFor()
    await line.getByText(/^The next prompt sends about [\d.k]+ tokens again/).waitFor()
    await page.keyboard.press("f")
    const dialog = page.getByRole("dialog", { name: "Fold finished work" })
    const summary = dialog.getByRole("textbox", { name: "Summary" })
    expect(await summary.inputValue()).toMatch(/^Done: Read/)
    await summary.fill("Rates are in rates.ts.")
    await page.keyboard.press("Control+Enter")
    await page.getByText("1 result will be folded at the next prompt").waitFor()
    const done = { role: "assistant", content: [{ type: "text", text: "That of the quay." }] }
    await proxied.ask({ messages: [...worked, done, user("Change it")], tools, headers })
    const sent = story.provider.heard.at(-1) ?? ""
    expect(sent).toContain("Rates are in rates.ts.")
    expect(sent).not.toContain("another rate")
    expect(window.problems()).toEqual([])
    await proxied.end()
  })

  test("[CONSOLE-68] a session that the gateway only recorded says what is missing", async () => {
    const proxied = await story.startProxy({ mode: "record" })
    await proxied.ask({ messages: worked, tools: [{ name: "Read" }], headers })
    await using window = await visit(chromium.browser, fixture, { path: `/sessions/${session}` })
    const { page } = window
    await page.getByRole("link", { name: /Read result/ }).click()
    const line = page.getByRole("region", { name: "The line" })
    await line.getByText(/^The gateway recorded this session and changes no request\./).waitFor()
    await line.getByText("qm gateway run --mode fold -- claude").waitFor()
    expect(await line.getByRole("button", { name: /^Fold/ }).count()).toBe(0)
    expect(window.problems()).toEqual([])
    await proxied.end()
  })
})

describe("deleting recorded requests", () => {
  test("[CONSOLE-63] deleting asks once, and then only the run is left", async () => {
    const gone = (await runsOf(fixture).play("Forget it", [ENDED])).id
    const proxied = await story.startProxy({ run: gone, mode: "record" })
    await proxied.ask({ messages: [user("one")] })
    const expects = [/status of 404/]
    await using window = await visit(chromium.browser, fixture, { path: wire(gone), expects })
    const { page } = window
    await rows(page).first().waitFor()
    const button = page.getByRole("button", { name: "Delete" })
    expect(await button.isDisabled(), "it is still being recorded").toBe(true)
    await proxied.end()
    await expect.poll(() => button.isDisabled()).toBe(false)
    await page.keyboard.press("x")
    const dialog = page.getByRole("dialog", { name: "Delete recorded requests?" })
    await dialog.getByText("The records of 1 request").waitFor()
    await dialog.getByRole("button", { name: "Cancel" }).click()
    expect(await rows(page).count()).toBe(1)
    await button.click()
    await dialog.getByRole("button", { name: "Delete" }).click()
    await page.waitForURL(`**/runs/${gone}`)
    await page.getByText("1 request deleted").waitFor()
    await page.goto(`${fixture.url}${wire(gone)}`)
    await page.getByText("qm run --gateway record").waitFor()
    expect(window.problems()).toEqual([])
  })
})

describe("Gateway layout", () => {
  test("[CONSOLE-8] beside an open request, rows are one line high", async () => {
    const viewport = { width: 1000, height: 800 }
    await using window = await visit(chromium.browser, fixture, { path: at(3), viewport })
    const { page } = window
    await rows(page).nth(3).waitFor()
    await settle(page)
    const { findings } = await auditPage(page)
    expect(findings.filter((it) => it.rule === "row-height").map((it) => it.says)).toEqual([])
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-8] two processes of one run have headings that fit on a phone", async () => {
    const twice = (await runsOf(fixture).play("Twice", [ENDED])).id
    for (const title of ["first", "second"]) {
      const proxied = await story.startProxy({ run: twice, title, mode: "fold" })
      await proxied.ask({ messages: [user(title)] })
      await proxied.end()
    }
    const viewport = { width: 1440, height: 900 }
    await using window = await visit(chromium.browser, fixture, { path: wire(twice), viewport })
    const { page } = window
    await rows(page).nth(1).waitFor()
    const says = page.getByText(/^Returned branches are left out/)
    expect(await says.first().isVisible()).toBe(true)
    await page.setViewportSize({ width: 390, height: 844 })
    await expect.poll(() => says.first().isVisible()).toBe(false)
    const { findings } = await auditPage(page)
    expect(findings.map((it) => `${it.rule} ${it.where} ${it.says}`)).toEqual([])
    expect(window.problems()).toEqual([])
  })
})

describe("data of a hostile conversation", () => {
  const PAYLOADS = payloads(isNight() ? 60 : 8)
  const SENTINEL = `Object.defineProperty(window, "__pwn", {
    set: (value) => reportProblem("pwned: " + value),
  })`
  const LOADS_SOMETHING = "img:not([src^='data:']), iframe, object, embed, base, form"

  test("[S4] tool names, models, texts and titles are text in Gateway", async () => {
    const [first = ""] = PAYLOADS
    const proxied = await story.startProxy({ title: first.slice(0, 100) })
    await proxied.ask({
      messages: PAYLOADS.flatMap((it, i) => [
        user(it),
        call(`t${i}`, it.slice(0, 60), { path: it }),
        result(`t${i}`, it),
      ]),
      tools: PAYLOADS.map((it) => ({ name: it.slice(0, 60), description: it })),
      model: first,
    })
    await proxied.end()
    await using window = await visit(chromium.browser, fixture, {
      path: wire(proxied.id),
      initScript: SENTINEL,
    })
    const { page } = window
    await rows(page).first().waitFor()
    const key = `${wire(proxied.id)}?at=${proxied.id}.1`
    for (const address of [key, `${key}&tab=headers`, `${key}&tab=exact`]) {
      await page.goto(`${fixture.url}${address}`)
      await detail(page).getByRole("heading", { level: 2 }).first().waitFor()
      await settle(page)
      expect(await page.locator(LOADS_SOMETHING).count()).toBe(0)
    }
    const pieces = page.getByRole("listbox", { name: "Items of the request" })
    for (let i = 0; i < 4; i++) {
      await pieces.getByRole("option").nth(i).click()
      await page.getByRole("region", { name: "Text of the item" }).waitFor()
      expect(await page.locator(LOADS_SOMETHING).count()).toBe(0)
    }
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    expect(window.problems()).toEqual([])
  })
})
