import type { OperationEntry } from "./fake-shapes.ts"

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

type FakeSetting = {
  readonly key: string
  value: unknown
  origin: string
  readonly hides: readonly string[]
  readonly description: string
  readonly env: string
  readonly isSecret: boolean
  readonly schema: object
}

const SETTINGS: readonly FakeSetting[] = [
  {
    key: "guard.highRiskPaths",
    value: "src/tariff/**",
    origin: `${PROJECT}:6`,
    hides: [],
    description:
      "Files whose change is simulated first, as globs with commas; the last that fits decides",
    env: "QM_GUARD_HIGH_RISK_PATHS",
    isSecret: false,
    schema: { type: "string", maxLength: 8_000, default: "" },
  },
  {
    key: "kit.level",
    value: 3,
    origin: `${PROJECT}:5`,
    hides: [],
    description: "How much the kit does, from 1 to 7; `qm level` sets it and shows the table",
    env: "QM_KIT_LEVEL",
    isSecret: false,
    schema: { type: "integer", minimum: 1, maximum: 7, default: 2 },
  },
  {
    key: "log.level",
    value: "warn",
    origin: "default",
    hides: [],
    description: "Lowest level that is written to stderr",
    env: "QM_LOG_LEVEL",
    isSecret: false,
    schema: { type: "string", enum: ["debug", "info", "warn", "error"], default: "warn" },
  },
  {
    key: "pack.budget",
    value: 24_000,
    origin: "default",
    hides: [],
    description: "Tokens a context package may have",
    env: "CONTEXT_PACKAGE_TOKEN_BUDGET",
    isSecret: false,
    schema: { type: "integer", minimum: 100, maximum: 10_000_000, default: 100_000 },
  },
  {
    key: "pack.minRelevance",
    value: 0.2,
    origin: "default",
    hides: [],
    description: "Files below this score stay out, unless they are named",
    env: "CONTEXT_PACKAGE_MIN_RELEVANCE",
    isSecret: false,
    schema: { type: "number", minimum: 0, maximum: 1, default: 0.2 },
  },
  {
    key: "pack.summaryMaxTokens",
    value: 4_000,
    origin: "default",
    hides: [],
    description: "Tokens the summary of a package may have",
    env: "CONTEXT_PACKAGE_SUMMARY_MAX_TOKENS",
    isSecret: false,
    schema: { type: "integer", minimum: 100, maximum: 100_000, default: 4_000 },
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

const PLACE = {
  path: { type: "string", minLength: 1, default: ".", description: "Where the agent would start" },
  host: {
    type: "string",
    enum: ["claude-code", "codex", "copilot", "gemini", "antigravity"],
    default: "claude-code",
    description: "Whose context is shown",
  },
}

export const WORLD_OPERATIONS: readonly OperationEntry[] = [
  operation("capture.list", "List the captures of a place", PLACE),
  writing("capture.take", "Show what a host loads before the first word", PLACE),
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
  writing("store.backup", "Copy the store to a backup file, while it is in use", {
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
  }),
  operation("store.check", "Read the whole store once and compare every checksum", {}),
  writing("store.restore", "Replace the store by a backup", {
    file: {
      type: "string",
      minLength: 1,
      description: "The backup to restore; default: the newest",
    },
  }),
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

function operation(name: string, summary: string, properties: object): OperationEntry {
  const path = `/api/${name.replace(".", "/")}`
  const input = { type: "object", properties }
  return { name, summary, effect: "read", method: "GET", path, input }
}

function writing(name: string, summary: string, properties: object): OperationEntry {
  return { ...operation(name, summary, properties), effect: "write", method: "POST" }
}
