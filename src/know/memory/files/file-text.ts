import { createHash } from "node:crypto"
import { type Document, parseDocument, stringify } from "yaml"
import { z } from "zod"
import { invariant, isRecord, sliceFrontMatter, truncate } from "#ground/base"
import { type MemoryCite, MemoryKind } from "#ground/contract"
import type { Redact } from "#ground/secrets"
import { PROJECT_FOLDER } from "#see/repo"
import {
  LONGEST_DESCRIPTION_UNITS,
  LONGEST_SHOWN_UNITS,
  LONGEST_TITLE_UNITS,
  MOST_CITES,
} from "../limits.ts"
import { redactLine, redactText } from "../record/redact.ts"
import { parseCite } from "./citations.ts"
import { type MemoryEntry, WrittenState } from "./entry.ts"

const LONGEST_HEAD_UNITS = 32_000

type ReadMemory =
  | { readonly kind: "memory"; readonly entry: MemoryEntry }
  | { readonly kind: "problem"; readonly problem: string }

type FileOrigin = { readonly file: string; readonly modifiedAtMs: number }

export function readMemory(text: string, where: FileOrigin, redact: Redact): ReadMemory {
  if (hasMergeMarks(text)) return problem("it has merge conflict markers")
  const parts = sliceFrontMatter(text, LONGEST_HEAD_UNITS)
  if (parts === undefined)
    return problem("it does not begin with front matter between two lines of ---")
  const document = parseHead(parts.head)
  if (typeof document === "string") return problem(document)
  const front = Front.safeParse(withoutNulls(document.toJS()))
  if (!front.success) return problem(wrongField(front.error))
  return { kind: "memory", entry: entryOf(front.data, { ...where, body: parts.body }, redact) }
}

export function writeMemory(entry: MemoryEntry): string {
  const { id, kind, title, description, state, supersededBy, signals } = entry
  const { session, actor, commit, isUntrusted, isDistilled } = entry.source
  const head = stringify(
    {
      id,
      kind,
      title,
      description,
      state,
      ...(supersededBy === null ? {} : { superseded_by: supersededBy }),
      created: new Date(entry.createdAt).toISOString(),
      cites: entry.cites,
      source: { session, actor, commit, untrusted: isUntrusted, distilled: isDistilled },
      signals,
    },
    { lineWidth: 0 },
  )
  return `---\n${head}---\n\n${entry.body}\n`
}

/** Preserves comments, unknown keys and the body. */
export function editMemory(text: string, before: MemoryEntry, after: MemoryEntry): string {
  const parts = sliceFrontMatter(text, LONGEST_HEAD_UNITS)
  invariant(parts !== undefined, "only a file that was parsed as a memory is edited")
  const document = parseDocument(parts.head, YAML)
  if (!document.has("id")) document.set("id", after.id)
  if (after.state !== before.state) document.set("state", after.state)
  if (after.supersededBy !== before.supersededBy) document.set("superseded_by", after.supersededBy)
  setSignals(document, after)
  for (const [at, cite] of after.cites.entries()) {
    if (cite.sha !== before.cites[at]?.sha) setCite(document, at, cite)
  }
  const head = document.toString({ lineWidth: 0 }).replaceAll("\n", parts.newline)
  return `${parts.opening}${head}${parts.rest}`
}

export function hasMergeMarks(text: string): boolean {
  return /^<{7} /m.test(text) && /^={7}\r?$/m.test(text) && /^>{7} /m.test(text)
}

const YAML = { prettyErrors: false, logLevel: "silent" } as const

function setSignals(document: Document, { signals }: MemoryEntry): void {
  const isMap = typeof document.getIn(["signals", "helpful"]) === "number"
  if (!isMap) return document.set("signals", document.createNode(signals))
  for (const [name, count] of Object.entries(signals)) document.setIn(["signals", name], count)
}

function setCite(document: Document, at: number, cite: MemoryCite): void {
  const isMap = document.getIn(["cites", at, "path"]) !== undefined
  if (isMap) document.setIn(["cites", at, "sha"], cite.sha)
  else document.setIn(["cites", at], document.createNode(cite))
}

/** The document or an error code; messages of the parser would quote the text. */
function parseHead(head: string): Document | string {
  const document = parseDocument(head, YAML)
  const [error] = document.errors
  if (error !== undefined) return `its front matter is not valid YAML (${error.code})`
  try {
    // Throws on aliases without an anchor, or too many of them.
    document.toJS()
    return document
  } catch {
    return "its front matter is not valid YAML (aliases)"
  }
}

function withoutNulls(value: unknown): unknown {
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, it]) => it !== null)
      .map(([name, it]) => [name, withoutNulls(it)]),
  )
}

function problem(wrong: string): ReadMemory {
  return { kind: "problem", problem: wrong.slice(0, LONGEST_SHOWN_UNITS) }
}

function wrongField(error: z.ZodError): string {
  const [issue] = error.issues
  const where = issue?.path.map(String).join(".") ?? ""
  return `its ${where === "" ? "front matter" : where} is invalid: ${issue?.message ?? "unknown"}`
}

/** An id goes into delimiters and file names. */
const MEMORY_ID = /^mem_[0-9A-Za-z]{1,60}$/

/** YAML parses `42` as a number where the author meant a word. */
const Words = z.union([z.string(), z.number(), z.boolean()]).transform(String)
const Id = Words.pipe(z.string().regex(MEMORY_ID))
const Signals = z.int().nonnegative().default(0)

/** Confidence is not read. Missing values get the least trusted default. */
const Front = z.object({
  id: Id.optional(),
  kind: MemoryKind.optional(),
  title: Words.pipe(z.string().trim().min(1)),
  description: Words.optional(),
  state: WrittenState.default("proposed"),
  superseded_by: Id.optional(),
  created: Words.optional(),
  cites: z
    .array(
      z.union([
        z.string().min(1).max(4_500).transform(parseCite),
        z.object({
          path: z.string().min(1).max(4_000),
          symbol: z.string().max(500).optional(),
          sha: Words.pipe(z.string().max(100)).default(""),
        }),
      ]),
    )
    .max(MOST_CITES)
    .default([]),
  source: z
    .object({
      session: Words.optional(),
      actor: z.enum(["human", "agent", "tool"]).default("agent"),
      commit: Words.optional(),
      untrusted: z.boolean().default(false),
      distilled: z.boolean().default(false),
    })
    .prefault({}),
  signals: z
    .object({ helpful: Signals, unhelpful: Signals, succeeded: Signals, failed: Signals })
    .prefault({}),
})

function entryOf(
  front: z.infer<typeof Front>,
  { file, modifiedAtMs, body }: FileOrigin & { readonly body: string },
  redact: Redact,
): MemoryEntry {
  const line = (text: string, most: number) => truncate(redactLine(text, redact).text, most)
  const created = Date.parse(front.created ?? "")
  const title = line(front.title, LONGEST_TITLE_UNITS)
  const { session, actor, commit, untrusted, distilled } = front.source
  return {
    id: front.id ?? idOf(file),
    kind: front.kind ?? kindByFolder(file),
    title,
    description: line(front.description ?? title, LONGEST_DESCRIPTION_UNITS),
    body: redactText(body, redact).text.trim(),
    cites: front.cites.map((it) => cleanCite(it, redact)),
    source: {
      session: session === undefined ? null : line(session, LONGEST_SHOWN_UNITS),
      actor,
      commit: commit === undefined ? null : line(commit, LONGEST_SHOWN_UNITS),
      isUntrusted: untrusted,
      isDistilled: distilled,
    },
    state: front.superseded_by === undefined ? front.state : "superseded",
    supersededBy: front.superseded_by ?? null,
    signals: front.signals,
    createdAt: Number.isNaN(created) ? modifiedAtMs : created,
  }
}

function cleanCite(
  cite: { readonly path: string; readonly symbol?: string | undefined; readonly sha?: string },
  redact: Redact,
): MemoryCite {
  const { path, symbol, sha = "" } = cite
  const safe = (text: string) => redactText(text, redact).text
  return {
    path: safe(path),
    ...(symbol === undefined ? {} : { symbol: safe(symbol) }),
    sha: safe(sha),
  }
}

/** A file without an id is identified by its path until the first write adds one. */
function idOf(file: string): string {
  return `mem_${createHash("sha256").update(file).digest("hex").slice(0, 20)}`
}

function kindByFolder(file: string): MemoryKind {
  const folder = Object.keys(FOLDER_KINDS).find((it) => file.includes(`/${it}/`))
  return FOLDER_KINDS[folder ?? "lessons"] ?? "strategy"
}

export const MEMORY_FOLDER = [PROJECT_FOLDER, "memory"] as const

export const FOLDER_KINDS: Readonly<Record<string, MemoryKind>> = {
  lessons: "strategy",
  decisions: "decision",
  rules: "rule",
  glossary: "term",
}

export function folderOf(kind: MemoryKind): string {
  switch (kind) {
    case "strategy":
    case "pitfall":
    case "fix":
      return "lessons"
    case "decision":
      return "decisions"
    case "rule":
      return "rules"
    case "term":
      return "glossary"
    default:
      return kind satisfies never
  }
}

export function fileNameOf(title: string, id: string): string {
  const words = title
    .normalize("NFKD")
    .toLowerCase()
    .match(/[a-z0-9]+/g)
  const slug = (words ?? []).join("-").slice(0, LONGEST_SLUG_UNITS).replace(/-$/, "")
  return `${slug === "" ? "memory" : slug}-${id.slice(-NAMED_ID_UNITS)}.md`
}

const LONGEST_SLUG_UNITS = 48
const NAMED_ID_UNITS = 6
