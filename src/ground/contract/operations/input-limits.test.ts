import { expect, test } from "vitest"
import { z } from "zod"
import { OPERATIONS } from "./operations.ts"

type Json = { readonly [key: string]: unknown }

test("[H1][CONTRACT-13] every string and list of an operation's input has a maximum", () => {
  const unbounded = Object.values(OPERATIONS).flatMap(({ name, input }) =>
    unboundedIn(z.toJSONSchema(input, { io: "input", unrepresentable: "any" }), name),
  )
  expect(unbounded).toEqual([])
})

function unboundedIn(schema: Json, where: string): readonly string[] {
  const isFixed = "enum" in schema || "const" in schema || "maxLength" in schema
  // A format such as a date, or a pattern that ends after a counted repetition, has a longest text.
  const { pattern } = schema
  const isShaped =
    "format" in schema || (typeof pattern === "string" && /\{\d+,\d+\}\$$/.test(pattern))
  const isLong = schema["type"] === "string" && !isFixed && !isShaped
  const isWide = schema["type"] === "array" && !("maxItems" in schema)
  const parts = Object.entries(schema).flatMap(([key, value]) =>
    key === "default" || key === "examples" ? [] : partsOf(value, `${where}.${key}`),
  )
  return [...(isLong || isWide ? [where] : []), ...parts]
}

function partsOf(value: unknown, where: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((it, at) => partsOf(it, `${where}.${at}`))
  if (typeof value !== "object" || value === null) return []
  return unboundedIn({ ...value }, where)
}
