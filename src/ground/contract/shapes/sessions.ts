import { z } from "zod"

export const TRANSCRIPT_HOSTS = ["claude-code", "codex", "copilot", "gemini", "opencode"] as const
export const TranscriptHost = z.enum(TRANSCRIPT_HOSTS)
export type TranscriptHost = z.infer<typeof TranscriptHost>

const Count = z.int().nonnegative()
const Moment = z.int().describe("Milliseconds since 1970")

export const SpentTokens = z.object({
  input: Count.describe("Tokens neither read from nor written to a cache"),
  cacheRead: Count,
  cacheWrite: Count.describe("Written to a cache for five minutes, or the provider's default"),
  cacheWriteHour: Count.describe("Written to a cache for one hour"),
  output: Count,
})
export type SpentTokens = z.infer<typeof SpentTokens>

/** Tokens of model calls and their list price. */
export const Spend = z.object({
  usd: z.number().nonnegative().nullable().describe("At list prices; null if no price is known"),
  price: z.enum(["known", "partly unknown", "unknown"]),
  unpricedTokens: Count.describe("Tokens of models without a known price, not in `usd`"),
  calls: Count,
  tokens: SpentTokens,
})
export type Spend = z.infer<typeof Spend>

export const IndexedSession = z.object({
  id: z.string().describe("The host's id of the session"),
  host: TranscriptHost,
  title: z.string(),
  cwd: z.string().nullable(),
  repository: z.string().nullable().describe("Root of the main working tree"),
  branch: z.string().nullable().describe("Last one that the host reported"),
  version: z.string().nullable().describe("Version of the host"),
  models: z.array(z.string()).describe("By number of calls"),
  turns: Count,
  peakTokens: Count.nullable().describe("Most tokens in the window of the main agent"),
  windowTokens: Count.nullable().describe("Size of the window, if the host reports it"),
  context: z
    .array(Count)
    .describe("Tokens in the window over its calls: the largest of each of up to 32 parts"),
  compactions: Count,
  subAgents: Count,
  files: Count.describe("Paths that tools read or edited"),
  spend: Spend,
  startedAt: Moment.nullable(),
  endedAt: Moment.nullable(),
})
export type IndexedSession = z.infer<typeof IndexedSession>

export const ImportState = z.object({
  setting: z.enum(["ask", "repository", "machine", "never"]),
  isRunning: z.boolean(),
  waitingFiles: Count.describe("Transcripts on this machine with lines that are not indexed"),
  waitingBytes: Count,
})
export type ImportState = z.infer<typeof ImportState>

export const SessionsList = z.object({
  sessions: z.array(IndexedSession).describe("Newest first"),
  total: Count,
  import: ImportState,
})
export type SessionsList = z.infer<typeof SessionsList>

export const SessionCompaction = z.object({
  at: Moment,
  turn: Count,
  cause: z.string().describe("Such as auto or manual"),
  tokensBefore: Count.nullable(),
  tokensAfter: Count.nullable(),
})
export type SessionCompaction = z.infer<typeof SessionCompaction>

const ToolResults = z.object({
  tool: z.string(),
  results: Count,
  bytes: Count,
  tokens: Count.describe("Estimate"),
})

/** Records of our hooks about a session. */
export const SessionLedger = z.object({
  edited: z.array(z.object({ path: z.string(), edits: z.int() })),
  claims: z.array(z.object({ path: z.string(), expiresAt: Moment })),
  records: z.array(z.string()).describe("Session records in the repository"),
  verdicts: z.array(
    z.object({ at: Moment, rule: z.string(), decision: z.string(), paths: z.array(z.string()) }),
  ),
})
export type SessionLedger = z.infer<typeof SessionLedger>

export const SessionsShow = z.object({
  session: IndexedSession,
  paths: z
    .array(z.object({ path: z.string(), reads: Count, edits: Count }))
    .describe("At most 500, most edits first"),
  agents: z.array(z.object({ agent: z.string(), spend: Spend })),
  tools: z.array(ToolResults).describe("Largest results first"),
  compactions: z.array(SessionCompaction),
  problems: z.array(z.object({ file: z.string(), problem: z.string() })),
  ledger: SessionLedger.nullable(),
})
export type SessionsShow = z.infer<typeof SessionsShow>

export const SessionRole = z.enum(["user", "assistant", "call", "edit", "result", "summary"])
export type SessionRole = z.infer<typeof SessionRole>

export const SessionLine = z.object({
  id: z.int(),
  turn: Count,
  at: Moment,
  role: SessionRole,
  agent: z.string().describe("`main`, or the type of a sub-agent"),
  tool: z.string().nullable(),
  sizeBytes: Count.describe("Of the whole text"),
  tokens: Count.describe("Of the whole text; estimate"),
  text: z.string().describe("Redacted, and truncated if long"),
})
export type SessionLine = z.infer<typeof SessionLine>

export const SessionsLines = z.object({
  lines: z.array(SessionLine).describe("Oldest first"),
  next: z.int().nullable().describe("Value of `after` for the next page"),
})
export type SessionsLines = z.infer<typeof SessionsLines>

export const SessionHit = z.object({
  session: z.string(),
  title: z.string(),
  host: TranscriptHost,
  repository: z.string().nullable(),
  branch: z.string().nullable(),
  matches: Count.describe("Matching lines of this session, among those searched"),
  line: SessionLine.omit({ text: true }),
  excerpt: z.string().describe("The part of the line around the first match"),
})
export type SessionHit = z.infer<typeof SessionHit>

export const SessionsSearch = z.object({
  hits: z.array(SessionHit).describe("Best first, one per session unless `session` is given"),
  matches: Count.describe("Matching lines; at most 2,000, the newest, are ranked"),
  words: z.array(z.string()),
  import: ImportState,
})
export type SessionsSearch = z.infer<typeof SessionsSearch>

export const SessionsImported = z.object({
  files: Count.describe("Transcripts with new lines"),
  sessions: Count,
  lines: Count,
  bytes: Count,
  skipped: z.array(z.object({ file: z.string(), reason: z.string() })),
  import: ImportState,
})
export type SessionsImported = z.infer<typeof SessionsImported>

const ContextPoint = z.object({
  at: Moment,
  turn: Count,
  model: z.string(),
  tokens: Count.describe("Tokens in the window at this call"),
  added: z.int().describe("Difference from the previous call"),
  input: Count,
  cacheRead: Count,
  cacheWrite: Count,
  output: Count,
  parts: z
    .object({ start: Count, files: Count, results: Count, conversation: Count })
    .describe("Estimate by the sizes of the lines; the sum is `tokens`"),
})

/** Sizes are estimates by the length of the lines. */
export const CompactionContent = z.object({
  turns: Count.describe("Prompts since the previous compaction"),
  fileCount: Count.describe("Files whose contents were in the window"),
  files: z
    .array(
      z.object({
        path: z.string(),
        tokens: Count,
        againTokens: Count.describe("Read again until the next compaction"),
      }),
    )
    .describe("The largest 50"),
  fileTokens: Count,
  againTokens: Count.describe("Of all files"),
  tools: z.array(z.object({ tool: z.string(), results: Count, tokens: Count })),
})
export type CompactionContent = z.infer<typeof CompactionContent>

export const SessionsContext = z.object({
  session: z.string(),
  agent: z.string(),
  windowTokens: Count.nullable(),
  peakTokens: Count.nullable(),
  points: z.array(ContextPoint).describe("One per model call, oldest first"),
  left: Count.describe("Calls before the first point that `limit` left out"),
  compactions: z.array(
    SessionCompaction.extend({ removed: CompactionContent.describe("What left the window") }),
  ),
})
export type SessionsContext = z.infer<typeof SessionsContext>

const COST_GROUPS = [
  "day",
  "week",
  "model",
  "repository",
  "agent",
  "session",
  "host",
  "tool",
] as const
export const CostGroup = z.enum(COST_GROUPS)
export type CostGroup = z.infer<typeof CostGroup>

export const CostBudget = z.object({
  period: z.enum(["day", "week", "month"]),
  limitUsd: z.number().positive(),
  spentUsd: z.number().nonnegative().nullable(),
  state: z.enum(["below", "near", "over", "unknown"]).describe("near: 80 % or more"),
})
export type CostBudget = z.infer<typeof CostBudget>

/** Of all sessions, whatever the request selects, as budgets are. */
export const CostMonth = z.object({
  since: Moment,
  until: Moment.describe("Start of the next month"),
  spend: Spend,
  forecastUsd: z
    .number()
    .nonnegative()
    .nullable()
    .describe(
      "Expected cost of the whole month, from the mean of the last 14 days; null before 7 whole days, or if most tokens have no price",
    ),
})
export type CostMonth = z.infer<typeof CostMonth>

/** A window of a subscription, as a host last reported it. */
export const PlanWindow = z.object({
  host: TranscriptHost,
  windowMinutes: z.int().positive().nullable().describe("Such as 300 or 10,080; null if unknown"),
  usedPercent: z.number().nonnegative(),
  resetsAt: Moment.nullable(),
  at: Moment.describe("Time of the report"),
})
export type PlanWindow = z.infer<typeof PlanWindow>

const Usd = z.number().nonnegative()

export const CostByType = z
  .object({ input: Usd, cacheRead: Usd, cacheWrite: Usd, cacheWriteHour: Usd, output: Usd })
  .describe("US dollars by token type, of the calls with a known price; they add up to `usd`")
export type CostByType = z.infer<typeof CostByType>

export const CostChange = z.object({
  beforeUsd: Usd.nullable().describe("Cost of the period before; null if a price is unknown"),
  percent: z
    .number()
    .nullable()
    .describe("Null if nothing was spent before, or a price of either period is unknown"),
})
export type CostChange = z.infer<typeof CostChange>

export const SessionsCost = z.object({
  by: CostGroup,
  since: Moment,
  until: Moment,
  before: z
    .object({ since: Moment, until: Moment })
    .describe("Period of the same length that `change` compares with"),
  rows: z
    .array(
      z.object({
        key: z.string(),
        label: z.string(),
        spend: Spend,
        costs: CostByType,
        change: CostChange.optional().describe("Not by day, week and session"),
        trend: z
          .array(Usd.nullable())
          .optional()
          .describe("Cost of each UTC day of the period, null where unknown; where `change` is"),
        models: z
          .array(z.object({ model: z.string(), spend: Spend }))
          .optional()
          .describe("Only by day and week: its parts, most expensive first"),
      }),
    )
    .describe("By day and week in time order, otherwise most expensive first"),
  tools: z.array(ToolResults).describe("Only by tool: sizes of tool results, which have no price"),
  total: Spend,
  costs: CostByType.describe("Of the total, by token type"),
  change: CostChange.describe("Of the total"),
  unpricedModels: z.array(z.string()),
  priceTable: z.string().describe("Day of the last price check"),
  budgets: z.array(CostBudget),
  month: CostMonth.describe("This calendar month (UTC)"),
  planWindows: z
    .array(PlanWindow)
    .describe("Windows of subscriptions that have not reset, where a host reports them"),
  import: ImportState,
  csv: z.string().optional().describe("Only with format csv: the rows, or days by model"),
})
export type SessionsCost = z.infer<typeof SessionsCost>
