import { z } from "zod"
import { AgentType } from "./agent.ts"
import { GATEWAY_MODES } from "./gateway.ts"

/**
 * How a field is set from the environment, and whether its value may be shown. Kept beside the
 * schema, because there is no second list of fields.
 */
const FieldMeta = z.object({
  description: z.string(),
  env: z.string(),
  secret: z.literal(true).optional(),
  /** A repository that somebody else wrote must not decide it, so a project file may not set it. */
  personal: z.literal(true).optional(),
})

const field = <Schema extends z.ZodType>(schema: Schema, meta: z.infer<typeof FieldMeta>): Schema =>
  schema.meta(meta)

const MODEL_PROVIDERS = ["scripted", "anthropic", "openai", "azure", "custom"] as const
export const ModelProvider = z.enum(MODEL_PROVIDERS)
export type ModelProvider = z.infer<typeof ModelProvider>

const Name = z.string().max(200).default("")
const Url = z.string().max(2_000).default("")

/**
 * Which model is asked. A repository that somebody else wrote decides none of it: its base URL
 * would get this person's key, its retries and efforts would cost their money.
 */
const ModelSettings = z
  .strictObject({
    provider: field(ModelProvider.default("scripted"), {
      description: "Who answers: scripted works offline; custom speaks OpenAI's wire at baseUrl",
      env: "QM_MODEL_PROVIDER",
      personal: true,
    }),
    name: field(Name, {
      description: "Model or Azure deployment; empty for the provider's usual one",
      env: "QM_MODEL_NAME",
      personal: true,
    }),
    baseUrl: field(Url, {
      description: "Address of the provider; empty for its own, needed for azure and custom",
      env: "QM_MODEL_BASE_URL",
      personal: true,
    }),
    apiVersion: field(z.string().max(40).default("2025-04-01-preview"), {
      description: "Version of Azure's API",
      env: "QM_MODEL_API_VERSION",
      personal: true,
    }),
    effort: field(z.enum(["low", "medium", "high"]).default("medium"), {
      description: "How long it thinks, where the model can",
      env: "QM_MODEL_EFFORT",
      personal: true,
    }),
    retries: field(z.int().min(0).max(10).default(2), {
      description: "How often a call is tried again after a passing failure",
      env: "QM_MODEL_RETRIES",
      personal: true,
    }),
    timeout: field(z.int().min(1).max(3_600).default(300), {
      description: "Seconds a call may take",
      env: "QM_MODEL_TIMEOUT",
      personal: true,
    }),
  })
  .prefault({})

const KnowledgeSettings = z
  .strictObject({
    embedder: field(Name, {
      description:
        "Model that embeds paragraphs, at an OpenAI-compatible address; empty: words only",
      env: "QM_KNOWLEDGE_EMBEDDER",
      personal: true,
    }),
    embedderUrl: field(Url, {
      description: "Address of the embedder; empty for the model's own address",
      env: "QM_KNOWLEDGE_EMBEDDER_URL",
      personal: true,
    }),
    webSource: field(z.string().max(60).default(""), {
      description: "Source that searches the web; empty: the first approved one that can",
      env: "QM_KNOWLEDGE_WEB_SOURCE",
      personal: true,
    }),
  })
  .prefault({})

const PipelineSettings = z
  .strictObject({
    budget: field(z.number().positive().max(100_000).default(10), {
      description: "US dollars a run may cost when its agent says nothing",
      env: "QM_PIPELINE_BUDGET",
      personal: true,
    }),
    window: field(z.int().min(1_000).max(10_000_000).default(200_000), {
      description: "Tokens a stage may be given in all",
      env: "QM_PIPELINE_WINDOW",
      personal: true,
    }),
    agent: field(AgentType.default("synthetic"), {
      description: "Agent that stages start when they name none; synthetic plays a script, offline",
      env: "QM_PIPELINE_AGENT",
      personal: true,
    }),
    classifier: field(z.boolean().default(true), {
      description: "Whether a model judges messages to a paused run that no phrase decides",
      env: "QM_PIPELINE_CLASSIFIER",
      personal: true,
    }),
  })
  .prefault({})

const Tokens = z.int().min(1).max(10_000_000)
const Seconds = z.int().min(1).max(86_400)
const Branches = z.int().min(1).max(1_000_000)

/** Of branches. Its names are those that the fold's own specification gives it. */
const FoldSettings = z
  .strictObject({
    enabled: field(z.boolean().default(true), {
      description: "Whether agents may open branches; when not, the tools are not listed",
      env: "CONTEXT_FOLDING_ENABLED",
    }),
    default_budget: field(Tokens.default(8_192), {
      description: "Tokens of a branch that names no budget",
      env: "CONTEXT_FOLDING_DEFAULT_BUDGET",
    }),
    max_budget: field(Tokens.default(32_768), {
      description: "Most tokens a branch may ask for",
      env: "CONTEXT_FOLDING_MAX_BUDGET",
    }),
    max_depth: field(z.int().min(1).max(16).default(3), {
      description: "How many branches may lie in each other",
      env: "CONTEXT_FOLDING_MAX_DEPTH",
    }),
    default_timeout_seconds: field(Seconds.default(300), {
      description: "Time of a branch that names none",
      env: "CONTEXT_FOLDING_DEFAULT_TIMEOUT_SECONDS",
    }),
    max_timeout_seconds: field(Seconds.default(600), {
      description: "Longest time a branch may ask for",
      env: "CONTEXT_FOLDING_MAX_TIMEOUT_SECONDS",
    }),
    injection_budget_ratio: field(z.number().min(0).max(1).default(0.2), {
      description: "Share of a budget that memories may fill",
      env: "CONTEXT_FOLDING_INJECTION_BUDGET_RATIO",
    }),
    memory_min_confidence: field(z.number().min(0).max(1).default(0.7), {
      description: "Least confidence of a memory that is handed out unasked",
      env: "CONTEXT_FOLDING_MEMORY_MIN_CONFIDENCE",
    }),
    memory_max_items: field(z.int().min(0).max(100).default(10), {
      description: "Most memories that are handed out at once",
      env: "CONTEXT_FOLDING_MEMORY_MAX_ITEMS",
    }),
    max_concurrent_branches_per_session: field(Branches.default(10), {
      description: "Branches of one session that may be open at once",
      env: "CONTEXT_FOLDING_MAX_CONCURRENT_BRANCHES_PER_SESSION",
    }),
    max_concurrent_branches_per_instance: field(Branches.default(100), {
      description: "Branches of all sessions that may be open at once",
      env: "CONTEXT_FOLDING_MAX_CONCURRENT_BRANCHES_PER_INSTANCE",
    }),
    branch_creation_rate_limit: field(Branches.default(5), {
      description: "Branches that one session may open in a minute",
      env: "CONTEXT_FOLDING_BRANCH_CREATION_RATE_LIMIT",
    }),
  })
  .prefault({})

/** All of it is a person's own: a repository must not decide where requests go or what is kept. */
const GatewaySettings = z
  .strictObject({
    mode: field(z.enum(GATEWAY_MODES).default("off"), {
      description: "Whether runs go through the gateway when they do not say: off, record or fold",
      env: "QM_GATEWAY",
      personal: true,
    }),
    content: field(z.boolean().default(false), {
      description: "Whether the texts of recorded requests are kept, secrets replaced",
      env: "QM_GATEWAY_CONTENT",
      personal: true,
    }),
    keep: field(z.int().min(100).max(1_000_000).default(20_000), {
      description: "How many recorded requests are kept, the newest",
      env: "QM_GATEWAY_KEEP",
      personal: true,
    }),
  })
  .prefault({})

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
