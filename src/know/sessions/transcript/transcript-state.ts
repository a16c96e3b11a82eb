import { createHash } from "node:crypto"
import { z } from "zod"
import { isRecord, type JsonRecord, parseJson } from "#ground/base"
import type { SessionRole, SpentTokens } from "#ground/contract"
import { timeOfLine } from "#see/hosts"

const text = z.string().nullable().default(null)

/**
 * The state from which a reader continues a transcript: stored with the position of its next line, so that
 * appended lines are read without the lines before them.
 */
export const TranscriptState = z.object({
  cwd: text,
  branch: text,
  version: text,
  model: text,
  title: text,
  /** 1: the first prompt, 2: the host's title, 3: the user's title. */
  titleRank: z.int().default(0),
  turn: z.int().default(0),
  startedAt: z.int().nullable().default(null),
  endedAt: z.int().nullable().default(null),
  windowTokens: z.int().nullable().default(null),
  isSubAgent: z.boolean().default(false),
  /** Names of tools by the id of their open call. */
  tools: z.record(z.string(), z.string()).default({}),
  /** Totals of the host at its last report, for hosts that report totals only. */
  totals: z.array(z.int()).default([]),
  /** Digests: hosts write some messages twice, as different events. */
  lastPrompt: text,
  lastAnswer: text,
  compactedAt: z.int().nullable().default(null),
  /** Windows of a subscription as the host last reported them. */
  planWindows: z
    .array(
      z.object({
        windowMinutes: z.int().nullable(),
        usedPercent: z.number(),
        resetsAt: z.int().nullable(),
        at: z.int(),
      }),
    )
    .default([]),
})
export type TranscriptState = z.infer<typeof TranscriptState>

export type TranscriptEntry =
  | {
      readonly kind: "text"
      readonly role: SessionRole
      readonly text: string
      readonly tool?: string | undefined
      readonly isSubAgent?: boolean
    }
  | {
      readonly kind: "call"
      readonly key: string
      readonly model: string
      readonly tokens: SpentTokens
      readonly isSubAgent?: boolean
    }
  | { readonly kind: "path"; readonly path: string; readonly how: "read" | "edit" }
  | {
      readonly kind: "compaction"
      readonly cause: string
      readonly before: number | null
      readonly after: number | null
    }

export type LineContext = { readonly sessionId: string; readonly position: number }

/** Changes the state and returns what to index. */
export type TranscriptReader = (
  line: JsonRecord,
  state: TranscriptState,
  context: LineContext,
) => readonly TranscriptEntry[]

export function noteTime(line: JsonRecord, state: TranscriptState): void {
  const at = timeOfLine(line)
  if (at === undefined) return
  state.startedAt = Math.min(state.startedAt ?? at, at)
  state.endedAt = Math.max(state.endedAt ?? at, at)
}

export function setTitle(state: TranscriptState, title: string | undefined, rank: number): void {
  if (title === undefined || title.trim() === "" || rank < state.titleRank) return
  if (rank === 1 && state.titleRank === 1) return
  state.title = title.slice(0, 2_000)
  state.titleRank = rank
}

const MAX_OPEN_CALLS = 200

export function openCall(state: TranscriptState, id: string, tool: string): void {
  const open = Object.entries(state.tools)
  if (open.length >= MAX_OPEN_CALLS) state.tools = Object.fromEntries(open.slice(1))
  state.tools[id] = tool
}

export function closeCall(state: TranscriptState, id: string): string | undefined {
  const tool = Object.hasOwn(state.tools, id) ? state.tools[id] : undefined
  delete state.tools[id]
  return tool
}

export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url")
}

export function field(value: unknown, ...names: readonly string[]): string | undefined {
  if (!isRecord(value)) return undefined
  const values = names.map((name) => value[name])
  return values.find((it): it is string => typeof it === "string" && it !== "")
}

export function tokensIn(value: unknown, name: string): number {
  const tokens = isRecord(value) ? value[name] : undefined
  return typeof tokens === "number" && Number.isSafeInteger(tokens) && tokens > 0 ? tokens : 0
}

/** A text, or all texts inside a list of blocks. */
export function plainText(value: unknown): string {
  if (typeof value === "string") return value
  if (Array.isArray(value)) return value.map(plainText).filter(Boolean).join("\n")
  if (!isRecord(value)) return ""
  return field(value, "text", "output", "content") ?? plainText(value["content"] ?? [])
}

const PATH_FIELDS = ["file_path", "notebook_path", "path", "absolute_path", "filePath"] as const
const EDIT_TOOLS =
  /^(?:edit|multiedit|write|notebookedit|apply_patch|write_file|replace|create|str_replace(?:_editor)?)$/i
/** Their results are contents of files. */
export const READING_TOOLS = /^(?:read|notebookread|view|read_file|read_many_files|view_image)$/i

/** A tool call as searchable text, with the path it names. */
export function callEntries(tool: string, input: unknown): readonly TranscriptEntry[] {
  const values = typeof input === "string" ? (parseJson(input) ?? input) : input
  const path = field(values, ...PATH_FIELDS)
  const isEdit = EDIT_TOOLS.test(tool)
  const how = isEdit ? "edit" : "read"
  const hasPath = path !== undefined && (isEdit || READING_TOOLS.test(tool))
  const patched = isEdit ? patchedPaths(plainInput(values)) : []
  return [
    { kind: "text", role: isEdit ? "edit" : "call", text: `${tool} ${plainInput(values)}`, tool },
    ...(hasPath ? [{ kind: "path" as const, path, how } as const] : []),
    ...patched.map((it) => ({ kind: "path", path: it, how: "edit" }) as const),
  ]
}

function plainInput(input: unknown): string {
  if (typeof input === "string") return input
  if (!isRecord(input)) return ""
  return Object.values(input)
    .map((it) => (typeof it === "string" ? it : JSON.stringify(it)))
    .join("\n")
}

function patchedPaths(patch: string): readonly string[] {
  const paths = patch.matchAll(/^\*\*\* (?:Update|Add|Delete) File: (?<path>.{1,4096})$/gm)
  return [...paths].flatMap((it) => it.groups?.["path"]?.trim() ?? [])
}
