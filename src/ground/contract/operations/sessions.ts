import { z } from "zod"
import { listedBy } from "../input-fields.ts"
import { defineOperations } from "../operation.ts"
import {
  CostGroup,
  SessionsContext,
  SessionsCost,
  SessionsImported,
  SessionsLines,
  SessionsList,
  SessionsSearch,
  SessionsShow,
  TranscriptHost,
} from "../shapes/sessions.ts"
import { SessionsWaste, WasteApplied, WasteDismissed, WasteUndone } from "../shapes/waste.ts"

const session = z
  .string()
  .min(1)
  .max(200)
  .describe("Session id, or its first characters, listed by `qm sessions`")

const SessionInput = { session: listedBy("sessions.list", session) }

const filters = {
  host: TranscriptHost.optional().describe("Only sessions of this host"),
  repository: z
    .string()
    .min(1)
    .max(4_096)
    .optional()
    .describe("Only sessions of the repository at this path"),
}

const since = z
  .string()
  .max(100)
  .regex(
    /^(?:\d{4}-\d{2}-\d{2}|\d{1,4}[hdw])$/,
    "must be a date such as 2026-01-31, or an age such as 24h, 7d or 4w",
  )

export const sessionsOperations = defineOperations("sessions", {
  list: {
    summary: "List indexed sessions of all hosts with context, files and cost",
    effect: "read",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: {
      words: ["sessions"],
      aliases: ["sessions list"],
      group: "Sessions",
      examples: ["qm sessions", "qm sessions --host codex --limit 10"],
    },
    input: z.strictObject({
      ...filters,
      limit: z.int().min(1).max(500).default(30).describe("Maximum number of sessions"),
    }),
    output: SessionsList,
    rows: { field: "sessions", id: "id", title: ["host", "title"] },
  },
  show: {
    summary: "Show a session: models, cost, files, tools and compactions",
    effect: "read",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: { args: ["session"], group: "Sessions", examples: ["qm sessions show 0f3c2a9e"] },
    input: z.strictObject(SessionInput),
    output: SessionsShow,
  },
  lines: {
    summary: "Show the prompts, answers and tool calls of an indexed session",
    effect: "read",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: { args: ["session"], group: "Sessions", examples: ["qm sessions lines 0f3c2a9e"] },
    input: z.strictObject({
      ...SessionInput,
      after: z.int().nonnegative().default(0).describe("Only lines after this line id"),
      agent: z.string().min(1).max(200).optional().describe("Only lines of `main` or a sub-agent"),
      from: z.int().nonnegative().optional().describe("Only lines from this moment on"),
      until: z.int().nonnegative().optional().describe("Only lines before this moment"),
      limit: z.int().min(1).max(1_000).default(200).describe("Maximum number of lines"),
    }),
    output: SessionsLines,
  },
  search: {
    summary: "Search the text of all indexed sessions",
    effect: "read",
    role: "owner",
    surfaces: ["cli", "http", "mcp"],
    cli: {
      args: ["query"],
      group: "Sessions",
      examples: ['qm sessions search "rounding of quotes"'],
    },
    mcp: {
      set: "sessions",
      name: "sessions_search",
      title: "Search past sessions",
      description:
        "Find prompts, answers, commands and edits of earlier agent sessions. All words must occur in one message; the last may be incomplete.",
      fields: { query: "query", session: "session", limit: "limit" },
      texts: { query: "", session: "Only this session", limit: "Default 20" },
    },
    input: z.strictObject({
      query: z.string().min(1).max(1_000).describe("Words that must all occur in one line"),
      session: session.optional().describe("Only this session, with all its matching lines"),
      ...filters,
      limit: z.int().min(1).max(200).default(20).describe("Maximum number of results"),
    }),
    output: SessionsSearch,
  },
  context: {
    summary: "Show a session's window at each model call, with compactions",
    effect: "read",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: { args: ["session"], group: "Sessions", examples: ["qm sessions context 0f3c2a9e"] },
    input: z.strictObject({
      ...SessionInput,
      agent: z.string().min(1).max(200).default("main").describe("`main` or a sub-agent"),
      limit: z
        .int()
        .min(1)
        .max(20_000)
        .default(5_000)
        .describe("Maximum number of calls; the newest are shown"),
    }),
    output: SessionsContext,
  },
  import: {
    summary: "Index new lines of host transcripts; --all includes other repositories",
    effect: "write",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: {
      group: "Sessions",
      examples: ["qm sessions import", "qm sessions import --all"],
      notes: [
        "Without --all, it indexes the transcripts of this repository once.",
        "With --all, it indexes all transcripts of this machine, now and in future (sessions.import).",
        "The text is redacted and stored in this repository's store, which may be a team's Postgres.",
      ],
    },
    input: z.strictObject({
      all: z
        .boolean()
        .default(false)
        .describe("Include other repositories, and set sessions.import to machine"),
    }),
    output: SessionsImported,
  },
  cost: {
    summary: "Show what sessions cost by day, model, repository or agent",
    effect: "read",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: {
      words: ["cost"],
      group: "Sessions",
      examples: [
        "qm cost",
        "qm cost --since 7d --by model",
        "qm cost --by tool --json",
        "qm cost --format csv",
      ],
      notes: [
        "Costs are the providers' list prices, also for calls that a subscription covers.",
        "Days and weeks are UTC. A model call that occurs in several transcripts is counted once.",
      ],
    },
    input: z.strictObject({
      since: since
        .default("30d")
        .describe("Start: a date such as 2026-01-31, or an age such as 24h, 7d or 4w"),
      by: CostGroup.default("day").describe("What to group by; each row is one group"),
      format: z
        .enum(["csv"])
        .optional()
        .describe("Output format (default: human-readable); csv splits days and weeks by model"),
      ...filters,
    }),
    output: SessionsCost,
  },
  waste: {
    summary: "Find tokens that sessions and their start context waste",
    effect: "read",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: {
      words: ["waste"],
      group: "Sessions",
      examples: ["qm waste", "qm waste --since 7d --json"],
      notes: [
        "Examines the indexed sessions of this repository and what its agents load at the start.",
        "A saving is an estimate until later sessions measure it.",
      ],
    },
    input: z.strictObject({
      since: since.default("30d").describe("First day, or age such as 24h, 7d, 4w"),
    }),
    output: SessionsWaste,
    rows: { field: "findings", id: "id", title: ["title"] },
  },
  apply: {
    summary: "Make the file edit of a finding; `qm waste undo` restores the bytes",
    effect: "write",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: {
      words: ["waste", "apply"],
      args: ["finding"],
      group: "Sessions",
      examples: ["qm waste apply 3fa09b12"],
    },
    input: z.strictObject({
      finding: listedBy(
        "sessions.waste",
        z.string().min(1).max(100).describe("Id of a finding with a change, listed by `qm waste`"),
      ),
    }),
    output: WasteApplied,
  },
  undo: {
    summary: "Restore the file that an applied finding changed",
    effect: "write",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: {
      words: ["waste", "undo"],
      args: ["fix"],
      group: "Sessions",
      examples: ["qm waste undo 3fa09b12"],
    },
    input: z.strictObject({
      fix: z.string().min(1).max(100).describe("Id of an applied finding, listed by `qm waste`"),
    }),
    output: WasteUndone,
  },
  dismiss: {
    summary: "Dismiss a finding, or list it again",
    effect: "write",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: {
      words: ["waste", "dismiss"],
      args: ["finding"],
      group: "Sessions",
      examples: ["qm waste dismiss 3fa09b12", "qm waste dismiss 3fa09b12 --restore"],
      notes: ["A dismissed finding is not an open one; its cause is still there."],
    },
    input: z.strictObject({
      finding: listedBy(
        "sessions.waste",
        z.string().min(1).max(100).describe("Id of a finding, listed by `qm waste`"),
      ),
      restore: z.boolean().default(false).describe("List it with the open findings again"),
    }),
    output: WasteDismissed,
  },
})
