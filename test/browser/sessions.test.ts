import { chmod, mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { text } from "node:stream/consumers"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { launchChromium } from "./chromium.ts"
import { type ConsoleFixture, startConsole } from "./console-fixture.ts"
import { seedTranscripts } from "./seed/transcripts.ts"
import { visit } from "./visit.ts"

let chromium: Awaited<ReturnType<typeof launchChromium>>
let fixture: ConsoleFixture
let long: string
let codex: string

/** `call` imports only what the tests do not import themselves. */
beforeAll(async () => {
  ;[chromium, fixture] = await Promise.all([
    launchChromium(),
    startConsole({ backups: 0, prepare: ({ parent }) => prepareClaude(parent) }),
  ])
  const unimported = { ...fixture, call: async () => undefined as never }
  ;({ long, codex } = await seedTranscripts(unimported))
})
afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

const open = (path: string) => visit(chromium.browser, fixture, { path })

/** A `claude` that prints the session in its `--resume` option; no other host is on the PATH. */
async function prepareClaude(parent: string): Promise<{ PATH: string }> {
  const programs = path.join(parent, "programs")
  await mkdir(programs)
  await writeFile(path.join(programs, "claude.mjs"), CLAUDE_PROGRAM)
  const claude = path.join(programs, "claude")
  await writeFile(claude, `#!/bin/sh\nexec '${process.execPath}' '${claude}.mjs' "$@"\n`)
  await chmod(claude, 0o755)
  return { PATH: `${programs}:/usr/bin:/bin` }
}

const CLAUDE_PROGRAM = `
import { createInterface } from "node:readline"
if (process.argv.includes("--version")) {
  console.log("2.1.325 (Claude Code)")
  process.exit()
}
const session_id = process.argv.find((it) => it.startsWith("--resume="))?.slice(9) ?? "none"
const model = "claude-opus-4-5"
const usage = { input_tokens: 10, output_tokens: 5 }
const print = (line) => process.stdout.write(JSON.stringify({ session_id, ...line }) + "\\n")
for await (const text of createInterface({ input: process.stdin })) {
  if (JSON.parse(text).type !== "user") continue
  const cwd = process.cwd()
  const start = { cwd, model, permissionMode: "default", claude_code_version: "2.1.325", tools: [] }
  print({ type: "system", subtype: "init", ...start })
  const content = [{ type: "text", text: "This continues " + session_id }]
  const message = { id: "m1", type: "message", role: "assistant", model, content, usage }
  print({ type: "assistant", parent_tool_use_id: null, message })
  print({ type: "result", subtype: "success", is_error: false, num_turns: 1, result: "", usage })
}
`

describe("Sessions, session and cost pages", () => {
  test("[CONSOLE-67] waiting transcripts are imported on request, and cancelled without loss", async () => {
    await using window = await open("/sessions")
    const { page } = window
    await page.getByText("6 transcripts on this machine").waitFor()
    // Holds the answer, so that there is time to cancel.
    await page.route("**/api/sessions/import", () => undefined)
    await page.getByRole("button", { name: /^Import this repository/ }).click()
    await page.getByText("Importing 0 of 6").waitFor()
    await page.getByRole("button", { name: "Cancel" }).click()
    await page.getByText("Import cancelled. The next one continues here.").waitFor()
    await page.unroute("**/api/sessions/import")
    await page.getByRole("button", { name: /^Import this repository/ }).click()
    await page.getByText(/^Imported 5 sessions with \d+ lines\.$/).waitFor()
    const list = page.getByRole("listbox", { name: "Sessions" })
    const rows = list.getByRole("option")
    await rows.filter({ hasText: "Round quotes half to even" }).waitFor()
    expect(await rows.count()).toBe(5)
    const unknown = rows.filter({ hasText: "Explain the tariff tables" })
    expect(await unknown.innerText()).toContain("unknown")
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-67] words search the text; Enter shows the session, Enter again opens it", async () => {
    await fixture.call("sessions.import", { all: false })
    await using window = await open("/sessions")
    const { page } = window
    await page.keyboard.press("/")
    await page.keyboard.type("rounded half")
    const match = page.getByRole("option", { name: /rounded half to even/ }).first()
    await match.waitFor()
    expect(await match.locator("mark").first().innerText()).toBe("rounded")
    await page.keyboard.press("Enter")
    await page.keyboard.press("j")
    await page.keyboard.press("Enter")
    const detail = page.getByRole("region", { name: "The session" })
    await detail.getByText("Matching lines").waitFor()
    await page.keyboard.press("Enter")
    await page.waitForURL(/\/sessions\/[0-9a-f-]{36}$/)
    await page.getByRole("img", { name: /^Window over time/ }).waitFor()
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-67] a session is resumed in a run with its transcript, by a key", async () => {
    await fixture.call("sessions.import", { all: false })
    await using window = await open(`/sessions?at=${long}&show=${long}`)
    const { page } = window
    const detail = page.getByRole("region", { name: "The session" })
    await detail.getByText(/^Imports the transcript as a run/).waitFor()
    await page.keyboard.press("s")
    await page.waitForURL(/\/runs\/run_[^/]+\?compose=yes$/)
    await page.getByText("Continue with step 12").first().waitFor()
    const field = page.getByRole("textbox", { name: "Send the next turn" })
    await expect.poll(() => field.evaluate((it) => it.matches(":focus"))).toBe(true)
    await page.keyboard.type("And the invoices?")
    await page.keyboard.press("Control+Enter")
    await page.getByText(`This continues ${long}`).waitFor()
    await page.goto(`${fixture.url}/sessions?at=${long}&show=${long}`)
    await detail.getByText("Opens its run; your next turn continues the session.").waitFor()
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-67] a session whose host is missing shows the host's own command", async () => {
    await fixture.call("sessions.import", { all: false })
    await using window = await open(`/sessions?at=${codex}&show=${codex}`)
    const { page } = window
    const detail = page.getByRole("region", { name: "The session" })
    await detail.getByText(/^Not resumed here: Codex.* is not on the PATH of this server/).waitFor()
    await detail.getByText(`&& codex resume ${codex}`).waitFor()
    expect(await detail.getByRole("button", { name: "Resume" }).count()).toBe(0)
    await detail.getByRole("button", { name: "Pack from this session" }).click()
    await page.waitForURL(/\/pack\?task=Fix\+the\+pier/)
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-67] a narrow page opens its filters on request; a menu closes with its button", async () => {
    await fixture.call("sessions.import", { all: false })
    await using window = await open("/sessions")
    const { page } = window
    const host = page.getByRole("button", { name: "Host: Any host" })
    await host.click()
    await page.getByRole("menu", { name: "Host" }).waitFor()
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole("menu", { name: "Host" }).waitFor({ state: "detached" })
    expect(await host.isVisible()).toBe(false)
    await page.getByRole("button", { name: "More filters" }).click()
    await host.click()
    await page.getByRole("menuitemradio", { name: "Codex" }).click()
    await page.waitForURL(/host=codex/)
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-68] the chart marks a compaction and a wait; a point and keys show what entered", async () => {
    await fixture.call("sessions.import", { all: false })
    await using window = await open(`/sessions/${long}?call=12`)
    const { page } = window
    const chart = page.getByRole("img", { name: /Compacted after turn \d+, 18\d\.\dk → 24\.5k/ })
    await chart.waitFor()
    await page.getByText(/^1 h 1\d min, not to scale$/).waitFor()
    await page.getByText("Cache misses", { exact: true }).waitFor()
    await page.getByText(/^Removed tool results \d/).waitFor()
    await page.getByRole("heading", { name: "Entered at call 12" }).waitFor()
    await page.keyboard.press("ArrowRight")
    await page.getByRole("heading", { name: "Entered at call 13" }).waitFor()
    const box = await chart.boundingBox()
    await chart.click({ position: { x: 4, y: (box?.height ?? 60) / 2 } })
    await page.getByRole("heading", { name: "Entered at call 1", exact: true }).waitFor()
    await page.getByRole("link", { name: /you Round quotes half to even/ }).click()
    const line = page.getByRole("region", { name: "The line" })
    await line.getByText("Round quotes half to even").waitFor()
    await line.getByText(/^Its requests did not go through the gateway/).waitFor()
    await line.getByText("qm gateway run --mode fold -- claude").waitFor()
    await page.keyboard.press("Escape")
    await line.waitFor({ state: "detached" })
    await page.goto(`${fixture.url}/sessions/${long}?call=28`)
    const removed = page.getByRole("region", { name: "What the compaction removed" })
    await removed.getByText(/rounding\.ts/).waitFor()
    await removed
      .getByText(/read again, \d/)
      .first()
      .waitFor()
    await page.getByText("As a table").click()
    await expect.poll(() => page.getByRole("table").getByRole("row").count()).toBe(47)
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-69] costs by day and group equal those of the command", async () => {
    await fixture.call("sessions.import", { all: false })
    const cost = await fixture.call("sessions.cost", { by: "model", since: "30d" })
    await using window = await open("/cost")
    const { page } = window
    const groups = page.getByRole("region", { name: "Cost by group" })
    await groups.getByText("claude-opus-4-5").waitFor()
    const sum = `$${(cost.total.usd ?? 0).toFixed(2)}+`
    await groups.getByText(sum).waitFor()
    const opus = cost.rows.find((it) => it.key === "claude-opus-4-5")
    const change = `${opus?.change?.percent?.toFixed(0).replace("-", "−")} %`
    await groups.getByText(change.startsWith("−") ? change : `+${change}`).waitFor()
    await groups.getByRole("img", { name: "Cost by day of claude-opus-4-5" }).waitFor()
    await page.getByText("Fresh input").waitFor()
    await page.getByText(/No price is known for nova-9/).waitFor()
    for (const [choice, by] of [
      ["Days and models As in the chart", "day"],
      ["Model As in the table", "model"],
    ] as const) {
      await page.keyboard.press("e")
      const download = page.waitForEvent("download")
      await page.getByRole("menuitemradio", { name: choice }).click()
      const file = await download
      expect(file.suggestedFilename()).toMatch(
        new RegExp(String.raw`^cost-by-${by}-\d{4}-\d\d-\d\d-to-\d{4}-\d\d-\d\d\.csv$`),
      )
      const saved = await text(await file.createReadStream())
      const { csv } = await fixture.call("sessions.cost", { by, since: "30d", format: "csv" })
      expect(saved).toBe(`${csv}\n`)
      expect(saved).toMatch(/nova-9,4,\d+,.*,unknown,\d+/)
    }
    const { stdout } = await fixture.qm(["cost", "--by", "model", "--format", "csv"])
    expect(stdout).toMatch(/^model,calls,input_tokens,.*\nclaude-opus-4-5,46,/)
    await page.keyboard.press("t")
    await page.waitForURL(/by=repository/)
    await page.getByRole("button", { name: "Agent and sub-agent" }).click()
    await groups.getByText("claude-code Explore").waitFor()
    await page.getByRole("button", { name: "Tool results" }).click()
    await groups.getByText("Bash").waitFor()
    await page.keyboard.press("ArrowLeft")
    await page.waitForURL(/day=\d{4}-\d{2}-\d{2}/)
    expect(window.problems()).toEqual([])
  })
})
