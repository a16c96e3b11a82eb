import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { AgentsApprovals } from "#ground/contract"
import { launchChromium } from "./chromium.ts"
import { type ConsoleFixture, startConsole } from "./console-fixture.ts"
import { runsOf, scriptOf } from "./seed/runs.ts"
import { visit } from "./visit.ts"

let chromium: Awaited<ReturnType<typeof launchChromium>>
let fixture: ConsoleFixture

beforeAll(async () => {
  ;[chromium, fixture] = await Promise.all([launchChromium(), startConsole()])
})
afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

const message = (n: number) => ({
  event: "message",
  type: "assistant",
  text: `word ${String(n).padStart(2, "0")}.`,
})
const question = (id: string) => ({
  event: "approval.requested",
  approvalId: id,
  tool: "Bash",
  title: `${id} part`,
  input: JSON.stringify({ command: `echo ${id}` }),
})
const words = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => message(from + i))

const SCRIPT = scriptOf([
  ...words(1, 8),
  question("second"),
  ...words(9, 16),
  question("third"),
  ...words(17, 24),
  { event: "turn.ended", outcome: "completed" },
])

test("[N1] a transcript survives a server restart: the page keeps it, catches up and shows each message once", async () => {
  // Another process works on the run and continues while the server is stopped.
  const worker = fixture.qm(["run", "Count", "--agent", "synthetic", "--script", SCRIPT, "--json"])
  const id = await theRun()
  await using window = await visit(chromium.browser, fixture, {
    path: `/runs/${id}`,
    // High enough for every row, because rows outside the viewport are not drawn.
    viewport: { width: 1440, height: 2400 },
    expects: [/WebSocket connection|ERR_CONNECTION|Failed to load resource/],
  })
  const { page } = window
  await page.getByText("word 08.").waitFor()

  await fixture.stop()
  await page.getByText("Reconnecting. No messages are lost").waitFor()
  expect(await wordsOn(page), "nothing was wiped").toEqual(upTo(8))
  await fixture.qm(["approve", await theQuestion("second part")])
  await theQuestion("third part")
  expect(await wordsOn(page)).toEqual(upTo(8))

  await fixture.startAgain()
  await page.getByText(/^Caught up, \d+ messages$/).waitFor()
  await page.getByText("word 16.").waitFor()
  expect(await wordsOn(page), "every message once, in its order").toEqual(upTo(16))

  await page.getByRole("button", { name: "Allow once" }).click()
  await page.getByText("Turn completed").waitFor()
  expect(await wordsOn(page), "and live again").toEqual(upTo(24))
  expect((await worker).code).toBe(0)
  expect(window.problems()).toEqual([])
})

const upTo = (last: number): readonly string[] =>
  words(1, last).map(({ text }) => text.slice(0, "word 00".length))

async function wordsOn(page: Page): Promise<readonly string[]> {
  const text = (await page.evaluate(
    `[...document.querySelectorAll("[data-entry]")].map((it) => it.textContent).join("\\n")`,
  )) as string
  return text.match(/word \d\d/g) ?? []
}

async function theRun(): Promise<string> {
  for (;;) {
    const run = (await runsOf(fixture).list()).find((it) => it.openApprovals === 1)
    if (run !== undefined) return run.id
  }
}

/** Reads the approval from the store, because no server may be running. */
async function theQuestion(title: string): Promise<string> {
  for (;;) {
    const { stdout } = await fixture.qm(["approvals", "--json"])
    const { approvals } = AgentsApprovals.parse(JSON.parse(stdout))
    const found = approvals.find((it) => it.title === title)
    if (found !== undefined) return found.id
  }
}
