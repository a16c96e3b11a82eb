import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server"
import { z } from "zod"

/**
 * A schema as it is shown to hosts. Whether a value fits is judged in `defineTool`, where the answer
 * can be one that a model can act on; the package would answer with words of its own.
 */
export function advertise(schema: z.ZodType, io: "input" | "output"): StandardSchemaWithJSON {
  const { $schema: _, ...shown } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => leanOut(jsonSchema, io),
  })
  const json = (): Record<string, unknown> => shown
  return {
    "~standard": {
      version: 1,
      vendor: "quartermaster",
      validate: (value) => ({ value }),
      jsonSchema: { input: json, output: json },
    },
  }
}

/** Definitions are in every window: what says nothing is left out. */
function leanOut(json: z.core.JSONSchema.BaseSchema, io: "input" | "output"): void {
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum
  // An answer may grow; arguments may not.
  if (io === "output") delete json.additionalProperties
}
