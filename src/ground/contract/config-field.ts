import { z } from "zod"

/** The environment variable of a field, and whether its value may be shown. */
export const FieldMeta = z.object({
  description: z.string(),
  env: z.string(),
  secret: z.literal(true).optional(),
  /** A project file may not set it, because the repository may come from someone else. */
  personal: z.literal(true).optional(),
  /** The text is a list with this separator; a JSON array of texts is accepted too. */
  list: z.enum([",", ";", " "]).optional(),
})

export const field = <Schema extends z.ZodType>(
  schema: Schema,
  meta: z.infer<typeof FieldMeta>,
): Schema => schema.meta(meta)
