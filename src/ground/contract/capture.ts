import { z } from "zod"
import { ContextKind, Manifest } from "./manifest.ts"

/** The hosts whose context can be captured, the most used first. */
export const HOST_NAMES = ["claude-code", "codex", "copilot", "gemini", "antigravity"] as const
export const HostName = z.enum(HOST_NAMES)
export type HostName = z.infer<typeof HostName>

/** Text of an item as it may be shown: secrets replaced, cut where it is very long. */
export const CaptureText = z.object({
  path: z.string(),
  text: z.string().describe("What stands in the window, secrets replaced"),
  later: z.string().describe("What a later turn may add, secrets replaced; empty when nothing"),
  isCut: z.boolean().describe("Whether the end is missing because the text is very long"),
  withheld: z.string().optional().describe("Why the text is not shown"),
})
export type CaptureText = z.infer<typeof CaptureText>

export const CaptureBudget = z.object({
  window: z.int().positive().describe("Size of the context window in tokens"),
  tokens: z.int().nonnegative().describe("Tokens in the window before the first word"),
  share: z.number().nonnegative().describe("Their part of the window, from 0"),
  startBudget: z.int().positive().describe("What the start may cost, from the config"),
  kinds: z.array(z.object({ kind: ContextKind, tokens: z.int().nonnegative() })),
  biggest: z
    .array(z.object({ path: z.string(), label: z.string(), tokens: z.int().nonnegative() }))
    .describe("The items that cost most, largest first"),
  duplicates: z
    .array(
      z.object({
        labels: z.array(z.string()).describe("The files that say the same"),
        tokens: z.int().nonnegative().describe("What saying it again costs"),
        likeness: z.number().min(0).max(1).describe("1 for the same text"),
        excerpt: z.string().describe("How the shared text begins"),
      }),
    )
    .describe("The same or nearly the same text in several files"),
})
export type CaptureBudget = z.infer<typeof CaptureBudget>

/** One file as the estimate and the host's own word see it. */
export const Agreement = z.object({
  path: z.string(),
  label: z.string(),
  state: z.enum(["both", "observed-only", "estimated-only"]),
  sameText: z.boolean().optional().describe("Whether the text agrees, where the host shows it"),
  tokens: z.int().nonnegative().optional().describe("Tokens as the host counts them"),
  explanation: z.string().optional().describe("Why the two differ, where that is known"),
})
export type Agreement = z.infer<typeof Agreement>

/** The host's own word on its context, beside our estimate. */
export const Observation = z.object({
  by: z
    .enum(["host", "transcript", "wire"])
    .describe("Asked just now, read from the last session, or seen by the gateway"),
  at: z.int().describe("When the host said so"),
  hostVersion: z.string().optional(),
  session: z.string().optional().describe("Id of the session that was read"),
  files: z.array(Agreement),
  agreed: z.int().nonnegative().describe("Files on which both agree"),
  compared: z.int().nonnegative().describe("Files that either of the two names"),
  accuracy: z.number().min(0).max(1).describe("Agreed of compared; 1 when there is nothing"),
  categories: z
    .array(z.object({ name: z.string(), tokens: z.int().nonnegative() }))
    .describe("The whole window in the host's own words, where it says so"),
})
export type Observation = z.infer<typeof Observation>

export const ObservationProblem = z.object({
  code: z.enum(["not-trusted", "not-installed", "no-answer", "cannot-answer"]),
  text: z.string().describe("What happened, in words"),
})
export type ObservationProblem = z.infer<typeof ObservationProblem>

/** A capture in a list. */
export const CaptureSummary = z.object({
  id: z.string(),
  host: HostName,
  hostVersion: z.string().optional(),
  workingDirectory: z.string(),
  capturedAt: z.int().describe("When this context was first seen"),
  lastSeenAt: z.int().describe("When it was last seen unchanged"),
  times: z.int().positive().describe("How often it was captured without a change"),
  files: z.int().nonnegative(),
  tokensInWindow: z.int().nonnegative(),
  tokensOnDemand: z.int().nonnegative(),
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
    .describe("The changed lines with some around them, secrets replaced"),
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

/** One setting of a host with all its layers. */
export const EffectiveSetting = z.object({
  key: z.string(),
  value: z.string().describe("The value in force as JSON, secrets replaced"),
  layer: z.string().describe("The layer that wins"),
  path: z.string().describe("The file it comes from"),
  hidden: z.array(z.object({ layer: z.string(), path: z.string(), value: z.string() })),
})
export type EffectiveSetting = z.infer<typeof EffectiveSetting>

export const McpServerFound = z.object({
  name: z.string(),
  scope: z.string().describe("managed, user, local or project"),
  path: z.string().describe("The file that names it"),
  transport: z.string().describe("stdio, http or sse"),
  target: z.string().describe("The program or address, secrets replaced"),
  state: z.string().describe("What the host does with it"),
})
export type McpServerFound = z.infer<typeof McpServerFound>

export const Capture = z.object({
  manifest: Manifest,
  budget: CaptureBudget,
  observation: Observation.nullable().describe("The host's own word, or null when there is none"),
  observationProblem: ObservationProblem.nullable().describe("Why it could not be asked, or null"),
  historyProblem: z.string().nullable().describe("Why it was not kept in the history, or null"),
  isNew: z.boolean().describe("Whether it differs from the newest capture before it"),
  previous: CaptureSummary.nullable().describe("The capture before this one, of the same place"),
  texts: z.array(CaptureText).describe("The text of each item, when asked for"),
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
  mcpServers: z.array(McpServerFound),
})
export type CaptureSettings = z.infer<typeof CaptureSettings>

export const CaptureHosts = z.object({
  hosts: z.array(
    z.object({
      name: HostName,
      title: z.string(),
      factsVersion: z.string().describe("The version whose behaviour is known"),
      isVerified: z.boolean().describe("Whether it was seen on the real host"),
      installed: z.string().nullable().describe("Version found on this machine, or null"),
      program: z.string().nullable().describe("Where its program lies, or null"),
      canObserve: z.boolean().describe("Whether it can be asked for its own word"),
    }),
  ),
})
export type CaptureHosts = z.infer<typeof CaptureHosts>
