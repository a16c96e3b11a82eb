import { z } from "zod"
import { FieldMeta, field } from "./config-field.ts"
import {
  KnowledgeSettings,
  ModelSettings,
  PipelineSettings,
  SourceSettings,
} from "./config-research.ts"
import {
  AutonomySettings,
  BoardSettings,
  GatewaySettings,
  MediaSettings,
  ReviewSettings,
  SwarmSettings,
  TeamSettings,
  TelemetrySettings,
  WorktreesSettings,
} from "./config-work.ts"
import { parseSecretPattern, splitSecretPatterns } from "./secret-pattern.ts"

const Budget = z.number().min(0).max(1_000_000).default(0)

/** Transcripts and spending are the user's own, so no repository decides about them. */
const SessionSettings = z
  .strictObject({
    import: field(z.enum(["ask", "repository", "machine", "never"]).default("ask"), {
      description:
        "Transcripts to index automatically: of this repository, of this machine, none (never), or only after you agree (ask)",
      env: "QM_SESSIONS_IMPORT",
      personal: true,
    }),
    dayBudget: field(Budget, {
      description:
        "Spending limit per day (UTC) in US dollars that `qm cost` warns about; 0 is none",
      env: "QM_SESSIONS_DAY_BUDGET",
      personal: true,
    }),
    weekBudget: field(Budget, {
      description:
        "Spending limit per week (Monday to Sunday, UTC) in US dollars that `qm cost` warns about; 0 is none",
      env: "QM_SESSIONS_WEEK_BUDGET",
      personal: true,
    }),
    monthBudget: field(Budget, {
      description:
        "Spending limit per calendar month (UTC) in US dollars that `qm cost` warns about; 0 is none",
      env: "QM_SESSIONS_MONTH_BUDGET",
      personal: true,
    }),
    stopAtBudget: field(z.boolean().default(false), {
      description:
        "Let hooks (level 3 and above) deny tools while a spending limit is reached; `qm override . --reason release` permits them",
      env: "QM_SESSIONS_STOP_AT_BUDGET",
      personal: true,
    }),
  })
  .prefault({})

const Tokens = z.int().min(1).max(10_000_000)
const Seconds = z.int().min(1).max(86_400)
const Branches = z.int().min(1).max(1_000_000)

/** Named like in the specification of folding. */
const FoldSettings = z
  .strictObject({
    enabled: field(z.boolean().default(true), {
      description: "Let agents open branches; when false, the branch tools are not offered",
      env: "CONTEXT_FOLDING_ENABLED",
    }),
    default_budget: field(Tokens.default(32_768), {
      description: "Tokens of a branch that requests no budget",
      env: "CONTEXT_FOLDING_DEFAULT_BUDGET",
    }),
    max_budget: field(Tokens.default(262_144), {
      description: "Highest budget a branch may request, in tokens",
      env: "CONTEXT_FOLDING_MAX_BUDGET",
    }),
    budget_grace_seconds: field(Seconds.default(60), {
      description: "Seconds in which a branch that has used up its budget can still return",
      env: "CONTEXT_FOLDING_BUDGET_GRACE_SECONDS",
    }),
    max_depth: field(z.int().min(1).max(16).default(3), {
      description: "Maximum nesting depth of branches",
      env: "CONTEXT_FOLDING_MAX_DEPTH",
    }),
    default_timeout_seconds: field(Seconds.default(300), {
      description: "Seconds until a branch that requests no timeout is ended",
      env: "CONTEXT_FOLDING_DEFAULT_TIMEOUT_SECONDS",
    }),
    max_timeout_seconds: field(Seconds.default(600), {
      description: "Longest timeout a branch may request, in seconds",
      env: "CONTEXT_FOLDING_MAX_TIMEOUT_SECONDS",
    }),
    injection_budget_ratio: field(z.number().min(0).max(1).default(0.2), {
      description: "Share of a branch's budget that memories may fill, 0 to 1",
      env: "CONTEXT_FOLDING_INJECTION_BUDGET_RATIO",
    }),
    memory_min_confidence: field(z.number().min(0).max(1).default(0.7), {
      description: "Lowest confidence of a memory that is added automatically, 0 to 1",
      env: "CONTEXT_FOLDING_MEMORY_MIN_CONFIDENCE",
    }),
    memory_max_items: field(z.int().min(0).max(100).default(10), {
      description: "Maximum number of memories added to a branch",
      env: "CONTEXT_FOLDING_MEMORY_MAX_ITEMS",
    }),
    max_concurrent_branches_per_session: field(Branches.default(10), {
      description: "Maximum number of open branches in one session",
      env: "CONTEXT_FOLDING_MAX_CONCURRENT_BRANCHES_PER_SESSION",
    }),
    max_concurrent_branches_per_instance: field(Branches.default(100), {
      description: "Maximum number of open branches in all sessions together",
      env: "CONTEXT_FOLDING_MAX_CONCURRENT_BRANCHES_PER_INSTANCE",
    }),
    branch_creation_rate_limit: field(Branches.default(5), {
      description: "Maximum number of branches one session may open per minute",
      env: "CONTEXT_FOLDING_BRANCH_CREATION_RATE_LIMIT",
    }),
  })
  .prefault({})

/** Each is tried on every text; a company has a few formats of its own. */
const MOST_SECRET_PATTERNS = 50

const SecretPatterns = z
  .string()
  .max(8_000)
  .superRefine((text, context) => {
    const patterns = splitSecretPatterns(text)
    if (patterns.length > MOST_SECRET_PATTERNS) {
      context.addIssue({ code: "custom", message: `more than ${MOST_SECRET_PATTERNS} patterns` })
    }
    for (const [at, source] of patterns.entries()) {
      const parsed = parseSecretPattern(source)
      if (typeof parsed !== "string") continue
      context.addIssue({ code: "custom", message: `pattern ${at + 1}: ${parsed}` })
    }
  })
  .default("")

/** Personal: a repository must not decide what is hidden from its user. */
const SecretSettings = z
  .strictObject({
    patterns: field(SecretPatterns, {
      description:
        "Your own secret formats, separated by spaces: acme_[a-z0-9]{32} corp-(?:live|test)-\\d{20}",
      env: "QM_SECRETS_PATTERNS",
      list: " ",
      personal: true,
    }),
  })
  .prefault({})

export const TokenEncoding = z.enum(["claude", "o200k"])
export type TokenEncoding = z.infer<typeof TokenEncoding>

const Weight = z.number().min(0).max(1_000)

/** Globs separated by commas. */
const GlobText = z.string().max(8_000).default("")

/** About a hundred rules. */
const RuleText = z.string().max(8_000).default("")

export const Config = z.strictObject({
  agents: z
    .strictObject({
      maxRunning: field(z.int().min(1).max(64).default(4), {
        description: "Maximum number of runs that work at the same time; others wait",
        env: "QM_AGENTS_MAX_RUNNING",
      }),
      contextParts: field(z.boolean().default(true), {
        description: "Put date, repository and branch in front of each turn",
        env: "QM_AGENTS_CONTEXT_PARTS",
      }),
      titles: field(z.boolean().default(true), {
        description: "Let the agent's model write a title after the first turn",
        env: "QM_AGENTS_TITLES",
      }),
      acp: field(z.string().max(1_000).default(""), {
        description:
          "Command of the agent type acp: a program on the PATH that speaks the Agent Client Protocol, and its arguments",
        env: "QM_AGENTS_ACP",
        personal: true,
      }),
      deny: field(RuleText, {
        description:
          "Actions agents may never do, as Tool or Tool(command or path), separated by semicolons",
        env: "QM_AGENTS_DENY",
        list: ";",
      }),
      ask: field(RuleText, {
        description: "Actions agents must ask for, in the format of agents.deny",
        env: "QM_AGENTS_ASK",
      }),
      allow: field(RuleText, {
        description: "Actions agents may do without asking, in the format of agents.deny",
        env: "QM_AGENTS_ALLOW",
        personal: true,
      }),
    })
    .prefault({}),
  autonomy: AutonomySettings,
  board: BoardSettings,
  capture: z
    .strictObject({
      extra: field(z.string().max(2_000).default(""), {
        description: "More files for `qm capture` to show, as globs separated by commas",
        env: "QM_CAPTURE_EXTRA",
        list: ",",
      }),
      startBudget: field(z.int().min(100).max(10_000_000).default(20_000), {
        description: "Token budget for context loaded before the first prompt; marked on the bar",
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
          "Files to simulate before an edit, as globs separated by commas; last match wins",
        env: "QM_GUARD_HIGH_RISK_PATHS",
        list: ",",
      }),
      largeResultKb: field(z.int().min(0).max(100_000).default(16), {
        description:
          "Output of tools above this size in kB becomes a digest with a handle; 0 never does",
        env: "QM_GUARD_LARGE_RESULT_KB",
      }),
    })
    .prefault({}),
  kit: z
    .strictObject({
      level: field(z.int().min(1).max(7).default(2), {
        description: "Level of the kit, 1 to 7; `qm level` lists the levels",
        env: "QM_KIT_LEVEL",
      }),
      fetch: field(z.boolean().default(true), {
        description:
          "Run git fetch in the background when a session starts, and before a push is checked",
        env: "QM_KIT_FETCH",
      }),
      ignored: field(GlobText, {
        description:
          "Files the ledger ignores, as globs separated by commas; empty uses the defaults",
        env: "QM_KIT_IGNORED",
        list: ",",
      }),
      important: field(GlobText, {
        description: "Files whose changes should be documented, as globs; empty uses the defaults",
        env: "QM_KIT_IMPORTANT",
        list: ",",
      }),
      registration: field(GlobText, {
        description:
          "Files that count as documentation of a change, as globs; empty uses the defaults",
        env: "QM_KIT_REGISTRATION",
        list: ",",
      }),
    })
    .prefault({}),
  knowledge: KnowledgeSettings,
  log: z
    .strictObject({
      level: field(z.enum(["debug", "info", "warn", "error"]).default("warn"), {
        description: "Lowest level of log messages written to stderr",
        env: "QM_LOG_LEVEL",
      }),
    })
    .prefault({}),
  map: z
    .strictObject({
      scanInterval: field(z.int().min(0).max(86_400).default(300), {
        description:
          "Seconds after which an unchanged repository is scanned again; changes are found at once. With 0, only `qm map` scans",
        env: "REPO_SCAN_INTERVAL",
      }),
      scanMode: field(z.enum(["incremental", "full"]).default("incremental"), {
        description: "Scan only changed files (incremental) or all files (full)",
        env: "REPO_SCAN_MODE",
      }),
    })
    .prefault({}),
  media: MediaSettings,
  model: ModelSettings,
  pack: z
    .strictObject({
      enabled: field(z.boolean().default(true), {
        description: "Build packages; when false, packages are empty and say so",
        env: "CONTEXT_PACKAGE_ENABLED",
      }),
      budget: field(z.int().min(100).max(10_000_000).default(16_000), {
        description:
          "Largest package in tokens, for `qm pack`, tools and hooks; a cap, not a target",
        env: "CONTEXT_PACKAGE_TOKEN_BUDGET",
      }),
      scoring: field(z.enum(["learned", "weighted"]).default("learned"), {
        description: "Rank files with the learned model, or with astWeight and semanticWeight",
        env: "CONTEXT_PACKAGE_SCORING",
      }),
      astWeight: field(Weight.default(0.6), {
        description: "Weight of code structure when pack.scoring is weighted",
        env: "CONTEXT_PACKAGE_AST_WEIGHT",
      }),
      semanticWeight: field(Weight.default(0.4), {
        description: "Weight of words, history and meaning when pack.scoring is weighted",
        env: "CONTEXT_PACKAGE_SEMANTIC_WEIGHT",
      }),
      minRelevance: field(z.number().min(0).max(1).default(0.01), {
        description: "Lowest probability of a file in a package, 0 to 1; named files always enter",
        env: "CONTEXT_PACKAGE_MIN_RELEVANCE",
      }),
      summaryMaxTokens: field(z.int().min(100).max(100_000).default(4_000), {
        description: "Maximum number of tokens of a package's summary",
        env: "CONTEXT_PACKAGE_SUMMARY_MAX_TOKENS",
      }),
      domains: field(z.string().max(8_000).default(""), {
        description: "Names for parts of the repository, as prefix=name, separated by semicolons",
        env: "CONTEXT_PACKAGE_DOMAINS",
        list: ";",
      }),
      roles: field(z.string().max(8_000).default(""), {
        description:
          "Paths by role, as role +glob -glob, separated by semicolons; -glob wins over +glob",
        env: "CONTEXT_PACKAGE_ROLES",
        list: ";",
      }),
      deny: field(z.string().max(8_000).default(""), {
        description: "More files never to include in a package, as globs separated by commas",
        env: "CONTEXT_PACKAGE_DENY",
        list: ",",
      }),
    })
    .prefault({}),
  pipeline: PipelineSettings,
  review: ReviewSettings,
  secrets: SecretSettings,
  sessions: SessionSettings,
  server: z
    .strictObject({
      port: field(z.int().min(0).max(65_535).default(4242), {
        description: "Port of the console; if the default is in use, the next free port",
        env: "QM_PORT",
      }),
    })
    .prefault({}),
  sources: SourceSettings,
  store: z
    .strictObject({
      databaseUrl: field(z.string().default(""), {
        description: "postgres:// URL of a team's store; empty uses the embedded SQLite",
        env: "QM_DATABASE_URL",
        secret: true,
        personal: true,
      }),
      busyTimeoutMs: field(z.int().min(100).max(120_000).default(15_000), {
        description: "Milliseconds a write waits for another process before it fails",
        env: "QM_STORE_BUSY_TIMEOUT_MS",
      }),
      node: field(z.string().max(64).default(""), {
        description:
          "Name of this server, if servers on one machine cannot see each other's processes",
        env: "QM_NODE",
        personal: true,
      }),
      keepBackups: field(z.int().min(1).max(100).default(7), {
        description: "Number of backups to keep; the oldest are deleted",
        env: "QM_STORE_KEEP_BACKUPS",
      }),
    })
    .prefault({}),
  swarm: SwarmSettings,
  team: TeamSettings,
  telemetry: TelemetrySettings,
  tokens: z
    .strictObject({
      encoding: field(TokenEncoding.default("claude"), {
        description: "Encoding used to count tokens",
        env: "QM_TOKENS_ENCODING",
      }),
      model: field(z.string().max(200).default(""), {
        description: "Model to count for; empty: the one of recorded requests, else current Claude",
        env: "QM_TOKENS_MODEL",
      }),
      window: field(z.int().min(1_000).max(10_000_000).default(200_000), {
        description: "Size of the context window in tokens, the basis for percentages",
        env: "QM_TOKENS_WINDOW",
      }),
    })
    .prefault({}),
  worktrees: WorktreesSettings,
})
export type Config = z.infer<typeof Config>

/** All that a start without any setting needs to know of the schema. */
export type ConfigOutline = {
  readonly defaults: Config
  /** Environment variables that set a field. */
  readonly variables: readonly string[]
}

export function outlineConfig(): ConfigOutline {
  return { defaults: Config.parse({}), variables: configFields().map((it) => it.env) }
}

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
  /** Separator of a list in a text. */
  readonly list: string | undefined
}

let fieldsOfSchema: readonly ConfigField[] | undefined

/** In the order of the schema. The first call describes them: each read of the config needs them. */
export function configFields(): readonly ConfigField[] {
  fieldsOfSchema ??= describeFields()
  return fieldsOfSchema
}

function describeFields(): readonly ConfigField[] {
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
    list: meta.list,
  }
}
