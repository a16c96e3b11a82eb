import { z } from "zod"
import { FieldMeta, field } from "./config-field.ts"
import { FoldSettings } from "./config-fold.ts"
import { GatewaySettings } from "./config-gateway.ts"
import { KnowledgeSettings, ModelSettings, PipelineSettings } from "./config-model.ts"

export const TokenEncoding = z.enum(["claude", "o200k"])
export type TokenEncoding = z.infer<typeof TokenEncoding>

const Weight = z.number().min(0).max(1_000)

/** Globs with commas. */
const GlobText = z.string().max(8_000).default("")

/** Rules over what agents do; a hundred of them fit. */
const RuleText = z.string().max(8_000).default("")

/** Every setting of the product, with its default and its description. */
export const Config = z.strictObject({
  agents: z
    .strictObject({
      maxRunning: field(z.int().min(1).max(64).default(4), {
        description: "How many runs of agents work at once; the rest wait",
        env: "QM_AGENTS_MAX_RUNNING",
      }),
      contextParts: field(z.boolean().default(true), {
        description: "Whether date, repository and branch are put in front of each turn",
        env: "QM_AGENTS_CONTEXT_PARTS",
      }),
      titles: field(z.boolean().default(true), {
        description: "Whether a title is asked of the agent's model after the first turn",
        env: "QM_AGENTS_TITLES",
      }),
      deny: field(RuleText, {
        description: "What agents never do: Tool or Tool(command or path), with semicolons",
        env: "QM_AGENTS_DENY",
      }),
      ask: field(RuleText, {
        description: "What agents always ask for, in the same form",
        env: "QM_AGENTS_ASK",
      }),
      allow: field(RuleText, {
        description: "What agents do without asking, in the same form",
        env: "QM_AGENTS_ALLOW",
        personal: true,
      }),
    })
    .prefault({}),
  capture: z
    .strictObject({
      extra: field(z.string().max(2_000).default(""), {
        description: "Further files to show, as patterns with commas; no host loads them by itself",
        env: "QM_CAPTURE_EXTRA",
      }),
      startBudget: field(z.int().min(100).max(10_000_000).default(20_000), {
        description: "Tokens that may be in the window before the first word; a notch on the bar",
        env: "QM_CAPTURE_START_BUDGET",
      }),
    })
    .prefault({}),
  context_folding: FoldSettings,
  gateway: GatewaySettings,
  guard: z
    .strictObject({
      highRiskPaths: field(z.string().max(8_000).default(""), {
        description:
          "Files whose change is simulated first, as globs with commas; the last that fits decides",
        env: "QM_GUARD_HIGH_RISK_PATHS",
      }),
    })
    .prefault({}),
  kit: z
    .strictObject({
      level: field(z.int().min(1).max(7).default(2), {
        description: "How much the kit does, from 1 to 7; `qm level` sets it and shows the table",
        env: "QM_KIT_LEVEL",
      }),
      fetch: field(z.boolean().default(true), {
        description: "Whether a session that starts lets git fetch in the background",
        env: "QM_KIT_FETCH",
      }),
      ignored: field(GlobText, {
        description: "Files that no ledger keeps, as globs with commas; empty for the defaults",
        env: "QM_KIT_IGNORED",
      }),
      important: field(GlobText, {
        description: "Files worth writing down when they change; empty for the defaults",
        env: "QM_KIT_IMPORTANT",
      }),
      registration: field(GlobText, {
        description: "Files whose change counts as written down; empty for the defaults",
        env: "QM_KIT_REGISTRATION",
      }),
    })
    .prefault({}),
  knowledge: KnowledgeSettings,
  log: z
    .strictObject({
      level: field(z.enum(["debug", "info", "warn", "error"]).default("warn"), {
        description: "Lowest level that is written to stderr",
        env: "QM_LOG_LEVEL",
      }),
    })
    .prefault({}),
  map: z
    .strictObject({
      scanInterval: field(z.int().min(0).max(86_400).default(300), {
        description: "Seconds an index may be old before a package looks again; 0 never looks",
        env: "REPO_SCAN_INTERVAL",
      }),
      scanMode: field(z.enum(["incremental", "full"]).default("incremental"), {
        description: "Whether such a look reads what changed, or everything",
        env: "REPO_SCAN_MODE",
      }),
    })
    .prefault({}),
  model: ModelSettings,
  pack: z
    .strictObject({
      enabled: field(z.boolean().default(true), {
        description: "Whether context packages are built; when not, they are empty and say so",
        env: "CONTEXT_PACKAGE_ENABLED",
      }),
      budget: field(z.int().min(100).max(10_000_000).default(100_000), {
        description: "Tokens a context package may have",
        env: "CONTEXT_PACKAGE_TOKEN_BUDGET",
      }),
      scoring: field(z.enum(["learned", "weighted"]).default("learned"), {
        description: "How files are ranked: by what was learnt, or by the two weights below",
        env: "CONTEXT_PACKAGE_SCORING",
      }),
      astWeight: field(Weight.default(0.6), {
        description: "Weight of structure where scoring is weighted",
        env: "CONTEXT_PACKAGE_AST_WEIGHT",
      }),
      semanticWeight: field(Weight.default(0.4), {
        description: "Weight of words, past and meaning where scoring is weighted",
        env: "CONTEXT_PACKAGE_SEMANTIC_WEIGHT",
      }),
      minRelevance: field(z.number().min(0).max(1).default(0.2), {
        description: "Files below this score stay out, unless they are named",
        env: "CONTEXT_PACKAGE_MIN_RELEVANCE",
      }),
      summaryMaxTokens: field(z.int().min(100).max(100_000).default(4_000), {
        description: "Tokens the summary of a package may have",
        env: "CONTEXT_PACKAGE_SUMMARY_MAX_TOKENS",
      }),
      wordTable: field(z.boolean().default(false), {
        description: "Whether the table of word meanings takes part in the ranking",
        env: "CONTEXT_PACKAGE_WORD_TABLE",
      }),
      domains: field(z.string().max(8_000).default(""), {
        description: "Names for parts of the tree: prefix=name, with semicolons",
        env: "CONTEXT_PACKAGE_DOMAINS",
      }),
      roles: field(z.string().max(8_000).default(""), {
        description: "Paths by role: role +glob -glob, with semicolons; minus beats plus",
        env: "CONTEXT_PACKAGE_ROLES",
      }),
      deny: field(z.string().max(8_000).default(""), {
        description: "Further files that are never in a package, as globs with commas",
        env: "CONTEXT_PACKAGE_DENY",
      }),
    })
    .prefault({}),
  pipeline: PipelineSettings,
  server: z
    .strictObject({
      port: field(z.int().min(0).max(65_535).default(4242), {
        description: "Port of the console; when the default is taken, the next free one is used",
        env: "QM_PORT",
      }),
    })
    .prefault({}),
  store: z
    .strictObject({
      databaseUrl: field(z.string().default(""), {
        description: "postgres://… for a team's store; empty means the embedded SQLite",
        env: "QM_DATABASE_URL",
        secret: true,
        personal: true,
      }),
      busyTimeoutMs: field(z.int().min(100).max(120_000).default(15_000), {
        description: "How long a write waits for another process before it gives up",
        env: "QM_STORE_BUSY_TIMEOUT_MS",
      }),
      keepBackups: field(z.int().min(1).max(100).default(7), {
        description: "How many backups are kept; the oldest go first",
        env: "QM_STORE_KEEP_BACKUPS",
      }),
    })
    .prefault({}),
  tokens: z
    .strictObject({
      encoding: field(TokenEncoding.default("claude"), {
        description: "Encoding in which tokens are counted",
        env: "QM_TOKENS_ENCODING",
      }),
      window: field(z.int().min(1_000).max(10_000_000).default(200_000), {
        description: "Size of the context window that budgets are drawn against, in tokens",
        env: "QM_TOKENS_WINDOW",
      }),
    })
    .prefault({}),
})
export type Config = z.infer<typeof Config>

/** One leaf of the schema: what a settings page, a reference page or an origin is about. */
export type ConfigField = {
  readonly key: `${string}.${string}`
  readonly section: string
  readonly name: string
  readonly schema: z.ZodType
  readonly defaultValue: unknown
  readonly description: string
  readonly env: string
  readonly isSecret: boolean
  readonly isPersonal: boolean
}

/** The schema as a flat list, in the order in which it is written. */
export function configFields(): readonly ConfigField[] {
  return Object.entries(Config.shape).flatMap(([section, wrapped]) => {
    const fields: Record<string, z.ZodType> = wrapped.unwrap().shape
    return Object.entries(fields).map(([name, schema]) => describeField(section, name, schema))
  })
}

function describeField(section: string, name: string, schema: z.ZodType): ConfigField {
  const meta = FieldMeta.parse(schema.meta())
  return {
    key: `${section}.${name}`,
    section,
    name,
    schema,
    defaultValue: schema.parse(undefined),
    description: meta.description,
    env: meta.env,
    isSecret: meta.secret === true,
    isPersonal: meta.personal === true,
  }
}
