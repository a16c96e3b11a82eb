import { type Document, isMap, isScalar, LineCounter, type Pair, parseDocument } from "yaml"
import { z } from "zod"
import { firstLine, formatExact } from "#ground/base"
import type { ConfigProblem } from "#ground/contract"
import { SourceSlug } from "#ground/contract"
import { choices, quoted } from "./json-text.ts"

const MOST_LISTED = 50

const LONGEST_DESCRIPTION_CHARACTERS = 500

const LONGEST_NAME_CHARACTERS = 60

export const RECIPE_FILE = "RECIPE.md"
/** The name before recipes were called recipes; still read. */
const OLD_FILE = "AGENT.md"

/** The name of the header's file in a folder; `RECIPE.md` wins. */
export function headerFileOf(files: ReadonlyMap<string, unknown>): string {
  return files.has(OLD_FILE) && !files.has(RECIPE_FILE) ? OLD_FILE : RECIPE_FILE
}

const Fields = z.object({
  name: z.string().trim().min(1).max(LONGEST_NAME_CHARACTERS),
  description: z.string().trim().min(1).max(LONGEST_DESCRIPTION_CHARACTERS),
  sources: z.array(SourceSlug).max(MOST_LISTED).default([]),
  tools: z.array(z.string().min(1).max(100)).max(MOST_LISTED).default([]),
})
type Fields = z.infer<typeof Fields>

export type RecipeFile = Partial<Fields> & { readonly problems: readonly ConfigProblem[] }

/** The caller has removed a byte-order mark; Windows line ends are accepted. */
export function readRecipeFile(text: string | undefined): RecipeFile {
  if (text === undefined) return { problems: [problemAt(1, "", `${RECIPE_FILE} is missing`)] }
  const head = headOf(text)
  if (head === undefined) {
    const problem =
      "it must start with a header: a line of three dashes, fields, and three dashes again"
    return { problems: [problemAt(1, "", problem)] }
  }
  if (head.length > LONGEST_HEAD_UNITS) {
    const problem = `its header exceeds ${formatExact(LONGEST_HEAD_UNITS)} characters`
    return { problems: [problemAt(1, "", problem)] }
  }
  const lines = new LineCounter()
  const document = parseDocument(head, { lineCounter: lines, prettyErrors: false })
  const [broken] = document.errors
  const lineOf = (offset: number) => lines.linePos(offset).line + 1
  if (broken !== undefined)
    return {
      problems: [
        problemAt(lineOf(broken.pos[0]), "", `invalid YAML: ${firstLine(broken.message)}`),
      ],
    }
  return readFields(document, lineOf)
}

function headOf(text: string): string | undefined {
  const [, head] = HEAD.exec(text) ?? []
  return head
}

/** The YAML parser takes up to 5 µs a character. */
const LONGEST_HEAD_UNITS = 12_000

const HEAD = /^---[ \t]*\r?\n([\s\S]*?)(?:^|(?<=\n))---[ \t]*\r?(?:\n|$)/

function readFields(document: Document, lineOf: (offset: number) => number): RecipeFile {
  if (!isMap(document.contents))
    return { problems: [problemAt(2, "", "the header must have fields, such as `name: …`")] }
  const problems: ConfigProblem[] = []
  const values: Record<string, unknown> = {}
  const lines = new Map<string, number>()
  const fields = plainValue(document)
  for (const pair of document.contents.items) {
    const { name, line } = keyOf(pair, lineOf)
    lines.set(name, line)
    if (Object.hasOwn(Fields.shape, name)) values[name] = fields[name]
    else problems.push(problemAt(line, name, unknownField(name)))
  }
  const read: Partial<Fields> = {}
  for (const name of FIELD_NAMES) {
    const parsed = Fields.shape[name].safeParse(values[name])
    if (parsed.success) Object.assign(read, { [name]: parsed.data })
    else problems.push(problemAt(lines.get(name) ?? 1, name, complaint(name, values[name])))
  }
  return { ...read, problems }
}

const FIELD_NAMES = ["name", "description", "sources", "tools"] as const

/** An alias without an anchor throws only here. */
function plainValue(document: Document): Readonly<Record<string, unknown>> {
  try {
    return z.record(z.string(), z.unknown()).catch({}).parse(document.toJS())
  } catch {
    return {}
  }
}

function keyOf({ key }: Pair, lineOf: (offset: number) => number) {
  if (!isScalar(key)) return { name: "?", line: lineOf(0) }
  return { name: String(key.value), line: lineOf(key.range?.[0] ?? 0) }
}

const SHAPES = {
  name: `a text of 1 to ${LONGEST_NAME_CHARACTERS} characters`,
  description: `a text of 1 to ${LONGEST_DESCRIPTION_CHARACTERS} characters`,
  sources: "a list of source names: lower-case letters, digits and dashes",
  tools: "a list of tool names",
} as const

function complaint(name: keyof typeof SHAPES, value: unknown): string {
  if (value === undefined || value === null) return `\`${name}\` is missing; ${SHAPES[name]}`
  return `\`${name}\` is ${quoted(value)}; it must be ${SHAPES[name]}`
}

function unknownField(name: string): string {
  return `${quoted(name)} is not a header field; ${choices(name, FIELD_NAMES)}`
}

function problemAt(line: number, field: string, problem: string): ConfigProblem {
  return { file: RECIPE_FILE, line, stage: null, field, problem }
}

export function renamed(text: string, name: string): string {
  const head = headOf(text)
  if (head === undefined) return text
  const document = parseDocument(head)
  document.set("name", name)
  return text.replace(head, () => document.toString())
}
