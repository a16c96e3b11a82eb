import { spawn } from "node:child_process"
import { mkdir } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import path from "node:path"
import { text } from "node:stream/consumers"
import { expect, test } from "vitest"
import { systemClock } from "#ground/base"
import {
  type Cursor,
  GatewayList,
  GatewayManifest,
  GatewayShow,
  type JournalEntry,
} from "#ground/contract"
import type { Store } from "#ground/store"
import { createApp } from "#show/app"
import { LAUNCHER } from "#test/qm"
import { isNight, longestTestMs } from "#test/seed"
import { tempDirectory } from "#test/temp"

const KILLS = isNight() ? 50 : 6

/**
 * A kill happens after 2 to 17 requests. Each request contains all earlier ones, so the number
 * must not grow with the kills: the fiftieth once waited for 152.
 */
const requestsBefore = (kill: number) => 2 + (kill % 6) * 3
const { signal } = new AbortController()

/** A host that sends requests until none is answered; each is longer than the previous one. */
const HOST = `
const url = process.env.ANTHROPIC_BASE_URL + "/v1/messages"
const messages = []
async function next() {
  messages.push({ role: "user", content: "turn " + messages.length + " " + "x".repeat(2000) })
  const body = JSON.stringify({ model: "m", messages, tools: [{ name: "Read" }] })
  const headers = { "x-api-key": "k", "x-claude-code-session-id": process.argv[1] }
  await fetch(url, { method: "POST", headers, body }).then((it) => it.text())
  setTimeout(next, 5)
}
next().catch(() => process.exit(0))
process.on("unhandledRejection", () => process.exit(0))
`

async function newProvider() {
  const server = createServer((request, response) => {
    void text(request).then(() => {
      response.writeHead(200, { "content-type": "application/json" })
      response.end(JSON.stringify({ usage: { input_tokens: 1, output_tokens: 1 } }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** Throws when the program ended, because then no more requests follow. */
async function recordedMore(store: Store, more: number, hasEnded: () => boolean): Promise<void> {
  let after = await store.journal.head()
  for (let recorded = 0; recorded < more; ) {
    const page = await store.journal.read({ after, limit: 1_000, namePrefix: "gateway.recorded" })
    if (page.kind !== "entries") throw new Error("the store has another history now")
    recorded += page.entries.length
    after = page.next
    if (recorded < more && hasEnded()) throw new Error(`ended after ${recorded} requests`)
    await systemClock.sleep(10)
  }
}

/** A page of the journal has at most 1,000 entries. */
async function entriesOf(store: Store): Promise<readonly JournalEntry[]> {
  const told: JournalEntry[] = []
  let after: Cursor | undefined
  for (;;) {
    const page = await store.journal.read({ after, limit: 1_000, namePrefix: "gateway." })
    if (page.kind !== "entries") throw new Error("the store has another history now")
    told.push(...page.entries)
    if (page.entries.length < 1_000) return told
    after = page.next
  }
}

test("[D1] a killed gateway loses no recorded request, and the next gateway works", {
  timeout: longestTestMs(),
}, async () => {
  await using temp = await tempDirectory()
  await using provider = await newProvider()
  const project = path.join(temp.path, "project")
  await mkdir(project)
  const environment = {
    HOME: temp.path,
    PATH: process.env["PATH"] ?? "",
    ANTHROPIC_BASE_URL: provider.url,
  }
  await using app = await createApp({
    directory: project,
    environment,
    settings: [],
    writeLog: () => {},
  })
  const store = await app.store()
  for (let kill = 0; kill < KILLS; kill++) {
    const host = ["--", process.execPath, "-e", HOST, `session-${kill % 2}`]
    const args = ["gateway", "run", "--mode", "fold", "--content", "--wire", "anthropic", ...host]
    const child = spawn(LAUNCHER, args, { cwd: project, env: environment, stdio: "ignore" })
    const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()))
    // Kills at a different request each time, independent of the clock.
    await recordedMore(store, requestsBefore(kill), () => child.exitCode !== null)
    child.kill("SIGKILL")
    await gone
  }
  expect(await store.findDamage()).toBeUndefined()
  const { sessions } = GatewayList.parse(await app.call("gateway.list", {}, { signal }))
  expect(sessions).toHaveLength(KILLS)
  expect(sessions.map((it) => it.isAlive)).toEqual(sessions.map(() => false))
  const told = await entriesOf(store)
  let recorded = 0
  for (const { id } of sessions) {
    const input = { id, limit: 2_000 }
    const { requests } = GatewayShow.parse(await app.call("gateway.show", input, { signal }))
    const events = told.filter(
      (it) => it.name === "gateway.recorded" && it.body["proxiedSession"] === id,
    )
    expect(requests.map((it) => it.seq)).toEqual(events.map((it) => it.body["seq"]))
    expect(requests.map((it) => it.seq)).toEqual(requests.map((_, at) => at + 1))
    recorded += requests.length
    const last = requests.at(-1)
    if (last === undefined) continue
    const asked = { id, seq: last.seq }
    const read = await app.call("gateway.request", asked, { signal })
    const users = GatewayManifest.parse(read).items.filter((it) => it.kind === "user")
    expect(users.length).toBe(last.seq)
  }
  expect(recorded).toBeGreaterThan(KILLS * 2)
})
