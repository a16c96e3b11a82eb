import { z } from "zod"

/** In the order of the budget bar. */
export const CONTEXT_KINDS = [
  "system",
  "tools",
  "mcp",
  "instructions",
  "skills",
  "agents",
  "memory",
  "files",
  "symbols",
  "knowledge",
  "history",
] as const
export const ContextKind = z.enum(CONTEXT_KINDS)
export type ContextKind = z.infer<typeof ContextKind>

/** One tool of an MCP server. */
const StartTool = z.object({
  name: z.string(),
  tokens: z.int().nonnegative().describe("Tokens of its definition"),
  isLoaded: z.boolean().describe("Whether the definition is in the window at the start"),
  calls: z.int().nonnegative().describe("Calls in the last 30 days"),
})

export const StartServer = z.object({
  name: z.string(),
  scope: z.string(),
  path: z.string().describe("File that declares it"),
  state: z.string().describe("How the host uses it"),
  digest: z.string().describe("Hash of its declaration"),
  source: z
    .enum(["asked", "wire", "unknown"])
    .describe("Whether its tools come from the server, from a recorded request, or are unknown"),
  at: z.int().nullable().describe("Time of that answer"),
  problem: z.string().nullable().describe("Reason why its tools are unknown"),
  tokens: z.int().nonnegative().nullable().describe("Tokens in the window; null if unknown"),
  tokensDeferred: z.int().nonnegative().describe("Tokens of definitions loaded on use"),
  tools: z.array(StartTool),
  calls: z.int().nonnegative().describe("Calls in the last 30 days"),
  usedTools: z.int().nonnegative(),
  lastCallAt: z.int().nullable(),
  off: z.string().describe("Command or edit that switches it off"),
})
export type StartServer = z.infer<typeof StartServer>

const SkillListingReport = z.object({
  skills: z.int().nonnegative(),
  budget: z.int().nonnegative(),
  unit: z.enum(["characters", "tokens"]),
  needed: z.int().nonnegative().describe("Size of the listing with every description"),
  reason: z.string().describe("Where the budget comes from"),
  shortened: z.array(
    z.object({
      name: z.string(),
      path: z.string(),
      lostCharacters: z.int().nonnegative(),
      isLeftOut: z.boolean().describe("Whether not even its name is listed"),
    }),
  ),
  unused: z.array(z.string()).describe("Skills that were never used, if the host records use"),
})

/** Texts and tools that the host adds to the window, and parts of unknown size. */
export const CaptureStart = z.object({
  baseline: z
    .object({
      version: z.string().describe("Version of the host that was measured"),
      model: z.string(),
      measuredAt: z.string().describe("Day of the measurement"),
    })
    .nullable(),
  window: z.int().positive().nullable().describe("Window of the model, if known"),
  servers: z.array(StartServer),
  listing: SkillListingReport.nullable(),
  sessions: z.int().nonnegative().describe("Sessions of the last 30 days that were read"),
  notCounted: z
    .array(z.object({ name: z.string(), kind: ContextKind, reason: z.string() }))
    .describe("Parts whose size is unknown and not in the total"),
})
export type CaptureStart = z.infer<typeof CaptureStart>
