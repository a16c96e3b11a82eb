import { z } from "zod"
import type { JsonSchema } from "../ask.ts"

/**
 * Whether OpenAI takes the schema in strict mode: every object closed, all of its fields required,
 * none but the keywords it knows. Otherwise it is sent as a wish, which it takes as well.
 */
export function isStrictSchema(schema: JsonSchema): boolean {
  return schema["type"] === "object" && isStrict(schema)
}

const KNOWN = new Set(
  `$defs $ref additionalProperties anyOf const description enum exclusiveMaximum exclusiveMinimum
  format items maxItems maximum minItems minimum multipleOf pattern properties required title type`.split(
    /\s+/,
  ),
)
const Schemas = z.record(z.string(), z.unknown()).catch({})
const Names = z.array(z.string()).catch([])
const List = z.array(z.unknown()).catch([])

function isStrict(schema: unknown): boolean {
  const keywords = z.record(z.string(), z.unknown()).safeParse(schema).data
  if (keywords === undefined) return false
  const properties = Schemas.parse(keywords["properties"])
  const required = new Set(Names.parse(keywords["required"]))
  const isObject = List.parse([keywords["type"]].flat()).includes("object")
  const isClosed =
    keywords["additionalProperties"] === false &&
    Object.keys(properties).every((name) => required.has(name))
  const children = [
    ...Object.values(properties),
    ...Object.values(Schemas.parse(keywords["$defs"])),
    ...List.parse(keywords["anyOf"]),
    ...(keywords["items"] === undefined ? [] : [keywords["items"]]),
  ]
  return (
    Object.keys(keywords).every((name) => KNOWN.has(name)) &&
    (!isObject || isClosed) &&
    children.every(isStrict)
  )
}
