import { writeFile } from "node:fs/promises"
import path from "node:path"
import { pathToFileURL } from "node:url"
import fc from "fast-check"
import { beforeAll, describe, expect, test } from "vitest"
import { z } from "zod"
import { loadOperations } from "#ground/contract"
import { tempDirectory } from "#test/temp"
import { compileValidators } from "./validators.ts"

type Schemas = Readonly<Record<string, z.ZodType>>
type Compiled = Readonly<Record<string, (value: unknown) => unknown>>

async function compile(schemas: Schemas): Promise<Compiled> {
  await using temp = await tempDirectory()
  const file = path.join(temp.path, "validators.mjs")
  await writeFile(file, compileValidators(schemas))
  return (await import(pathToFileURL(file).href)).default
}

/** Also the order of the fields and those that are undefined. */
function spelled(value: unknown): string {
  return JSON.stringify(value, (_key, it) => (it === undefined ? "(undefined)" : it))
}

function expectSame(schema: z.ZodType, compiled: Compiled[string], value: unknown): boolean {
  const result = compiled(value)
  if (result === undefined) return false
  const parsed = schema.safeParse(value)
  expect(parsed.success, spelled(value)).toBe(true)
  expect(spelled(result)).toBe(spelled(parsed.data))
  return true
}

describe("of single schemas", () => {
  const SCHEMAS = {
    text: z.object({ it: z.string().min(2).max(5) }),
    pattern: z.object({ it: z.string().regex(/^a+$/) }),
    day: z.object({ it: z.iso.date() }),
    number: z.object({ it: z.number().gt(1).lte(9) }),
    whole: z.object({ it: z.int().nonnegative() }),
    choice: z.object({ it: z.enum(["a", "b"]).nullable() }),
    literal: z.object({ it: z.literal([1, "x", true]) }),
    optional: z.object({ it: z.string().optional() }),
    defaults: z.object({ it: z.array(z.string()).default(["d"]), not: z.boolean().default(false) }),
    prefault: z.object({ it: z.object({ a: z.int().default(1) }).prefault({}) }),
    unknown: z.object({ it: z.unknown() }),
    strict: z.strictObject({ it: z.boolean() }),
    loose: z.looseObject({ it: z.boolean() }),
    list: z.object({ it: z.array(z.int()).min(1).max(2) }),
    pair: z.object({ it: z.tuple([z.string(), z.int()]) }),
    record: z.object({ it: z.record(z.string().max(3), z.int()) }),
    partial: z.object({ it: z.partialRecord(z.enum(["a", "b"]), z.int()) }),
    union: z.object({ it: z.union([z.object({ a: z.int() }), z.object({ b: z.int() })]) }),
  } as const
  const VALUES = [
    [undefined, null, true, false, 0, 1, 2, 9, 10, -1, 1.5, 2 ** 60, Number.NaN],
    ["", "a", "b", "x", "aaa", "aaaa", "aaaaaa", "𝒳", "𝒳𝒳𝒳𝒳𝒳", "2026-01-31", "2026-02-30"],
    [[], ["a"], [1], [1, 2], ["a", 1], [1, 2, 3], ["a", 1, 2]],
    [{}, { a: 1 }, { b: 1 }, { a: 1, b: 1 }, { c: 1 }, { long: 1 }, { a: undefined }],
    [JSON.parse('{ "__proto__": 1 }')],
  ].flat()

  test.each(Object.keys(SCHEMAS))("%s", async (name) => {
    const schemas: Schemas = SCHEMAS
    const { [name]: compiled } = await compile(schemas)
    const schema = schemas[name]
    if (compiled === undefined || schema === undefined) throw new Error(name)
    const objects = VALUES.flatMap((it) => [{ it }, { it, more: it }, it])
    const accepted = [...objects, {}].filter((it) => expectSame(schema, compiled, it))
    expect(accepted.length).toBeGreaterThan(0)
  })

  test("a schema with a function of ours has no compiled form", async () => {
    const compiled = await compile({
      trimmed: z.object({ it: z.string().trim() }),
      refined: z.object({ it: z.string().refine((it) => it !== "x") }),
      changed: z.object({ it: z.string().transform((it) => it.length) }),
      plain: z.object({ it: z.string() }),
    })
    expect(Object.keys(compiled)).toEqual(["plain"])
  })
})

/** Values that a schema accepts, nearly always. */
function arbitraryOf(schema: z.ZodType): fc.Arbitrary<unknown> {
  const json: JsonSchema = JSON.parse(
    JSON.stringify(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" })),
  )
  return fromJson(json, json)
}

type JsonSchema = {
  readonly type?: string | readonly string[]
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, JsonSchema>>
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly prefixItems?: readonly JsonSchema[]
  readonly additionalProperties?: JsonSchema | boolean
  readonly propertyNames?: JsonSchema
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly pattern?: string
  readonly format?: string
}

function fromJson(schema: JsonSchema, root: JsonSchema): fc.Arbitrary<unknown> {
  const of = (it: JsonSchema) => fromJson(it, root)
  if (schema.$ref !== undefined) return of(root.$defs?.[schema.$ref.slice(8)] ?? {})
  if ("const" in schema) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const options = schema.anyOf ?? schema.oneOf
  if (options !== undefined) return fc.oneof(...options.map(of))
  if (schema.prefixItems !== undefined) return fc.tuple(...schema.prefixItems.map(of))
  if (Array.isArray(schema.type))
    return fc.oneof(...schema.type.map((type: string) => of({ ...schema, type })))
  const { minimum = 0, maximum = minimum + 1000 } = schema
  switch (schema.type) {
    case "null":
      return fc.constant(null)
    case "boolean":
      return fc.boolean()
    case "integer":
      return fc.integer({ min: (schema.exclusiveMinimum ?? minimum - 1) + 1, max: maximum })
    case "number":
      return fc.double({ min: schema.exclusiveMinimum ?? minimum, max: maximum, noNaN: true })
    case "array":
      return fc.array(of(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 2, 2),
      })
    case "object": {
      const { properties, required = [], additionalProperties } = schema
      if (properties === undefined && typeof additionalProperties === "object")
        return fc.dictionary(
          of(schema.propertyNames ?? { type: "string" }).map(String),
          of(additionalProperties),
          { maxKeys: 2, noNullPrototype: true },
        )
      const fields = Object.entries(properties ?? {}).map(([key, it]) => [key, of(it)] as const)
      return fc.record(Object.fromEntries(fields), {
        requiredKeys: [...required],
        noNullPrototype: true,
      })
    }
    case "string": {
      if (schema.format === "date") return fc.constant("2026-01-31")
      if (schema.pattern !== undefined)
        return fc.stringMatching(new RegExp(schema.pattern), { maxLength: schema.maxLength ?? 200 })
      // Compiled forms leave a text with few characters beyond U+FFFF to the schema.
      const least = 2 * (schema.minLength ?? 0)
      return fc.string({
        minLength: least,
        maxLength: Math.max(least, Math.min(schema.maxLength ?? 8, 8)),
      })
    }
    default:
      return fc.jsonValue()
  }
}

/** Compiled with zod's own JSON schema as the third party, so a shared mistake is unlikely. */
describe("of all operations", () => {
  const schemas: Record<string, z.ZodType> = {}
  let compiled: Compiled = {}

  beforeAll(async () => {
    for (const { name, input, output } of await loadOperations()) {
      schemas[`${name} input`] = input
      schemas[`${name} output`] = output
    }
    compiled = await compile(schemas)
  })

  test("nearly all have a compiled form", () => {
    const others = Object.keys(schemas).filter((it) => compiled[it] === undefined)
    expect(others).toMatchInlineSnapshot(`
      [
        "agents.start input",
        "agents.send input",
        "agents.edit input",
        "agents.rewrite input",
        "credential.request input",
        "guard.verdicts output",
        "organise.state input",
        "organise.label input",
        "organise.view input",
        "people.issue input",
        "pipeline.show output",
        "plan.submit input",
        "recipe.list output",
        "recipe.show output",
        "recipe.new output",
        "recipe.validate output",
        "recipe.trust output",
        "remote.start input",
      ]
    `)
  })

  test("a compiled form gives what the schema gives, and knows each valid value", () => {
    for (const [name, parse] of Object.entries(compiled)) {
      const schema = schemas[name] ?? z.never()
      let valid = 0
      const property = fc.property(arbitraryOf(schema), (value) => {
        if (!schema.safeParse(value).success) return
        valid++
        expect(expectSame(schema, parse, value), name).toBe(true)
      })
      // Patterns with classes such as \p{L} are rarely matched by all texts of a list at once.
      for (let round = 0; round < 50 && valid === 0; round++) fc.assert(property, { numRuns: 20 })
      expect(valid, name).toBeGreaterThan(0)
    }
  })

  test("a compiled form accepts no value that the schema refuses", () => {
    const strange = fc.constantFrom(undefined, null, "", "x", -1, 1.5, [], {}, [1], { a: 1 })
    for (const [name, parse] of Object.entries(compiled)) {
      const schema = schemas[name] ?? z.never()
      fc.assert(
        fc.property(arbitraryOf(schema), fc.nat(), strange, (value, place, other) => {
          expectSame(schema, parse, withChange(value, place, other))
        }),
        { numRuns: 20 },
      )
    }
  })
})

/** One value inside, or one more field, is replaced. */
function withChange(value: unknown, place: number, other: unknown): unknown {
  const spots: (string | number)[][] = []
  const visit = (it: unknown, at: (string | number)[]): void => {
    spots.push(at)
    if (typeof it !== "object" || it === null) return
    for (const [key, child] of Object.entries(it)) visit(child, [...at, key])
    spots.push([...at, "more"])
  }
  visit(value, [])
  const copy: unknown = structuredClone(value)
  const spot = spots[place % spots.length] ?? []
  const last = spot.at(-1)
  if (last === undefined) return other
  let parent = Object(copy)
  for (const key of spot.slice(0, -1)) parent = parent[key]
  parent[last] = other
  return copy
}
