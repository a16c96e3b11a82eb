import type { JournalEntry, OperationEntry } from "./fake-shapes.ts"

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
  run("r-33", "running", "Port the pilotage calendar to the new clock", {
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
  run("r-32", "running", "Add a retry with jitter to the tide feed", {
    agent: "codex",
    tokens: { instructions: 4_000, files: 12_000, symbols: 4_000, tools: 5_200, history: 11_000 },
    costUsd: 0.31,
    at: WORLD_NOW - 352_000,
  }),
  run("r-34", "queued", "Describe the tariff tables in the handbook", {
    agent: "claude-code",
    at: WORLD_NOW,
  }),
]

const ENDED = [
  run("r-30", "done", "Split allocate() into search and commit", {
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
  run("r-28", "failed", "Upgrade the spatial index to 5.0", {
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
  run("p-11", "done", "Which fees apply to a lay-by berth", {
    agent: "deep-research",
    tokens: { instructions: 1_000, knowledge: 11_300, tools: 1_000, history: 2_000 },
    costUsd: 0.42,
    at: WORLD_NOW - 105 * MINUTE,
  }),
  run("r-26", "stopped", "Rewrite the booking grid without a canvas", {
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

type RunDetail = { agent: string; at: number; tokens?: Record<string, number>; costUsd?: number }

// oxlint-disable-next-line max-params
function run(id: string, state: string, title: string, detail: RunDetail) {
  return { id, state, title, ...detail }
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

export function worldConfig() {
  return {
    withSources: true,
    files: [
      { file: "/home/ada/.qm/config.json", found: true },
      { file: "/home/ada/code/tideline/.qm/config.json", found: true },
    ],
    settings: SETTINGS.map((it) => ({ ...it })),
  }
}

const PROJECT = "project file /home/ada/code/tideline/.qm/config.json"
const USER = "user file /home/ada/.qm/config.json"

const SETTINGS = [
  {
    key: "log.level",
    value: "warn" as unknown,
    origin: "default",
    hides: [] as string[],
    description: "Lowest level that is written to stderr",
    env: "QM_LOG_LEVEL",
    isSecret: false,
    schema: { type: "string", enum: ["debug", "info", "warn", "error"], default: "warn" } as object,
  },
  {
    key: "store.databaseUrl",
    value: "[hidden]",
    origin: "environment QM_DATABASE_URL",
    hides: [`${USER}:4`],
    description: "postgres://… for a team's store; empty means the embedded SQLite",
    env: "QM_DATABASE_URL",
    isSecret: true,
    schema: { type: "string", default: "" },
  },
  {
    key: "store.busyTimeoutMs",
    value: 15_000,
    origin: "default",
    hides: [],
    description: "How long a write waits for another process before it gives up",
    env: "QM_STORE_BUSY_TIMEOUT_MS",
    isSecret: false,
    schema: { type: "integer", minimum: 100, maximum: 120_000, default: 15_000 },
  },
  {
    key: "store.keepBackups",
    value: 14,
    origin: `${USER}:7`,
    hides: [],
    description: "How many backups are kept; the oldest go first",
    env: "QM_STORE_KEEP_BACKUPS",
    isSecret: false,
    schema: { type: "integer", minimum: 1, maximum: 100, default: 7 },
  },
  {
    key: "tokens.encoding",
    value: "claude",
    origin: "default",
    hides: [],
    description: "Encoding in which tokens are counted",
    env: "QM_TOKENS_ENCODING",
    isSecret: false,
    schema: { type: "string", enum: ["claude", "o200k"], default: "claude" },
  },
  {
    key: "tokens.window",
    value: 200_000,
    origin: `${PROJECT}:3`,
    hides: [`${USER}:9`],
    description: "Size of the context window that budgets are drawn against, in tokens",
    env: "QM_TOKENS_WINDOW",
    isSecret: false,
    schema: { type: "integer", minimum: 1_000, maximum: 10_000_000, default: 200_000 },
  },
]

export const WORLD_OPERATIONS: readonly OperationEntry[] = [
  operation("config.check", "Check the config files, with line, column and the nearest key", {}),
  operation("config.show", "Show every setting and where its value came from", {
    key: { type: "string", description: "One setting or one section, e.g. tokens.encoding" },
    sources: { type: "boolean", default: false, description: "Say where each value came from" },
  }),
  operation("doctor.run", "Check this machine: runtime, config, store, permissions", {}),
  operation("events.list", "List what happened, in the order in which it was stored", {
    name: { type: "string", default: "", description: "Only events whose name begins so" },
    limit: {
      type: "integer",
      minimum: 1,
      maximum: 1_000,
      default: 50,
      description: "At most so many events",
    },
  }),
  operation(
    "store.backup",
    "Copy the store to a backup file, while it is in use",
    {
      directory: {
        type: "string",
        minLength: 1,
        description: "Folder for the copy; default: beside the store",
      },
      keep: {
        type: "integer",
        minimum: 1,
        maximum: 100,
        description: "How many backups stay; default from config",
      },
    },
    "write",
  ),
  operation("store.check", "Read the whole store once and compare every checksum", {}),
  operation(
    "store.restore",
    "Replace the store by a backup",
    {
      file: {
        type: "string",
        minLength: 1,
        description: "The backup to restore; default: the newest",
      },
    },
    "write",
  ),
  operation("store.status", "Show where the store lies and how large it is", {}),
  operation("tokens.count", "Count the tokens of files or of a text", {
    paths: {
      type: "array",
      items: { type: "string", minLength: 1 },
      default: [],
      description: "Files to count",
    },
    budget: {
      type: "integer",
      exclusiveMinimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "Tokens the shares are taken of",
    },
  }),
]

// oxlint-disable-next-line max-params
function operation(
  name: string,
  summary: string,
  properties: object,
  effect: "read" | "write" = "read",
): OperationEntry {
  return {
    name,
    summary,
    effect,
    method: effect === "read" ? "GET" : "POST",
    path: `/api/${name.replace(".", "/")}`,
    input: { type: "object", properties },
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
