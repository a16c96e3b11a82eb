import { z } from "zod"

const Count = z.int().nonnegative()
const Share = z.number().min(0).max(1)

export const MEMORY_KINDS = ["strategy", "pitfall", "decision", "rule", "term", "fix"] as const
export const MemoryKind = z.enum(MEMORY_KINDS)
export type MemoryKind = z.infer<typeof MemoryKind>

export const MemoryState = z.enum(["proposed", "confirmed", "superseded", "stale"])
export type MemoryState = z.infer<typeof MemoryState>

/** Code that a memory cites, with its hash at the time of writing. */
export const MemoryCite = z.object({
  path: z.string().min(1).max(4_000),
  symbol: z.string().max(500).optional(),
  sha: z.string().max(100).describe("Hash of the file, or of the symbol's own lines"),
})
export type MemoryCite = z.infer<typeof MemoryCite>

export const MemorySource = z.object({
  session: z.string().nullable(),
  actor: z.enum(["human", "agent", "tool"]),
  commit: z.string().nullable(),
  isUntrusted: z.boolean().describe("Based on untrusted text"),
  isDistilled: z.boolean().describe("Requested from an agent at the end of its work"),
})
export type MemorySource = z.infer<typeof MemorySource>

export const MemorySignals = z.object({
  helpful: Count,
  unhelpful: Count,
  succeeded: Count,
  failed: Count,
})
export type MemorySignals = z.infer<typeof MemorySignals>

export const Memory = z.object({
  id: z.string(),
  kind: MemoryKind,
  title: z.string(),
  description: z.string().describe("In one line"),
  body: z.string(),
  cites: z.array(
    MemoryCite.extend({
      state: z
        .enum(["fresh", "changed", "gone", "unchecked"])
        .describe("Compared with the current code"),
    }),
  ),
  source: MemorySource,
  state: MemoryState.describe("stale if cited code has changed"),
  supersededBy: z.string().nullable(),
  signals: MemorySignals,
  uses: Count.describe("Times it was given to an agent on this machine"),
  confidence: Share.describe("Computed from feedback and uses; cannot be set"),
  file: z.string().describe("Relative to the repository root"),
  createdAt: z.int(),
})
export type Memory = z.infer<typeof Memory>

/** A memory as given to an agent. */
export const MemoryInjected = z.object({
  id: z.string(),
  kind: MemoryKind,
  title: z.string(),
  text: z.string().describe("Text with delimiters and id"),
  tokens: Count,
  confidence: Share,
  state: MemoryState,
  why: z.array(z.string()),
})
export type MemoryInjected = z.infer<typeof MemoryInjected>

export const MemorySearch = z.object({
  found: z.array(
    z.object({
      memory: Memory,
      score: Share,
      why: z.array(z.string()).describe("Reasons for the match"),
    }),
  ),
  total: Count.describe("Number of stored memories"),
})
export type MemorySearch = z.infer<typeof MemorySearch>

export const MemoryRecorded = z.object({
  outcome: z.enum(["recorded", "duplicate"]),
  memory: Memory.describe("The new memory, or the existing duplicate"),
  redactions: Count,
})
export type MemoryRecorded = z.infer<typeof MemoryRecorded>

export const MemoryList = z.object({
  memories: z.array(Memory).describe("Newest first"),
  total: Count,
  problems: z
    .array(z.object({ file: z.string(), problem: z.string() }))
    .describe("Files that cannot be read as a memory"),
})
export type MemoryList = z.infer<typeof MemoryList>

export const MemoryForgotten = z.object({ id: z.string(), file: z.string() })
