import { expect, test } from "vitest"
import { z } from "zod"
import { OPERATIONS } from "#ground/contract"
import { displayLength } from "../terminal/layout.ts"
import { createScreen } from "../terminal/screen.ts"
import { loadPrinters } from "./renderers.fixture.ts"

const printers = await loadPrinters()

/** Long enough that every table and every line must wrap; each word can be recognised. */
const WORDS = ["harbour", "tariffs", "invoices", "mooring", "quotation", "berths", "customer"]
const LONG_TEXT = [...WORDS, ...WORDS, ...WORDS].join(" ")

type JsonSchema = {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: string
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, JsonSchema>>
}

/** A value that fits the schema, with long texts and two entries in each list. */
function sampleOf(schema: JsonSchema, root: JsonSchema, depth = 0): unknown {
  if (schema.$ref !== undefined) {
    return sampleOf(root.$defs?.[schema.$ref.split("/").at(-1) ?? ""] ?? {}, root, depth + 1)
  }
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  const [choice] = schema.oneOf ?? schema.anyOf ?? schema.allOf ?? []
  if (choice !== undefined) return sampleOf(choice, root, depth)
  switch (schema.type) {
    case "string":
      return textOf(schema)
    case "integer":
    case "number":
      return Math.min(schema.maximum ?? 12_345, Math.max(schema.minimum ?? 1, 12_345))
    case "boolean":
      return true
    case "array":
      return depth > 8 ? [] : [0, 1].map(() => sampleOf(schema.items ?? {}, root, depth + 1))
    case "object":
      return Object.fromEntries(
        drawnProperties(schema).map(([key, it]) => [key, sampleOf(it, root, depth + 1)]),
      )
    default:
      return null
  }
}

/** With lines for another program, nothing else would be drawn. */
function drawnProperties({ properties = {} }: JsonSchema) {
  return Object.entries(properties).filter(([key]) => key !== "csv")
}

function textOf({ format, pattern, maxLength = 1_000 }: JsonSchema): string {
  if (format === "date") return "2026-01-02"
  if (pattern !== undefined) return "sample"
  const text = LONG_TEXT.slice(0, maxLength)
  return text === LONG_TEXT ? text : (text.match(/^.* /)?.[0] ?? text).trim()
}

const DRAWN = Object.values(OPERATIONS).flatMap((operation) => {
  const printer = printers[operation.name]
  if (printer === undefined) return []
  const schema = z.toJSONSchema(operation.output, { io: "output", unrepresentable: "any" })
  const sample = operation.output.safeParse(sampleOf(schema as JsonSchema, schema as JsonSchema))
  return sample.success ? [{ name: operation.name, sample: sample.data, printer }] : []
})

/** Printed for another program, or never broken because it is executed. */
const VERBATIM = /^(source\.|agents\.export|fold\.restore|pack\.(build|show))/

test("[CLI-31] most renderers have a sample value", () => {
  expect(DRAWN.length).toBeGreaterThan(70)
})

test.each(DRAWN.filter((it) => !VERBATIM.test(it.name)))(
  "[CLI-31] $name fits 80 and 120 columns and breaks no word",
  ({ sample, printer }) => {
    for (const columns of [80, 120]) {
      const lines = printer.text(sample, createScreen({ isColored: false, columns })).split("\n")
      expect(lines.filter((it) => displayLength(it) > columns)).toEqual([])
      const broken = lines.flatMap((line) => line.match(/[a-z]{3,}/g) ?? []).filter(isPartOfWord)
      expect(broken).toEqual([])
    }
  },
)

test.each(DRAWN)("[CLI-31] $name truncates nothing in a pipe", ({ sample, printer }) => {
  const text = printer.text(sample, createScreen({ isColored: false, columns: undefined }))
  expect(text).not.toContain(" …")
})

function isPartOfWord(text: string): boolean {
  return WORDS.some((it) => it !== text && it.length - text.length < 4 && it.includes(text))
}
