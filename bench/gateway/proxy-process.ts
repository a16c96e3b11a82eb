import { mkdir } from "node:fs/promises"
import path from "node:path"
import { createInterface } from "node:readline"
import { createGateway } from "#act/gateway"
import {
  createIds,
  isSameProcessAlive,
  processIdentity,
  silentLog,
  systemClock,
  systemRandom,
  thisMachine,
} from "#ground/base"
import { Config } from "#ground/contract"
import { createSecrets } from "#ground/secrets"
import { openStore } from "#ground/store"

/**
 * The gateway in its own process: `node … <folder> record|fold|replace <address of the model> <key>`. A
 * line with a number is answered once that number of requests is recorded. Ends when stdin closes.
 */
const [folder = "", modeName = "", model = "", key = ""] = process.argv.slice(2)
const mode = modeName === "fold" ? "fold" : "record"
const secretMode = modeName === "replace" ? "replace" : "off"
const [clock, random] = [systemClock, systemRandom]
const location = {
  home: path.join(folder, modeName, "home"),
  stateDirectory: path.join(folder, modeName, "state"),
}
for (const it of [location.home, location.stateDirectory]) await mkdir(it, { recursive: true })
const store = await openStore({
  location: { kind: "sqlite", file: path.join(location.stateDirectory, "store.db") },
  clock,
  random,
  log: silentLog,
})
const secrets = createSecrets({ random })
const { pid, startedAt = "" } = processIdentity()
const gateway = createGateway({
  db: store.forRoom("gateway"),
  ids: createIds({ clock, random }),
  clock,
  random,
  log: silentLog,
  owner: { pid, startedAt, machine: thisMachine().name },
  location,
  root: () => folder,
  settings: () => ({ ...Config.parse({}).gateway, secrets: secretMode }),
  secrets: async () => secrets,
  receiptKey: async () => key,
  priceOf: () => undefined,
  chargeUsage: async () => {},
  noteCache: async () => {},
  keepTrail: async () => true,
  keepResults: async () => undefined,
  unfold: async () => {},
  isAlive: isSameProcessAlive,
  proxyEnvironment: () => ({}),
})
const proxied = await gateway.proxySession({
  run: null,
  title: "bench",
  host: "claude-code",
  wire: "anthropic",
  mode,
  hasContent: false,
  workingDirectory: folder,
  environment: { HOME: location.home, ANTHROPIC_BASE_URL: model },
  tell: (text) => process.stderr.write(`${text}\n`),
})

const answer = (value: object) => void process.stdout.write(`${JSON.stringify(value)}\n`)

answer({ url: proxied.environment["ANTHROPIC_BASE_URL"] })
for await (const line of createInterface({ input: process.stdin })) {
  await recorded(Number(line))
  answer({})
}
await proxied.end()
await gateway.close()
await store.close()

/** Polls frequently, so that the wait ends promptly. */
async function recorded(count: number): Promise<void> {
  for (;;) {
    const { sessions } = await gateway.list({ limit: 1 })
    if ((sessions[0]?.requests ?? 0) >= count) return
    await clock.sleep(5)
  }
}
