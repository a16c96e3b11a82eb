import { existsSync } from "node:fs"
import { rm } from "node:fs/promises"
import path from "node:path"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { needs } from "#test/needs"
import { COMMAND, type HostFixture, startHosts } from "./agent-hosts.ts"
import { launch, rows, say, waitForReply, waitForStatus } from "./agents-pages.ts"
import { launchChromium } from "./chromium.ts"
import { runsOf } from "./seed/runs.ts"
import { visit } from "./visit.ts"

let chromium: Awaited<ReturnType<typeof launchChromium>>
let fixture: HostFixture
let runs: ReturnType<typeof runsOf>

beforeAll(async () => {
  ;[chromium, fixture] = await Promise.all([launchChromium(), startHosts()])
  runs = runsOf(fixture)
})
afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

const open = (address = "/runs") => visit(chromium.browser, fixture, { path: address })
const made = () => path.join(fixture.project, "made.txt")
const HOSTS = ["claude-code", "codex", "copilot"] as const

describe.runIf(HOSTS.every((it) => needs("AGENTS-1", it)))("real hosts in the browser", () => {
  describe.each([
    { agent: "Claude Code", answer: allowByKey, loads: "CLAUDE.md", foreign: "AGENTS.md" },
    { agent: "Codex", answer: allowInInbox, loads: "AGENTS.md", foreign: "CLAUDE.md" },
  ])("$agent", ({ agent, answer, loads, foreign }) => {
    let id: string

    test("[AGENTS-1] text streams, a tool call is approved and executed, and the run ends with its cost", async () => {
      await rm(made(), { force: true })
      await using window = await open()
      const { page } = window
      id = await launch(page, { agent, prompt: "--please command $(x)" })
      await expectStreamed(page)
      await rows(page, "Context at start")
        .getByText(/^\d+ items?\b/)
        .waitFor()
      await page.getByText(loads, { exact: true }).first().waitFor()
      expect(await page.getByText(foreign).count(), "what only another host loads").toBe(0)

      await waitForStatus(page, "Waiting")
      await rows(page, "Approval").getByText(COMMAND).first().waitFor()
      expect(existsSync(made()), "nothing is done before it is allowed").toBe(false)
      await answer(page)
      await waitForReply(page, "It is made, and done.")
      expect(existsSync(made())).toBe(true)
      await rows(page, "Approval").getByText("allowed by").waitFor()

      await openTool(page)
      await page.getByText("made by a command", { exact: true }).last().waitFor()
      await waitForStatus(page, "Completed")
      await page
        .getByText(/^\$0\.\d+$/)
        .first()
        .waitFor()
      const { cost } = await runs.show(id)
      expect(cost.reportedUsd ?? cost.computedUsd).toBeGreaterThan(0)
      expect(window.problems()).toEqual([])
    })

    test("[AGENTS-31] a second turn through the composer goes to the same session", async () => {
      await using window = await open(`/runs/${id}`)
      const { sessionId } = await runs.show(id)
      await say(window.page, "And what now?")
      await waitForReply(window.page, "Understood, nothing to do.")
      await waitForStatus(window.page, "Completed")
      expect(knewTheTool("And what now?"), "the model is told the first turn again").toBe(true)
      expect((await runs.show(id)).sessionId).toBe(sessionId)
      expect(window.problems()).toEqual([])
    })

    test("[AGENTS-8] after a server restart, another turn resumes the host's session", async () => {
      const { sessionId } = await runs.show(id)
      await fixture.stop()
      expect(fixture.processes(), "the server takes its agents with it").toEqual([])
      await fixture.startAgain()
      await using window = await open(`/runs/${id}`)
      await say(window.page, "Still there?")
      // The previous turn has the same text, so wait for the second match.
      const answer = rows(window.page, "The agent").filter({ hasText: "Understood" }).nth(1)
      await answer.waitFor()
      expect(knewTheTool("Still there?")).toBe(true)
      expect((await runs.show(id)).sessionId).toBe(sessionId)
      expect(window.problems()).toEqual([])
    })

    test("[AGENTS-7] stopping a run during a tool call leaves no process behind", async () => {
      const waiting = path.join(fixture.project, "waiting.txt")
      await rm(waiting, { force: true })
      await using window = await open()
      const { page } = window
      await launch(page, { agent, prompt: "please wait", mode: "auto" })
      await expect.poll(() => existsSync(waiting)).toBe(true)
      expect(fixture.processes().length, "the scan finds what works").toBeGreaterThan(1)
      await page.getByRole("button", { name: "Stop", exact: true }).click()
      await waitForStatus(page, "Stopped")
      expect(fixture.processes()).toEqual([])
      expect(window.problems()).toEqual([])
    })
  })

  test("Always allow stores a rule that answers the next request, is listed and can be removed", async () => {
    await using window = await open()
    const { page } = window
    const id = await launch(page, { agent: "Claude Code", prompt: "please command" })
    letAllGo()
    await page.getByRole("button", { name: /^Always/ }).click()
    await waitForReply(page, "It is made, and done.")
    await say(page, "please command once more")
    letAllGo()
    await rows(page, "Approval").getByText("allowed by rule").waitFor()
    await waitForStatus(page, "Completed")

    await page.getByRole("link", { name: "Runs" }).first().click()
    await page.getByRole("button", { name: "Permissions" }).click()
    const rule = page.getByText(`Bash, command ${COMMAND}`, { exact: true })
    await rule.waitFor()
    await page.getByRole("button", { name: "Remove" }).click()
    await rule.waitFor({ state: "detached" })

    await using again = await open(`/runs/${id}`)
    await say(again.page, "please command a third time")
    letAllGo()
    await again.page.getByRole("button", { name: "Allow once" }).waitFor()
    expect([...window.problems(), ...again.problems()]).toEqual([])
  })

  test("[AGENTS-13] Copilot writes text, runs a tool and ends; requests that need approval are denied", async () => {
    await rm(made(), { force: true })
    await using window = await open()
    const { page } = window
    const id = await launch(page, { agent: "Copilot", prompt: "please command", mode: "auto" })
    await expectStreamed(page)
    await waitForReply(page, "It is made, and done.")
    expect(existsSync(made())).toBe(true)
    await openTool(page)
    await page.getByText("made by a command").last().waitFor()
    await waitForStatus(page, "Completed")
    expect((await runs.show(id)).cost.usage.output).toBeGreaterThan(0)

    await page.getByRole("link", { name: "Runs" }).first().click()
    await launch(page, { agent: "Copilot", prompt: "please command" })
    letAllGo()
    await page.getByText("1 call denied").waitFor()
    expect(window.problems()).toEqual([])
  })
})

async function expectStreamed(page: Page): Promise<void> {
  const written = rows(page, "Streamed text")
  await written.getByText("First I look at").waitFor()
  expect(await rows(page, "The agent").count(), "nothing is said before it is stored").toBe(0)
  fixture.model.letGo()
  await written.getByText("First I look at what is there,").waitFor()
  fixture.model.letGo()
  await waitForReply(page, "First I look at what is there, then I make it.")
  await written.waitFor({ state: "detached" })
}

function letAllGo(): void {
  fixture.model.letGo()
  fixture.model.letGo()
}

async function allowByKey(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Allow once" }).waitFor()
  await page.keyboard.press("a")
}

async function allowInInbox(): Promise<void> {
  await using window = await open("/runs?view=approvals")
  await window.page.getByRole("option").first().click()
  await window.page.getByRole("button", { name: "Allow once" }).click()
  await window.page.getByText(/^Status: allowed by/).waitFor()
  expect(window.problems()).toEqual([])
}

async function openTool(page: Page): Promise<void> {
  const tool = page
    .locator("[data-entry] button[aria-expanded=false]")
    .filter({ hasText: /bash|touch/i })
  await tool.first().click()
}

/**
 * Whether the model's last request with this prompt contained the result of the first turn's tool.
 */
function knewTheTool(words: string): boolean {
  const asked = fixture.model.asked.findLast((it) => it.last.includes(words))
  return asked?.whole.includes("made by a command") ?? false
}
