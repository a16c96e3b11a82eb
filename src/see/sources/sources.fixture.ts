import path from "node:path"
import {
  type Clock,
  ensureDirectory,
  listDirectory,
  makeTemporaryDirectory,
  once,
  readTextBounded,
  realPath,
  silentLog,
  systemClock,
  systemRandom,
  writeFileAtomic,
} from "#ground/base"
import type { Source } from "#ground/contract"
import { openStore } from "#ground/store"
import { createSources, type SourcesDeps } from "./sources.ts"

const STUB = path.join(import.meta.dirname, "stub-server.sh")

export const SHIPPED = path.join(import.meta.dirname, "../../../sources")

export async function newFixture(changes: Partial<SourcesDeps> = {}) {
  const folder = await makeTemporaryDirectory()
  const clock = movableClock()
  const approvalsFile = path.join(folder.path, "home", "approvals", "sources.json")
  const places = placesIn(folder.path)
  const store = once(async () =>
    openStore({
      location: { kind: "memory" },
      clock: systemClock,
      random: systemRandom,
      log: silentLog,
    }),
  )
  const make = (more: Partial<SourcesDeps> = {}) =>
    createSources({
      places,
      approvalsFile,
      stateDirectory: path.join(folder.path, "home"),
      db: async () => (await store()).forRoom("sources"),
      templatesDirectory: path.join(SHIPPED, "../templates/sources"),
      addConnection: async () => "",
      runtime: process.execPath,
      environment: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: folder.path },
      clock,
      log: silentLog,
      random: systemRandom,
      credential: async () => undefined,
      storeCredential: async () => {},
      redact: async (text) => text,
      ...changes,
      ...more,
    })
  const sources = make()
  return {
    path: folder.path,
    places,
    clock,
    approvalsFile,
    make,
    sources,
    add: (slug: string, behaviour: string, added: AddedSource = {}) =>
      addStub(path.join(places[added.origin ?? "user"], slug), behaviour, added),
    async [Symbol.asyncDispose]() {
      await sources.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}

function placesIn(folder: string) {
  return {
    shipped: path.join(folder, "shipped"),
    user: path.join(folder, "user"),
    project: path.join(folder, "project"),
  }
}

function movableClock(): Clock & { moveOn(ms: number): void } {
  let movedMs = 0
  return {
    ...systemClock,
    monotonicMs: () => systemClock.monotonicMs() + movedMs,
    moveOn(ms) {
      movedMs += ms
    },
  }
}

type AddedSource = {
  readonly origin?: Source["origin"]
  readonly env?: readonly string[]
  readonly timeoutMs?: number
  readonly transport?: object
  readonly provides?: readonly string[]
}

async function addStub(at: string, behaviour: string, added: AddedSource): Promise<string> {
  await ensureDirectory(at)
  const stub = await readTextBounded(STUB, { maxBytes: 100_000 })
  await writeFileAtomic(path.join(at, "stub.sh"), stub.kind === "read" ? stub.text : "")
  const stdio = { type: "stdio", command: "sh", args: ["stub.sh", behaviour], env: added.env }
  const config = {
    title: path.basename(at),
    provides: added.provides ?? ["web-search"],
    transport: added.transport ?? stdio,
    timeoutMs: added.timeoutMs ?? 20_000,
  }
  await writeFileAtomic(path.join(at, "config.json"), JSON.stringify(config))
  return at
}

export async function childrenIn(folder: string): Promise<readonly string[]> {
  const listed = await listDirectory("/proc")
  const pids = listed.kind === "listed" ? listed.entries.map((it) => it.name) : []
  const directories = await Promise.all(
    pids
      .filter((pid) => /^\d+$/.test(pid))
      .map((pid) =>
        realPath(`/proc/${pid}/cwd`).then(
          (cwd) => cwd,
          () => "",
        ),
      ),
  )
  return directories.filter((cwd) => cwd.startsWith(folder))
}
