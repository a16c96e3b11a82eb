import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import type { Caller } from "#ground/contract"
import { createSecrets } from "#ground/secrets"
import { type Db, openStore, type Store, type StoreLocation } from "#ground/store"
import { createMemory, type MemoryDeps, type MemoryRoom } from "#know/memory"
import { testClock } from "./clock.ts"
import { tempDirectory } from "./temp.ts"

type RecordInput = Parameters<MemoryRoom["record"]>[0]

export const AGENT: Caller = { principal: "owner", client: "claude-code", session: "ses_1" }

export type MemoryFixture = AsyncDisposable & {
  readonly root: string
  readonly room: MemoryRoom
  readonly store: Store
  readonly deps: MemoryDeps
  readonly clock: ReturnType<typeof testClock>
  /** Hashes of the cited code, by `path` or `path symbol`. */
  readonly code: Map<string, string>
  readonly untrusted: Set<string>
  other(changes: Partial<MemoryDeps>): MemoryRoom
  file(path: string, text: string | Uint8Array): Promise<string>
  read(path: string): Promise<string>
  files(): Promise<readonly string[]>
  events(): Promise<readonly string[]>
}

/** Later than the disk's time stamps, so that they are trusted. */
const LATER_MS = 60_000

export async function memoryFixture(
  location: StoreLocation = { kind: "memory" },
): Promise<MemoryFixture> {
  const temp = await tempDirectory()
  const store = await openStore({
    location,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
  })
  const clock = testClock({ now: Date.now() + LATER_MS })
  const code = new Map<string, string>()
  const untrusted = new Set<string>()
  const secrets = createSecrets({ random: systemRandom })
  const db: Db<"memory"> = store.forRoom("memory")
  const deps: MemoryDeps = {
    db: async () => db,
    root: () => temp.path,
    clock,
    random: systemRandom,
    log: silentLog,
    count: async () => (text) => Math.ceil(text.length / 4),
    secrets: async () => secrets,
    hashOf: async ({ path, symbol }) => code.get(symbol === undefined ? path : `${path} ${symbol}`),
    commit: async () => "c0ffee",
    isUntrusted: async (session) => untrusted.has(session),
  }
  return {
    root: temp.path,
    store,
    deps,
    clock,
    code,
    untrusted,
    room: createMemory(deps),
    other: (changes) => createMemory({ ...deps, ...changes }),
    async file(path, text) {
      const file = `.qm/memory/${path}`
      await mkdir(dirname(join(temp.path, file)), { recursive: true })
      await writeFile(join(temp.path, file), text)
      return file
    },
    read: (path) => readFile(join(temp.path, path), "utf8"),
    async files() {
      const all = await readdir(join(temp.path, ".qm"), { recursive: true }).catch(() => [])
      return all.filter((it) => it.endsWith(".md") || it.endsWith(".tmp")).toSorted()
    },
    async events() {
      const query = { after: undefined, limit: 1_000, namePrefix: "memory." }
      const page = await store.journal.read(query)
      return "entries" in page ? page.entries.map((it) => it.name) : []
    },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]()
      await temp[Symbol.asyncDispose]()
    },
  }
}

export function note(fields: Partial<RecordInput> = {}): RecordInput {
  return {
    kind: "pitfall",
    title: "The cache key lacks the locale",
    description: "",
    body: "Two users shared a page; put the locale into the key of the page cache.",
    cites: [],
    untrusted: false,
    ...fields,
  }
}

export function fileText(fields: Readonly<Record<string, string>>, body = "Words.\n"): string {
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`)
  return `---\n${head.join("")}---\n\n${body}`
}

export const WANTED = {
  text: "page cache locale",
  budgetTokens: 1_000,
  minConfidence: 0.7,
  most: 10,
}
