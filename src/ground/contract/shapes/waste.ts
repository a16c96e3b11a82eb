import { z } from "zod"

const Count = z.int().nonnegative()

const WASTE_KINDS = [
  "secret",
  "duplicate",
  "unused-server",
  "unused-tools",
  "oversize-file",
  "idle-rule",
  "shortened-skills",
  "broken-import",
  "repeated-reads",
  "oversize-results",
  "sub-agents",
  "cache-misses",
  "cache-expired",
] as const
export const WasteKind = z.enum(WASTE_KINDS)

/** Tokens that served no purpose, as far as captures and transcripts show. */
export const WasteFinding = z.object({
  id: z.string().describe("Stable: the same cause has the same id"),
  kind: WasteKind,
  title: z.string().describe("The cause"),
  evidence: z.string().describe("The measured numbers"),
  tokens: Count.describe("Measured in the transcripts, or estimated from the capture"),
  per: z.enum(["period", "session"]).describe("What `tokens` measures"),
  fix: z.string().describe("What to do"),
  change: z
    .object({
      file: z.string().describe("Relative to the repository"),
      action: z.enum(["delete", "edit", "create"]),
      added: z.array(z.string()).describe("Lines that the change adds"),
      removed: z.array(z.string()).describe("Lines that it removes; at most 20"),
    })
    .nullable()
    .describe("The edit that `qm waste apply` makes; null if a person has to act"),
  sessions: z.array(z.string()).describe("At most 10 sessions in which it was measured"),
})
export type WasteFinding = z.infer<typeof WasteFinding>

export const WasteFix = z.object({
  id: z.string(),
  kind: WasteKind,
  title: z.string(),
  file: z.string().describe("Relative to the repository"),
  appliedAt: z.int(),
  promisedTokens: Count.describe("Estimate for the start of each session"),
  realisedTokens: z
    .int()
    .nullable()
    .describe(
      "Mean start context of sessions before the change minus after it; null until a session started",
    ),
  sessionsAfter: Count.describe("Sessions that started since"),
})
export type WasteFix = z.infer<typeof WasteFix>

export const SessionsWaste = z.object({
  since: z.int(),
  sessions: Count.describe("Indexed sessions in the period"),
  findings: z.array(WasteFinding).describe("Most tokens first"),
  applied: z.array(WasteFix).describe("Newest first"),
  dismissed: z.array(WasteFinding).describe("Dismissed by a person; their cause is still there"),
  problems: z.array(z.string()).describe("What could not be examined"),
})
export type SessionsWaste = z.infer<typeof SessionsWaste>

export const WasteApplied = z.object({ fix: WasteFix })

export const WasteUndone = z.object({ id: z.string(), file: z.string() })

export const WasteDismissed = z.object({ id: z.string(), isDismissed: z.boolean() })
