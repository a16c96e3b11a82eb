import { z } from "zod"
import { HookName } from "./kit.ts"
import { LinkConfidence } from "./map.ts"

const Count = z.int().nonnegative()
const Share = z.number().min(0).max(1)

const SimulatedFile = z.object({
  path: z.string(),
  blobId: z.string().nullable().describe("Git blob id; null if there was no file"),
})
type SimulatedFile = z.infer<typeof SimulatedFile>

/** A file that depends on a changed one. */
export const ReachedFile = z.object({
  path: z.string(),
  ways: z.array(z.enum(["imports", "calls"])).describe("How it depends on the previous file"),
  hops: z.int().min(1).max(2),
  via: z.string().nullable().describe("The file in between, for two steps"),
  confidence: LinkConfidence.describe("Confidence of the weakest step"),
  names: z.array(z.string()).describe("First names that it uses"),
})
export type ReachedFile = z.infer<typeof ReachedFile>

/** One reason with the risk that it alone would give. */
const RiskReason = z.object({ text: z.string(), number: Share })
type RiskReason = z.infer<typeof RiskReason>

/** Result of a simulation; it allows edits of these files for four hours. */
const Receipt = z.object({
  id: z.string(),
  paths: z.array(SimulatedFile),
  treeId: z.string().describe("Digest of the tree"),
  reach: z.array(ReachedFile),
  tests: z.array(ReachedFile).describe("Tests that depend on the changed files"),
  risk: Share,
  reasons: z.array(RiskReason).describe("Strongest first"),
  at: z.int(),
})
type Receipt = z.infer<typeof Receipt>

/** A file that changed in the same commits. */
const ChangedTogether = z.object({
  path: z.string(),
  times: z.int().positive(),
  of: z.int().positive().describe("Commits that changed the simulated files"),
})
type ChangedTogether = z.infer<typeof ChangedTogether>

/** A claim of another session on a changed or dependent file. */
const OpenClaim = z.object({ path: z.string(), session: z.string() })
type OpenClaim = z.infer<typeof OpenClaim>

export const Simulation = z.object({
  receipt: Receipt,
  reachCount: Count.describe("Number of dependent files, listed or not"),
  testCount: Count,
  changedWith: z.array(ChangedTogether).describe("Most frequent first"),
  claims: z.array(OpenClaim),
  notes: z.array(z.string()).describe("Limits of the simulation"),
})
export type Simulation = z.infer<typeof Simulation>

const Moment = z.int().describe("Milliseconds since 1970")

/** The result of a hook. An override is logged by a user or an agent. */
export const VERDICTS = ["silent", "context", "warn", "ask", "deny", "block", "override"] as const
export const VerdictKind = z.enum(VERDICTS)
export type VerdictKind = z.infer<typeof VerdictKind>

/** An event, the rule that judged it, and the verdict. */
export const VerdictLine = z.object({
  at: Moment,
  host: z.string(),
  event: z.string().describe("Our name of the event, such as before-edit"),
  session: z.string(),
  tool: z.string().nullable(),
  paths: z.array(z.string()).describe("From the root of the repository"),
  rule: HookName.nullable().describe("Null if no rule applied"),
  verdict: VerdictKind,
  text: z.string().describe("Text of the verdict, truncated after a few hundred characters"),
  ms: z.number().nonnegative(),
})
export type VerdictLine = z.infer<typeof VerdictLine>

export const GuardVerdicts = z.object({
  verdicts: z.array(VerdictLine).describe("Newest first"),
  counts: z.record(VerdictKind, z.int().nonnegative()).describe("Counts of all matching verdicts"),
  isCut: z.boolean(),
})
export type GuardVerdicts = z.infer<typeof GuardVerdicts>

export const GuardTry = z.object({
  patterns: z.array(
    z.object({
      pattern: z.string(),
      edits: Count.describe("Edits that it matches"),
      files: Count.describe("Files that it matches"),
      problem: z.string().nullable(),
    }),
  ),
  looked: Count.describe("Number of edits checked"),
  hits: z.array(
    z.object({
      at: Moment,
      session: z.string(),
      host: z.string(),
      path: z.string(),
      pattern: z.string(),
      was: VerdictKind.describe("Verdict at that time"),
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
