import { z } from "zod"

export const NowInput = z.object({})

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
  running: z.array(z.object({ id: z.string(), title: z.string() })),
  waiting: z.array(z.object({ id: z.string(), title: z.string() })),
  ended: z.array(z.object({ id: z.string(), title: z.string() })),
})
export type Now = z.infer<typeof Now>
