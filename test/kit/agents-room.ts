import path from "node:path"
import { type AgentsDeps, createAgents, loadAgent } from "#act/agents"
import {
  createIds,
  makeTemporaryDirectory,
  silentLog,
  systemClock,
  systemRandom,
} from "#ground/base"
import type { Run, RunConfiguration } from "#ground/contract"
import { openStore, type StoreLocation } from "#ground/store"
import { tempDirectory } from "./temp.ts"

export const OWNER = { pid: process.pid, startedAt: "now", machine: "here", instance: "one" }

const hide = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll("hunter2", "[redacted]"))

export async function newRoom(
  overrides: Partial<AgentsDeps> = {},
  location: StoreLocation = { kind: "memory" },
) {
  const store = await openStore({
    location,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
  })
  const folder = await tempDirectory()
  const notified: number[] = []
  const deltas: string[] = []
  const clock = systemClock
  const synthetic = await loadAgent("synthetic")
  const make = (more: Partial<AgentsDeps> = {}) =>
    createAgents({
      db: store.forRoom("agents"),
      clock,
      ids: createIds({ clock, random: systemRandom }),
      log: silentLog,
      owner: OWNER,
      agent: async () => synthetic,
      environmentFor: () => ({}),
      environment: () => ({}),
      projectFolders: async (directory) => (directory.startsWith("/repo") ? ["/repo"] : []),
      belongsToRepository: async (directory) => directory.startsWith("/repo"),
      directoryProblem: async () => undefined,
      root: () => "/repo",
      isAlive: () => false,
      endProcess: async () => {},
      redact: (text) => text.replaceAll("hunter2", "[redacted]"),
      redactEvent: hide,
      priceOf: () => undefined,
      contextMessage: async (_, cwd) => ({
        type: "context",
        role: "system",
        content: `context of ${cwd}`,
        metadata: {},
      }),
      onAdvance: store.onAdvance,
      contextParts: async () => [],
      keptPack: async (packId) => packId,
      rules: async () => ({}),
      checkResumable: async () => true,
      proxy: async () => undefined,
      redactJson: hide,
      hostPlaces: () => ({ home: folder.path, environment: {} }),
      sessionsDirectory: path.join(folder.path, "sessions"),
      resolve: (userPath) => path.resolve(folder.path, userPath),
      count: async () => (text) => Math.ceil(text.length / 4),
      delimiter: () => "fence",
      wantsTitles: () => false,
      temporaryDirectory: makeTemporaryDirectory,
      maxRunning: () => 4,
      ...overrides,
      ...more,
    })
  const room = make()
  room.onMessages((_, lastSeq) => void notified.push(lastSeq))
  room.onDelta(({ text }) => void deltas.push(text))
  return Object.assign(room, {
    store,
    directory: folder.path,
    told: notified,
    deltas,
    another: make,
    async [Symbol.asyncDispose]() {
      await room.close()
      await store.close()
      await folder[Symbol.asyncDispose]()
    },
  })
}

export const lines = (...steps: object[]) =>
  steps.map((it) => JSON.stringify({ after: 0, ...it })).join("\n")
export const ENDED = { event: "turn.ended", outcome: "completed", text: "done" }

export const configured = (more: Partial<RunConfiguration> = {}): RunConfiguration => ({
  mode: "ask",
  ...more,
})

export type Room = Awaited<ReturnType<typeof newRoom>>

export async function until(room: Room, id: string, isSo: (run: Run) => boolean): Promise<Run> {
  for (;;) {
    const run = await room.get(id)
    if (isSo(run)) return run
    await systemClock.sleep(5)
  }
}

export const isOver = (run: Run) =>
  ["completed", "failed", "stopped", "interrupted"].includes(run.status)
