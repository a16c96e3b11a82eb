import { createHash } from "node:crypto"
import { isMap, isNode, isScalar, parseDocument, stringify } from "yaml"
import { z } from "zod"
import { invariant, isRecord, sliceFrontMatter, truncate, visibleLine } from "#ground/base"
import { type TicketCriterion, TicketPriority, TicketSeverity, TicketType } from "#ground/contract"
import { parsePlainYaml } from "./plain-yaml.ts"

/** A ticket as its file states it. The lane is not in it: it comes from the event log. */
export type TicketEntry = {
  readonly id: string
  readonly file: string
  readonly number: number | undefined
  readonly title: string
  readonly type: TicketType
  readonly priority: TicketPriority
  readonly severity: TicketSeverity | null
  readonly complexity: number
  /** Undefined for the default of the priority, 0 for none. */
  readonly slaDays: number | undefined
  readonly dependsOn: readonly string[]
  readonly paths: readonly string[]
  readonly acceptance: readonly TicketCriterion[]
  readonly blocked: string | null
  readonly createdAt: number
  readonly body: string
}

export type ReadTicket =
  | { readonly kind: "ticket"; readonly entry: TicketEntry }
  | { readonly kind: "problem"; readonly problem: string }

type FileOrigin = { readonly file: string; readonly modifiedAtMs: number }

const TICKET_ID = /^T-[0-9A-Z]{1,20}$/

/** The YAML parser takes up to 5 µs a character. */
const LONGEST_HEAD_UNITS = 12_000
const LONGEST_TITLE_UNITS = 300

export function readTicket(text: string, origin: FileOrigin): ReadTicket {
  if (/^<{7} /m.test(text) && /^>{7} /m.test(text)) return problem("it has merge conflict markers")
  const parts = sliceFrontMatter(text, LONGEST_HEAD_UNITS)
  if (parts === undefined)
    return problem("it does not begin with front matter between two lines of ---")
  const values = parseHead(parts.head)
  if (typeof values === "string") return problem(values)
  const front = Front.safeParse(values)
  if (!front.success) return problem(wrongField(front.error))
  return { kind: "ticket", entry: entryOf(front.data, { ...origin, body: parts.body }) }
}

/** A new file. Optional fields without a value are left out. */
export function writeTicket(entry: TicketEntry): string {
  const { id, number, title, type, priority, severity, complexity, slaDays } = entry
  const head = stringify(
    {
      id,
      number,
      title,
      type,
      priority,
      ...(severity !== null && { severity }),
      complexity,
      ...(slaDays !== undefined && { sla_days: slaDays }),
      ...(entry.dependsOn.length > 0 && { depends_on: entry.dependsOn }),
      ...(entry.paths.length > 0 && { paths: entry.paths }),
      ...(entry.acceptance.length > 0 && { acceptance: writtenCriteria(entry.acceptance) }),
      created: new Date(entry.createdAt).toISOString(),
    },
    { lineWidth: 0 },
  )
  return `---\n${head}---\n${entry.body.trim() === "" ? "" : `\n${entry.body.trim()}\n`}`
}

export function writtenCriteria(acceptance: readonly TicketCriterion[]) {
  return acceptance.map(({ text, isDone }) => ({ text, done: isDone }))
}

export type FieldChanges = Readonly<Record<string, unknown>>

/**
 * Replaces fields of the front matter, character by character where they are; a null value removes
 * its field. Everything else stays as it is: order, comments, quotes, line endings and body.
 */
export function editFields(text: string, changes: FieldChanges): string {
  const parts = sliceFrontMatter(text, LONGEST_HEAD_UNITS)
  invariant(parts !== undefined, "only a file that was parsed as a ticket is edited")
  let { head } = parts
  for (const [key, value] of Object.entries(changes)) {
    head = setField({ head, newline: parts.newline }, key, value)
  }
  return `${parts.opening}${head}${parts.rest}`
}

type Head = { readonly head: string; readonly newline: string }

function setField({ head, newline }: Head, key: string, value: unknown): string {
  const document = parseDocument(head, YAML)
  const { contents } = document
  if (contents !== null && (!isMap(contents) || contents.flow === true)) {
    if (value === null) document.delete(key)
    else document.set(key, document.createNode(value))
    return document.toString({ lineWidth: 0 }).replaceAll("\n", newline)
  }
  const line = value === null ? "" : written({ [key]: value }, newline)
  const pair = contents?.items.find((it) => isScalar(it.key) && it.key.value === key)
  if (pair === undefined) return `${ended(head, newline)}${line}`
  const start = rangeOf(pair.key)?.[0]
  const range = rangeOf(pair.value)
  invariant(start !== undefined, "a parsed key has a position")
  const end = range?.[1] ?? head.indexOf(":", start) + 1
  const isPlain = isScalar(pair.value) && range !== undefined && range[1] > range[0]
  if (isPlain && isOneLine(value) && !head.slice(range[0], end).includes("\n")) {
    return `${head.slice(0, range[0])}${written(value, newline).trimEnd()}${head.slice(end)}`
  }
  const rest = head.slice(end)
  const endsLine = head.slice(0, end).endsWith("\n")
  if (value === null) return `${head.slice(0, start)}${endsLine ? rest : afterLine(rest)}`
  return `${head.slice(0, start)}${endsLine ? line : line.trimEnd()}${rest}`
}

function written(value: unknown, newline: string): string {
  return stringify(value, { lineWidth: 0 }).replaceAll("\n", newline)
}

function ended(head: string, newline: string): string {
  return head === "" || head.endsWith("\n") ? head : `${head}${newline}`
}

function afterLine(rest: string): string {
  const end = rest.indexOf("\n")
  return end === -1 ? "" : rest.slice(end + 1)
}

function isOneLine(value: unknown): boolean {
  if (typeof value === "string") return !/[\r\n]/.test(value)
  return typeof value === "number" || typeof value === "boolean"
}

function rangeOf(node: unknown): readonly [number, number, number] | undefined {
  return isNode(node) ? (node.range ?? undefined) : undefined
}

const YAML = { prettyErrors: false, logLevel: "silent" } as const

/** The values, or a problem; messages of the parser would quote the text. */
function parseHead(head: string): unknown {
  const plain = parsePlainYaml(head)
  if (plain !== undefined) return plain
  const document = parseDocument(head, YAML)
  const [error] = document.errors
  if (error !== undefined) return `its front matter is not valid YAML (${error.code})`
  try {
    const values: unknown = document.toJS()
    if (!isRecord(values)) return "its front matter has no fields"
    return Object.fromEntries(Object.entries(values).filter(([, it]) => it !== null))
  } catch {
    return "its front matter is not valid YAML (aliases)"
  }
}

function problem(wrong: string): ReadTicket {
  return { kind: "problem", problem: visibleLine(wrong.slice(0, 200)) }
}

function wrongField(error: z.ZodError): string {
  const [issue] = error.issues
  const field = issue?.path.map(String).join(".") ?? ""
  return `its ${field === "" ? "front matter" : field} is invalid: ${issue?.message ?? "unknown"}`
}

/** YAML parses `42` as a number where the author meant a word. */
const Words = z.union([z.string(), z.number(), z.boolean()]).transform(String)
const Line = Words.pipe(z.string().max(4_096))

const Front = z.object({
  id: Words.pipe(z.string().regex(TICKET_ID)).optional(),
  number: z.int().min(1).max(1_000_000_000).optional(),
  title: Words.pipe(z.string().trim().min(1)),
  type: TicketType.default("feature"),
  priority: TicketPriority.default("P2"),
  severity: TicketSeverity.optional(),
  complexity: z.number().positive().max(1_000).default(1),
  sla_days: z.number().min(0).max(36_500).optional(),
  depends_on: z.array(Line).max(100).default([]),
  paths: z.array(Line).max(200).default([]),
  acceptance: z
    .array(
      z.union([
        Line.transform((text) => ({ text, isDone: false })),
        z
          .object({ text: Line, done: z.boolean().default(false) })
          .transform(({ text, done }) => ({ text, isDone: done })),
      ]),
    )
    .max(100)
    .default([]),
  blocked: Line.optional(),
  created: z.union([Words, z.date().transform((it) => it.toISOString())]).optional(),
})

function entryOf(
  front: z.infer<typeof Front>,
  { file, modifiedAtMs, body }: FileOrigin & { readonly body: string },
): TicketEntry {
  const created = Date.parse(front.created ?? "")
  return {
    id: front.id ?? idOf(file),
    file,
    number: front.number,
    title: truncate(visibleLine(front.title), LONGEST_TITLE_UNITS),
    type: front.type,
    priority: front.priority,
    severity: front.severity ?? null,
    complexity: front.complexity,
    slaDays: front.sla_days,
    dependsOn: [...new Set(front.depends_on)],
    paths: front.paths,
    acceptance: front.acceptance,
    blocked: front.blocked ?? null,
    createdAt: Number.isNaN(created) ? modifiedAtMs : created,
    body: body.trim(),
  }
}

/** A file without an id is identified by its path until the first edit writes one. */
function idOf(file: string): string {
  const digest = createHash("sha256").update(file).digest("hex").slice(0, 10)
  return `T-${digest.toUpperCase()}`
}

export function fileNameOf(title: string, id: string): string {
  const words = title
    .normalize("NFKD")
    .toLowerCase()
    .match(/[a-z0-9]+/g)
  const slug = (words ?? []).join("-").slice(0, 48).replace(/-$/, "")
  return `${slug === "" ? "ticket" : slug}-${id.slice(2).toLowerCase()}.md`
}
