import { z } from "zod"
import type { Operation } from "./operation.ts"

/** Inputs are flat (decision 0002). */
export type InputField = {
  readonly key: string
  readonly type: "text" | "number" | "boolean"
  readonly values: readonly string[]
  readonly isList: boolean
  readonly isRequired: boolean
  readonly defaultValue: unknown
  readonly description: string
}

/** The subset of JSON Schema that fits a shell and a query string. */
const FieldSchema = z.object({
  type: z.enum(["string", "integer", "number", "boolean", "array"]),
  description: z.string().default(""),
  default: z.unknown().optional(),
  enum: z.array(z.string()).default([]),
  items: z.object({ type: z.string(), enum: z.array(z.string()).default([]) }).optional(),
})
const InputSchema = z.object({
  type: z.literal("object"),
  properties: z.record(z.string(), FieldSchema).default({}),
  required: z.array(z.string()).default([]),
})

export function inputFields(operation: Pick<Operation, "input">): readonly InputField[] {
  const input = InputSchema.parse(z.toJSONSchema(operation.input, { io: "input" }))
  return Object.entries(input.properties).map(([key, field]) => ({
    key,
    type: typeOf(field.type === "array" ? field.items?.type : field.type),
    values: field.items?.enum ?? field.enum,
    isList: field.type === "array",
    isRequired: input.required.includes(key),
    defaultValue: field.default,
    description: field.description,
  }))
}

function typeOf(type: string | undefined): InputField["type"] {
  if (type === "integer" || type === "number") return "number"
  return type === "boolean" ? "boolean" : "text"
}
