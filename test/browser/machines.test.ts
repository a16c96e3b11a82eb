import { afterAll, beforeAll, expect, test } from "vitest"
import { launchChromium } from "./chromium.ts"
import { type ConsoleFixture, startConsole } from "./console-fixture.ts"
import { visit } from "./visit.ts"

let chromium: Awaited<ReturnType<typeof launchChromium>>
let fixture: ConsoleFixture

beforeAll(async () => {
  ;[chromium, fixture] = await Promise.all([launchChromium(), startConsole({ backups: 1 })])
})
afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

const ID = `rn_${"b".repeat(32)}`

test("[CONSOLE-115] a run is requested on a connected machine, followed and stopped", async () => {
  await using it = await visit(chromium.browser, fixture, { path: "/settings?group=machines" })
  const machines = it.page.getByRole("region", { name: "Machines" })
  await machines.getByText("No machine is connected").waitFor()
  const repositories = [{ name: "shop", shares: ["board" as const] }]
  await fixture.call("remote.attach", { id: ID, name: "laptop", repositories })
  await machines.getByText("shop (shares board)").waitFor()

  await machines.getByRole("button", { name: "Request a run" }).click()
  const dialog = it.page.getByRole("dialog")
  await dialog.getByRole("radio", { name: "Codex" }).check()
  await dialog.getByLabel("Task").fill("Round the quotes")
  await dialog.getByRole("button", { name: "Request" }).click()
  await machines.getByText("waits for consent").waitFor()
  await machines.getByText(/Codex in shop on laptop, by owner/).waitFor()

  const { runs } = await fixture.call("remote.poll", { id: ID })
  const run = runs[0]?.id ?? ""
  const messages = [
    { run, seq: 1, kind: "user", text: "Round the quotes", at: 1 },
    { run, seq: 2, kind: "assistant", text: "I rounded them.", at: 2 },
  ]
  const states = [{ run, state: "running" as const, note: "" }]
  await fixture.call("remote.report", { id: ID, states, messages, items: [] })
  await machines.getByText("works", { exact: true }).waitFor()
  await machines.getByRole("button", { name: "2 messages" }).click()
  await dialog.getByText("2 assistant: I rounded them.").waitFor()
  await dialog.getByRole("button", { name: "Close" }).click()

  await machines.getByRole("button", { name: "Stop" }).click()
  await machines.getByText("stops", { exact: true }).waitFor()
  const denied = [{ run, state: "failed" as const, note: "no such agent" }]
  await fixture.call("remote.report", { id: ID, states: denied, messages: [], items: [] })
  await machines.getByText(/no such agent/).waitFor()
  await machines.getByText("failed", { exact: true }).waitFor()
  expect(it.problems()).toEqual([])
})
