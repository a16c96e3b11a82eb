import { z } from "zod"

/** Matched by code, never by class. */
export const WireError = z.object({
  code: z.string(),
  message: z.string(),
  hint: z.string(),
  data: z.unknown(),
  formerCode: z.string().optional(),
})
export type WireError = z.infer<typeof WireError>
