import type { JournalEntry } from "./fake-shapes.ts"

/** What the fake server pretends: enough to see every page in each of its states. */
export type WorldState = "populated" | "empty" | "failing" | "read-only"

/** Fixed, so that two pictures differ only where the console does: Sunday 15 November 2026, 08:16. */
export const WORLD_NOW = Date.UTC(2026, 10, 15, 8, 16, 4, 312)
export const EPOCH = "ep_0mhz1k2c7w4tq9"

const MINUTE = 60_000

export function worldSession(state: WorldState) {
  return {
    repository: {
      root: "/home/ada/code/tideline",
      name: "tideline",
      branch: "fix/tariff-rounding",
    },
    node: "26.10.0",
    version: "0.1.0",
    readOnly: state === "read-only",
  }
}

export function worldNow(state: WorldState) {
  const isEmpty = state === "empty"
  return {
    repository: {
      root: "/home/ada/code/tideline",
      name: "tideline",
      branch: "fix/tariff-rounding",
    },
    health: { isHealthy: true, failed: 0, warnings: isEmpty ? 0 : 1 },
    store: { dialect: "sqlite", events: isEmpty ? 1 : 1_204, sizeBytes: 1_310_720 },
  }
}

export function worldDoctor(state: WorldState) {
  const ok = (area: string, name: string, detail: string) => ({ area, name, state: "ok", detail })
  const checks = [
    ok("environment", "runtime", "qm 0.1.0 on node 26.10.0, sqlite 3.53.4, linux x64"),
    ok("environment", "git", "git version 2.39.5"),
    ok("environment", "repository", "/home/ada/code/tideline"),
    ok("config", "settings", "2 settings changed from the defaults, 2 files read"),
    ok(
      "store",
      "opens",
      `sqlite, schema 1, ${state === "empty" ? "1 event" : "1,204 events"}, 1.3 MB`,
    ),
    ok("store", "disk", "79.4 GB free"),
    ok("permissions", "user folder", "0700 /home/ada/.qm"),
    ok("permissions", "database file", "0600 /home/ada/code/tideline/.git/qm/store.db"),
  ]
  if (state === "empty") return { checks, isHealthy: true }
  const warned = {
    area: "permissions",
    name: "state folder",
    state: "warn",
    detail: "0755 /home/ada/code/tideline/.git/qm, others can read it",
    hint: "Run: chmod 700 '/home/ada/code/tideline/.git/qm'",
  }
  return { checks: [...checks, warned], isHealthy: true }
}

export function worldStore(state: WorldState, events: number) {
  return {
    dialect: "sqlite",
    location: "/home/ada/code/tideline/.git/qm/store.db",
    sizeBytes: 1_310_720,
    schemaVersion: 1,
    events,
    epoch: EPOCH,
    lastBackup:
      state === "empty"
        ? null
        : { file: "store-2026-11-15.db", sizeBytes: 1_204_224, at: WORLD_NOW - 190 * MINUTE },
    corruptFiles: [],
    stopped: null,
    integrity: "ok",
  }
}

const NAMES = ["store.backed-up", "capture.taken", "run.started", "run.ended", "guard.judged"]

/** A journal of so many events, of which the last three hundred happened today. */
export function worldJournal(state: WorldState): JournalEntry[] {
  const count = state === "empty" ? 1 : 1_204
  const created = entry(1, "store.created", { dialect: "sqlite" })
  const rest = Array.from({ length: count - 1 }, (_, i) => {
    const name = NAMES[(i * 7) % NAMES.length] ?? "store.backed-up"
    return entry(i + 2, name, bodyFor(name, i))
  })
  return [created, ...rest].map((it) => ({
    ...it,
    at: WORLD_NOW - (count - it.seq) * 97_000,
  }))
}

export function entry(seq: number, name: string, body: Record<string, unknown>): JournalEntry {
  const id = `ev_0mhz1k2c7${String(seq).padStart(10, "0")}`
  return { epoch: EPOCH, seq, id, at: WORLD_NOW, name, version: 1, body }
}

export function bodyFor(name: string, i: number): Record<string, unknown> {
  switch (name) {
    case "store.backed-up":
      return { file: `store-2026-11-15-${i}.db`, sizeBytes: 1_204_224 + i * 512 }
    case "agents.updated":
      return { id: `rn_${i}`, status: "running" }
    case "capture.taken":
      return { host: "claude-code", items: 15, tokens: 16_981, changed: ["CLAUDE.md"] }
    case "run.started":
      return { run: `r-${i}`, agent: "claude-code", title: "Port the pilotage calendar" }
    case "run.ended":
      return { run: `r-${i}`, state: "done", tokens: 94_000 + i, costUsd: 1.12 }
    default:
      return { verdict: "ask", rule: "no rule allows it", call: { tool: "bash", words: 4 } }
  }
}

export function worldTokens(paths: readonly string[]) {
  const budget = 24_000
  const files = paths.map((path, i) => {
    const tokens = 2_486 + i * 9_300
    return { path, tokens, bytes: tokens * 4, share: tokens / budget }
  })
  const tokens = files.reduce((sum, it) => sum + it.tokens, 0)
  const total = { tokens, bytes: tokens * 4, share: tokens / budget }
  return { files, total, budget, encoding: "claude", exact: false, meaning: "an estimate" }
}
