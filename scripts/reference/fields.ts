import { z } from "zod"
import { code } from "./markdown.ts"

export type Field = {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly defaultText: string
  readonly description: string
}

/** The part of JSON Schema that a page shows; lists and unions nest it. */
const Property = z.object({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  default: z.unknown().optional(),
  description: z.string().optional(),
  get anyOf() {
    return z.array(Property).optional()
  },
  get items() {
    return Property.optional()
  },
})
type Property = z.infer<typeof Property>
const ObjectSchema = z.object({
  properties: z.record(z.string(), Property).default({}),
  required: z.array(z.string()).default([]),
})

export function fieldsOf(schema: z.ZodType, io: "input" | "output"): readonly Field[] {
  const { properties, required } = ObjectSchema.parse(toSchema(schema, io))
  return Object.entries(properties).map(([name, property]) => ({
    name,
    type: typeText(property),
    isRequired: required.includes(name),
    defaultText: property.default === undefined ? "" : code(JSON.stringify(property.default)),
    description: property.description ?? "",
  }))
}

export function typeOf(schema: z.ZodType): string {
  return typeText(Property.parse(toSchema(schema, "input")))
}

function toSchema(schema: z.ZodType, io: "input" | "output") {
  return z.toJSONSchema(schema, { io, unrepresentable: "any" })
}

function typeText(property: Property): string {
  if (property.const !== undefined) return code(JSON.stringify(property.const))
  if (property.enum !== undefined) return property.enum.map((it) => code(String(it))).join(", ")
  if (property.anyOf !== undefined) return property.anyOf.map(typeText).join(" or ")
  if (property.items !== undefined) return `list of ${typeText(property.items)}`
  return [[property.type ?? "anything"].flat().join(" or "), bounds(property)].join("")
}

/**
 * An integer without its own bound has the largest safe integer as maximum, which is not worth
 * printing.
 */
function bounds(property: Property): string {
  const say = (word: string, bound: number | undefined) =>
    bound === undefined || Math.abs(bound) === Number.MAX_SAFE_INTEGER ? "" : ` ${word} ${bound}`
  return [
    say("from", property.minimum),
    say("above", property.exclusiveMinimum),
    say("to", property.maximum),
  ].join("")
}
