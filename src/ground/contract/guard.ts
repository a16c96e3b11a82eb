import { z } from "zod"
import { HookName } from "./kit.ts"
import { LinkConfidence } from "./map.ts"

const Count = z.int().nonnegative()
const Share = z.number().min(0).max(1)

/** A file as it was when its change was simulated. */
const SimulatedFile = z.object({
  path: z.string(),
  blobId: z.string().nullable().describe("Git's id of its bytes; null where there was no file"),
})
type SimulatedFile = z.infer<typeof SimulatedFile>

/** A file that leans on what would change. */
export const ReachedFile = z.object({
  path: z.string(),
  ways: z.array(z.enum(["imports", "calls"])).describe("How it leans on the one before it"),
  hops: z.int().min(1).max(2),
  via: z.string().nullable().describe("The file between, where there are two hops"),
  confidence: LinkConfidence.describe("How sure the weakest step to it is"),
  names: z.array(z.string()).describe("What it uses, the first few names"),
})
export type ReachedFile = z.infer<typeof ReachedFile>

/** One reason for the risk, with the share of it that it would give alone. */
const RiskReason = z.object({ text: z.string(), number: Share })
type RiskReason = z.infer<typeof RiskReason>

/** Result of a simulation; it allows edits of these files for four hours. */
const Receipt = z.object({
  id: z.string(),
  paths: z.array(SimulatedFile),
  treeId: z.string().describe("Digest of the tree it was computed on"),
  reach: z.array(ReachedFile),
  tests: z.array(ReachedFile).describe("Tests that reach what would change"),
  risk: Share,
  reasons: z.array(RiskReason).describe("The weightiest first"),
  at: z.int(),
})
type Receipt = z.infer<typeof Receipt>

/** A file that changed in the same commits. */
const ChangedTogether = z.object({
  path: z.string(),
  times: z.int().positive(),
  of: z.int().positive().describe("Commits that changed what is simulated"),
})
type ChangedTogether = z.infer<typeof ChangedTogether>

/** A claim of another session on a file that would change, or that leans on one. */
const OpenClaim = z.object({ path: z.string(), session: z.string() })
type OpenClaim = z.infer<typeof OpenClaim>

export const Simulation = z.object({
  receipt: Receipt,
  reachCount: Count.describe("Files that lean on it; more than listed when cut"),
  testCount: Count,
  changedWith: z.array(ChangedTogether).describe("The most often first"),
  claims: z.array(OpenClaim),
  notes: z.array(z.string()).describe("What could not be seen"),
})
export type Simulation = z.infer<typeof Simulation>

const Moment = z.int().describe("Milliseconds since 1970")

/** What a hook said: nothing, words for the agent, a refusal. An override was said by a person or an agent. */
export const VERDICTS = ["silent", "context", "warn", "deny", "block", "override"] as const
export const VerdictKind = z.enum(VERDICTS)
export type VerdictKind = z.infer<typeof VerdictKind>

/** One line of the verdict log: an event, the rule that judged it, and what it said. */
export const VerdictLine = z.object({
  at: Moment,
  host: z.string(),
  event: z.string().describe("As the house calls it, e.g. before-edit"),
  session: z.string(),
  tool: z.string().nullable(),
  paths: z.array(z.string()).describe("From the root of the repository"),
  rule: HookName.nullable().describe("null when no rule had anything to say"),
  verdict: VerdictKind,
  text: z.string().describe("What was said, cut after a few hundred characters"),
  ms: z.number().nonnegative(),
})
export type VerdictLine = z.infer<typeof VerdictLine>

export const GuardVerdicts = z.object({
  verdicts: z.array(VerdictLine).describe("The newest first"),
  counts: z.record(VerdictKind, z.int().nonnegative()).describe("Of all that fit, also those cut"),
  isCut: z.boolean(),
})
export type GuardVerdicts = z.infer<typeof GuardVerdicts>

export const GuardTry = z.object({
  patterns: z.array(
    z.object({
      pattern: z.string(),
      edits: Count.describe("Edits of that time that it means"),
      files: Count.describe("Files of the working tree that it means"),
      problem: z.string().nullable(),
    }),
  ),
  looked: Count.describe("Edits that were looked at"),
  hits: z.array(
    z.object({
      at: Moment,
      session: z.string(),
      host: z.string(),
      path: z.string(),
      pattern: z.string(),
      was: VerdictKind.describe("What was said to it then"),
    }),
  ),
  isCut: z.boolean(),
})
export type GuardTry = z.infer<typeof GuardTry>

export const GuardOverride = z.object({
  id: z.string(),
  paths: z.array(z.string()),
  reason: z.string(),
  until: Moment,
})
export type GuardOverride = z.infer<typeof GuardOverride>
