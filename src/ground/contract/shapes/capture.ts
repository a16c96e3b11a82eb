import { z } from "zod"
import { Manifest } from "./manifest.ts"
import { ContextKind } from "./start.ts"

/** The most used first. */
export const HOST_NAMES = [
  "claude-code",
  "codex",
  "copilot",
  "gemini",
  "opencode",
  "antigravity",
] as const
export const HostName = z.enum(HOST_NAMES)
export type HostName = z.infer<typeof HostName>

export const INSTALL_COMMANDS = {
  "claude-code": "npm install -g @anthropic-ai/claude-code",
  codex: "npm install -g @openai/codex",
  copilot: "npm install -g @github/copilot",
  gemini: "npm install -g @google/gemini-cli",
  opencode: "npm install -g opencode-ai",
  antigravity: null,
} as const satisfies Readonly<Record<HostName, string | null>>

/** Redacted, and truncated if very long. */
export const CaptureText = z.object({
  path: z.string(),
  text: z.string().describe("Text in the window, redacted"),
  later: z.string().describe("Text that a later turn may add, redacted; empty for none"),
  isCut: z.boolean().describe("Whether the text is truncated"),
  withheld: z.string().optional().describe("Reason for hiding the text"),
})
export type CaptureText = z.infer<typeof CaptureText>

export const CaptureBudget = z.object({
  window: z.int().positive().describe("Size of the context window in tokens"),
  tokens: z.int().nonnegative().describe("Tokens in the window before the first prompt"),
  share: z.number().nonnegative().describe("Share of the window, from 0"),
  startBudget: z
    .int()
    .positive()
    .describe("Token budget before the first prompt, from the settings"),
  kinds: z.array(z.object({ kind: ContextKind, tokens: z.int().nonnegative() })),
  biggest: z
    .array(z.object({ path: z.string(), label: z.string(), tokens: z.int().nonnegative() }))
    .describe("The most expensive items, largest first"),
  duplicates: z
    .array(
      z.object({
        labels: z.array(z.string()).describe("Files with the same text"),
        tokens: z.int().nonnegative().describe("Tokens of the repetition"),
        likeness: z.number().min(0).max(1).describe("1 for identical text"),
        excerpt: z.string().describe("Start of the shared text"),
      }),
    )
    .describe("Identical or similar text in several files"),
})
export type CaptureBudget = z.infer<typeof CaptureBudget>

/** One file in the estimate and in the host's report. */
export const Agreement = z.object({
  path: z.string(),
  label: z.string(),
  state: z.enum(["both", "observed-only", "estimated-only"]),
  sameText: z
    .boolean()
    .optional()
    .describe("Whether the texts are equal, if the host shows its text"),
  tokens: z.int().nonnegative().optional().describe("Tokens counted by the host"),
  explanation: z.string().optional().describe("Reason for the difference, if known"),
})
export type Agreement = z.infer<typeof Agreement>

/** The host's report of its context, next to our estimate. */
export const Observation = z.object({
  by: z
    .enum(["host", "transcript", "wire"])
    .describe("Queried just now, read from the last session, or recorded by the gateway"),
  at: z.int().describe("Time of the host's report"),
  hostVersion: z.string().optional(),
  session: z.string().optional().describe("Session that was read"),
  files: z.array(Agreement),
  agreed: z.int().nonnegative().describe("Files in both whose texts do not differ"),
  compared: z.int().nonnegative().describe("Files in either of the two"),
  accuracy: z.number().min(0).max(1).describe("Agreed divided by compared; 1 if there are none"),
  categories: z
    .array(z.object({ name: z.string(), tokens: z.int().nonnegative() }))
    .describe("Usage of the whole window, if the host reports it"),
  totalTokens: z
    .int()
    .nonnegative()
    .optional()
    .describe("Tokens of the whole window, counted by the host or its provider"),
  window: z.int().positive().optional().describe("Window of the model, as the host reports it"),
  model: z.string().optional(),
})
export type Observation = z.infer<typeof Observation>

export const ObservationProblem = z.object({
  code: z.enum(["not-trusted", "not-installed", "no-answer", "cannot-answer"]),
  text: z.string().describe("What happened"),
})
export type ObservationProblem = z.infer<typeof ObservationProblem>

export const CaptureSummary = z.object({
  id: z.string(),
  host: HostName,
  hostVersion: z.string().optional(),
  workingDirectory: z.string(),
  capturedAt: z.int().describe("First capture of this context"),
  lastSeenAt: z.int().describe("Last capture without a change"),
  times: z.int().positive().describe("Number of captures without a change"),
  files: z.int().nonnegative(),
  tokensInWindow: z.int().nonnegative(),
  tokensOnDemand: z.int().nonnegative(),
  lastRun: z.string().optional().describe("The last run that started with this context"),
})
export type CaptureSummary = z.infer<typeof CaptureSummary>

export const CaptureChange = z.object({
  path: z.string(),
  label: z.string(),
  change: z.enum(["added", "removed", "changed", "moved"]),
  tokensBefore: z.int().nonnegative(),
  tokensAfter: z.int().nonnegative(),
  linesAdded: z.int().nonnegative().optional(),
  linesRemoved: z.int().nonnegative().optional(),
  lines: z
    .array(
      z.object({
        sign: z.enum([" ", "+", "-"]),
        before: z.int().positive().optional(),
        after: z.int().positive().optional(),
        text: z.string(),
      }),
    )
    .optional()
    .describe("Changed lines with context, redacted"),
})
export type CaptureChange = z.infer<typeof CaptureChange>

export const CaptureDiff = z.object({
  from: CaptureSummary,
  to: CaptureSummary,
  changes: z.array(CaptureChange),
  tokensBefore: z.int().nonnegative(),
  tokensAfter: z.int().nonnegative(),
})
export type CaptureDiff = z.infer<typeof CaptureDiff>

export const EffectiveSetting = z.object({
  key: z.string(),
  value: z.string().describe("Effective value as JSON, redacted"),
  layer: z.string().describe("The layer that wins"),
  path: z.string().describe("File of the value"),
  hidden: z.array(z.object({ layer: z.string(), path: z.string(), value: z.string() })),
})
export type EffectiveSetting = z.infer<typeof EffectiveSetting>

export const McpServerLine = z.object({
  name: z.string(),
  scope: z.string().describe("managed, user, local or project"),
  path: z.string().describe("File of the declaration"),
  transport: z.string().describe("stdio, http or sse"),
  target: z.string().describe("Program or address, redacted"),
  state: z.string().describe("How the host uses it"),
})
export type McpServerLine = z.infer<typeof McpServerLine>

/** The figure that answers "how full is the window before the first prompt". */
export const CaptureHeadline = z.object({
  tokens: z.int().nonnegative(),
  window: z.int().positive(),
  share: z.number().nonnegative().describe("Share of the window, from 0"),
  by: z
    .enum(["estimate", "host", "wire"])
    .describe("Our estimate, the host's own report, or a recorded request"),
  kinds: z.array(z.object({ kind: ContextKind, tokens: z.int().nonnegative() })),
  at: z.int().describe("Time of the figure"),
  estimate: z.int().nonnegative().describe("Our estimate, also if the host reported a figure"),
})
export type CaptureHeadline = z.infer<typeof CaptureHeadline>

const ADVICE_KINDS = [
  "secret",
  "duplicate",
  "unused-server",
  "unused-tools",
  "oversize-file",
  "idle-rule",
  "shortened-skills",
  "broken-import",
] as const

/** Something to cut, with its tokens and the edit that does it. */
export const CaptureAdvice = z.object({
  kind: z.enum(ADVICE_KINDS),
  title: z.string().describe("What to do"),
  evidence: z.string().describe("Why, with the numbers"),
  tokens: z.int().nonnegative().describe("Tokens that it frees; 0 if it frees none"),
  edit: z.string().describe("Command or edit that does it"),
  path: z.string().optional().describe("Path of the item it is about"),
})
export type CaptureAdvice = z.infer<typeof CaptureAdvice>

export const CaptureLint = z.object({
  host: HostName,
  workingDirectory: z.string(),
  tokens: z.int().nonnegative().describe("Tokens in the window before the first prompt"),
  startBudget: z.int().positive(),
  problems: z.array(CaptureAdvice),
})
export type CaptureLint = z.infer<typeof CaptureLint>

export const Capture = z.object({
  manifest: Manifest,
  headline: CaptureHeadline,
  advice: z.array(CaptureAdvice).describe("Suggested cuts, most tokens first"),
  budget: CaptureBudget,
  observation: Observation.nullable().describe("The host's report, or null"),
  observationProblem: ObservationProblem.nullable().describe(
    "Reason why the host could not be queried, or null",
  ),
  historyProblem: z
    .string()
    .nullable()
    .describe("Reason why it was not stored in the history, or null"),
  isNew: z.boolean().describe("False if an equal capture was already stored"),
  previous: CaptureSummary.nullable().describe("Previous capture of the same folder"),
  texts: z.array(CaptureText).describe("Text of each item, if requested"),
  diff: CaptureDiff.nullable(),
})
export type Capture = z.infer<typeof Capture>

export const CaptureList = z.object({
  captures: z.array(CaptureSummary).describe("Newest first"),
})
export type CaptureList = z.infer<typeof CaptureList>

export const CaptureSettings = z.object({
  host: HostName,
  workingDirectory: z.string(),
  layers: z.array(
    z.object({
      layer: z.string(),
      path: z.string(),
      outcome: z.enum(["found", "missing", "broken", "unreadable"]),
      problem: z.string().optional(),
    }),
  ),
  settings: z.array(EffectiveSetting),
  mcpServers: z.array(McpServerLine),
})
export type CaptureSettings = z.infer<typeof CaptureSettings>

export const CaptureHosts = z.object({
  hosts: z.array(
    z.object({
      name: HostName,
      title: z.string(),
      factsVersion: z.string().describe("Version of the host that our rules describe"),
      isVerified: z.boolean().describe("Whether our rules were checked with the real program"),
      installed: z.string().nullable().describe("Version installed on this machine, or null"),
      program: z.string().nullable().describe("Path of its program, or null"),
      canObserve: z.boolean().describe("Whether it can report its own context"),
    }),
  ),
})
export type CaptureHosts = z.infer<typeof CaptureHosts>
