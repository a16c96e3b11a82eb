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
    waiting: isEmpty ? [] : WAITING,
    running: isEmpty ? [] : RUNNING,
    ended: isEmpty ? [] : ENDED,
  }
}

const WAITING = [
  {
    id: "r-31",
    state: "waiting",
    title: "Make quotes and invoices agree to the cent",
    ask: "claude-code asks to run npm run db:check -- --month 2026-10",
    agent: "Allow or deny",
    at: WORLD_NOW - 2 * MINUTE,
  },
  {
    id: "p-12",
    state: "paused",
    title: "When may a booking be re-priced after arrival",
    ask: "deep-research paused after stage 2 of 6 with a plan of 8 sub-queries",
    agent: "Proceed, amend or exit",
    at: WORLD_NOW - 11 * MINUTE,
  },
]

const RUNNING = [
  run("r-33", "Port the pilotage calendar to the new clock", {
    state: "running",
    agent: "claude-code",
    tokens: {
      instructions: 6_100,
      files: 31_000,
      symbols: 9_000,
      memory: 2_000,
      tools: 7_000,
      history: 38_900,
    },
    costUsd: 1.12,
    at: WORLD_NOW - 848_000,
  }),
  run("r-32", "Add a retry with jitter to the tide feed", {
    state: "running",
    agent: "codex",
    tokens: { instructions: 4_000, files: 12_000, symbols: 4_000, tools: 5_200, history: 11_000 },
    costUsd: 0.31,
    at: WORLD_NOW - 352_000,
  }),
  run("r-34", "Describe the tariff tables in the handbook", {
    state: "queued",
    agent: "claude-code",
    at: WORLD_NOW,
  }),
]

const ENDED = [
  run("r-30", "Split allocate() into search and commit", {
    state: "done",
    agent: "claude-code",
    tokens: {
      instructions: 6_000,
      files: 44_000,
      symbols: 14_000,
      knowledge: 3_000,
      memory: 2_000,
      tools: 7_000,
      history: 30_000,
    },
    costUsd: 1.48,
    at: WORLD_NOW - 25 * MINUTE,
  }),
  run("r-28", "Upgrade the spatial index to 5.0", {
    state: "failed",
    agent: "claude-code",
    tokens: {
      instructions: 6_000,
      files: 61_000,
      symbols: 8_000,
      memory: 2_000,
      tools: 7_000,
      history: 84_000,
    },
    costUsd: 1.94,
    at: WORLD_NOW - 78 * MINUTE,
  }),
  run("p-11", "Which fees apply to a lay-by berth", {
    state: "done",
    agent: "deep-research",
    tokens: { instructions: 1_000, knowledge: 11_300, tools: 1_000, history: 2_000 },
    costUsd: 0.42,
    at: WORLD_NOW - 105 * MINUTE,
  }),
  run("r-26", "Rewrite the booking grid without a canvas", {
    state: "stopped",
    agent: "claude-code",
    tokens: {
      instructions: 6_000,
      files: 38_000,
      symbols: 4_400,
      memory: 2_000,
      tools: 7_000,
      history: 21_000,
    },
    costUsd: 0.77,
    at: WORLD_NOW - 149 * MINUTE,
  }),
]

type RunDetail = {
  state: string
  agent: string
  at: number
  tokens?: Record<string, number>
  costUsd?: number
}

function run(id: string, title: string, detail: RunDetail) {
  return { id, title, ...detail }
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
