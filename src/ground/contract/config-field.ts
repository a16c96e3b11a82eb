import { z } from "zod"

/**
 * How a field is set from the environment, and whether its value may be shown. Kept beside the
 * schema, because there is no second list of fields.
 */
export const FieldMeta = z.object({
  description: z.string(),
  env: z.string(),
  secret: z.literal(true).optional(),
  /** A repository that somebody else wrote must not decide it, so a project file may not set it. */
  personal: z.literal(true).optional(),
})

export const field = <Schema extends z.ZodType>(
  schema: Schema,
  meta: z.infer<typeof FieldMeta>,
): Schema => schema.meta(meta)
