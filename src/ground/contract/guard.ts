import { z } from "zod"
import { LinkConfidence } from "./map.ts"

const Count = z.int().nonnegative()
const Share = z.number().min(0).max(1)

/** A file as it was when its change was simulated. */
export const SimulatedFile = z.object({
  path: z.string(),
  blobId: z.string().nullable().describe("Git's id of its bytes; null where there was no file"),
})
export type SimulatedFile = z.infer<typeof SimulatedFile>

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
export const RiskReason = z.object({ text: z.string(), number: Share })
export type RiskReason = z.infer<typeof RiskReason>

/** What a simulation leaves behind: an edit of these files is covered by it for four hours. */
export const Receipt = z.object({
  id: z.string(),
  paths: z.array(SimulatedFile),
  treeId: z.string().describe("Digest of the tree it was computed on"),
  reach: z.array(ReachedFile),
  tests: z.array(ReachedFile).describe("Tests that reach what would change"),
  risk: Share,
  reasons: z.array(RiskReason).describe("The weightiest first"),
  at: z.int(),
})
export type Receipt = z.infer<typeof Receipt>

/** A file that changed in the same commits. */
export const ChangedTogether = z.object({
  path: z.string(),
  times: z.int().positive(),
  of: z.int().positive().describe("Commits that changed what is simulated"),
})
export type ChangedTogether = z.infer<typeof ChangedTogether>

/** A claim of another session on a file that would change, or that leans on one. */
export const OpenClaim = z.object({ path: z.string(), session: z.string() })
export type OpenClaim = z.infer<typeof OpenClaim>

const Place = z.string().min(1).max(4_096)
export const GuardSimulateInput = z.strictObject({
  paths: z.array(Place).min(1).max(200).describe("Files or folders that would change"),
})
export const Simulation = z.object({
  receipt: Receipt,
  reachCount: Count.describe("Files that lean on it; more than listed when cut"),
  testCount: Count,
  changedWith: z.array(ChangedTogether).describe("The most often first"),
  claims: z.array(OpenClaim),
  notes: z.array(z.string()).describe("What could not be seen"),
})
export type Simulation = z.infer<typeof Simulation>
