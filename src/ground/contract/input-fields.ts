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
  /** Operation whose rows complete it at the shell; absent for free text. */
  readonly listedBy?: string
}

/** Not the global registry: clients and models read those schemas and do not need it. */
const lists = z.registry<{ readonly listedBy: string }>()

/** Declares the operation whose `rows` complete a field. Takes the field's own, described schema. */
export function listedBy<Schema extends z.ZodType>(operation: string, schema: Schema): Schema {
  lists.add(schema, { listedBy: operation })
  return schema
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
const ListSchema = z.object({
  properties: z
    .record(
      z.string(),
      z.object({
        listedBy: z.string().optional(),
        items: z.object({ listedBy: z.string().optional() }).optional(),
      }),
    )
    .default({}),
})

const fieldsBySchema = new WeakMap<Operation["input"], readonly InputField[]>()

/** Stored by schema: the server needs them for each request, and converting a schema takes 1 ms. */
export function inputFields({ input }: Pick<Operation, "input">): readonly InputField[] {
  const fields = fieldsBySchema.get(input) ?? readFields(input)
  fieldsBySchema.set(input, fields)
  return fields
}

function readFields(schema: Operation["input"]): readonly InputField[] {
  const input = InputSchema.parse(z.toJSONSchema(schema, { io: "input" }))
  const listed = ListSchema.parse(
    z.toJSONSchema(schema, { io: "input", metadata: lists }),
  ).properties
  return Object.entries(input.properties).map(([key, field]) => {
    const list = listed[key]?.listedBy ?? listed[key]?.items?.listedBy
    return {
      key,
      type: typeOf(field.type === "array" ? field.items?.type : field.type),
      values: field.items?.enum ?? field.enum,
      isList: field.type === "array",
      isRequired: input.required.includes(key),
      defaultValue: field.default,
      description: field.description,
      ...(list !== undefined && { listedBy: list }),
    }
  })
}

function typeOf(type: string | undefined): InputField["type"] {
  if (type === "integer" || type === "number") return "number"
  return type === "boolean" ? "boolean" : "text"
}
