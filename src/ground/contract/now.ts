import { z } from "zod"
import { ContextKind } from "./manifest.ts"

/** A run of an agent or of a pipeline as the first page lists it. */
export const NowRow = z.object({
  id: z.string(),
  kind: z.enum(["run", "pipeline"]).default("run"),
  state: z.enum([
    "queued",
    "running",
    "waiting",
    "paused",
    "done",
    "failed",
    "stopped",
    "interrupted",
  ]),
  title: z.string(),
  ask: z.string().optional().describe("What is asked of the reader, in words"),
  agent: z.string().optional(),
  tokens: z.partialRecord(ContextKind, z.int().nonnegative()).optional(),
  costUsd: z.number().nonnegative().optional(),
  at: z.int().describe("Since when it waits or runs, or when it ended"),
})
export type NowRow = z.infer<typeof NowRow>

/** The first page: where we are, how it is, what runs and what waits for a person. */
export const Now = z.object({
  repository: z.object({
    root: z.string(),
    name: z.string(),
    branch: z.string().nullable().describe("Null outside git or on a detached head"),
  }),
  health: z.object({
    isHealthy: z.boolean(),
    failed: z.int().nonnegative(),
    warnings: z.int().nonnegative(),
  }),
  store: z
    .object({
      dialect: z.string(),
      events: z.int().nonnegative(),
      sizeBytes: z.int().nonnegative(),
    })
    .nullable()
    .describe("Null when the store cannot be opened; health says why"),
  running: z.array(NowRow),
  waiting: z.array(NowRow),
  ended: z.array(NowRow),
})
export type Now = z.infer<typeof Now>
