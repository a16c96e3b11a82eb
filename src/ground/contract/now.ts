import { z } from "zod"
import { ContextKind } from "./manifest.ts"

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
  ask: z.string().optional().describe("Question for the user"),
  agent: z.string().optional(),
  tokens: z.partialRecord(ContextKind, z.int().nonnegative()).optional(),
  costUsd: z.number().nonnegative().optional(),
  at: z.int().describe("Start of waiting or running, or the end"),
})
export type NowRow = z.infer<typeof NowRow>

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
    .describe("Null if the store cannot be opened; health has the reason"),
  running: z.array(NowRow),
  waiting: z.array(NowRow),
  ended: z.array(NowRow),
})
export type Now = z.infer<typeof Now>
