import { hash } from "node:crypto"
import { sliceText } from "#ground/base"
import type { MaskKind } from "#ground/contract"
import { verbOf } from "../fold/select.ts"
import { jsonOf, textOf } from "../read/json.ts"
import type { Conversation, ToolResult } from "./conversation.ts"

/** A mask has about 200 characters; a shorter result is not worth one. */
const SHORTEST_MASKED_UNITS = 1_000

/** About 2,000 tokens. */
const OVERSIZE_UNITS = 8_000

/** Model turns after which a large output counts as old. */
const OVERSIZE_AGE_TURNS = 10

export type Candidate = {
  readonly result: ToolResult
  readonly kind: MaskKind
  readonly label: string
  readonly reason: string
}

/** Their results are words of the user, plans, loaded tools, or work of another agent. */
const NEVER_MASKED: ReadonlySet<string> = new Set([
  "Agent",
  "AskUserQuestion",
  "ExitPlanMode",
  "Skill",
  "Task",
  "TodoWrite",
  "ToolSearch",
  "request_user_input",
  "update_plan",
])
const REFUSED_BY_USER = "The user doesn't want to proceed with this tool use"
const RECEIPT = /qm-(?:open|fold):br_/

const READS: ReadonlySet<string> = new Set(["NotebookRead", "Read"])
const EDITS: ReadonlySet<string> = new Set(["Edit", "MultiEdit", "NotebookEdit", "Write"])

type FileUse = {
  readonly path: string
  /** Undefined for a part that is not known by its lines. */
  readonly lines: { readonly from: number; readonly to: number } | undefined
}

/**
 * The results that later work made unnecessary, in order. Never the newest read of a file, words of
 * the user, or a result that a later text quotes.
 */
export function chooseMasks(
  conversation: Conversation,
  { stopped }: { readonly stopped: ReadonlySet<MaskKind> },
): readonly Candidate[] {
  const { results, modelTurns } = conversation
  const facts = factsOf(results)
  const quotes = createQuotes(conversation)
  return results.flatMap((result, index) => {
    const isLong = result.text.length >= SHORTEST_MASKED_UNITS
    if (!isLong || !canBeMasked(result) || isNewestOfFile(facts, index)) return []
    const verdict =
      supersededBy(facts, index) ??
      duplicateOf(facts, index) ??
      failedBefore(facts, index) ??
      oversize(result, modelTurns)
    const isRefused = verdict === undefined || stopped.has(verdict.kind) || quotes.has(result)
    return isRefused ? [] : [{ ...verdict, result, label: labelOf(result) }]
  })
}

/** Not words of the user, and nothing that other parts of a request depend on. */
export function canBeMasked({ tool, text, isText, isError }: ToolResult): boolean {
  if (!isText) return false
  if (NEVER_MASKED.has(tool) || verbOf(tool) !== undefined || RECEIPT.test(text)) return false
  return !(isError && text.startsWith(REFUSED_BY_USER))
}

type Facts = {
  readonly results: readonly ToolResult[]
  readonly reads: readonly (FileUse | undefined)[]
  readonly edits: readonly (string | undefined)[]
  /** Position of the last result with the same text. */
  readonly lastOfText: ReadonlyMap<string, number>
  /** Position of the last successful call with the same target. */
  readonly lastSuccess: ReadonlyMap<string, number>
  readonly lastRead: ReadonlyMap<string, number>
  readonly lastEdit: ReadonlyMap<string, number>
}

function factsOf(results: readonly ToolResult[]): Facts {
  const reads = results.map((it) => (it.isError ? undefined : readOf(it)))
  const edits = results.map((it) => (it.isError ? undefined : editedPath(it)))
  const lastOf = (keys: readonly (string | undefined)[]): ReadonlyMap<string, number> =>
    new Map(keys.flatMap((key, index) => (key === undefined ? [] : [[key, index] as const])))
  return {
    results,
    reads,
    edits,
    lastOfText: lastOf(results.map((it) => hash("sha256", it.text))),
    lastSuccess: lastOf(results.map((it) => (it.isError ? undefined : targetOf(it)))),
    lastRead: lastOf(reads.map((it) => it?.path)),
    lastEdit: lastOf(edits),
  }
}

type Verdict = Pick<Candidate, "kind" | "reason">

function isNewestOfFile({ reads, edits, lastRead, lastEdit }: Facts, index: number): boolean {
  const [read, edited] = [reads[index]?.path, edits[index]]
  const isNewestRead = read !== undefined && lastRead.get(read) === index
  return isNewestRead || (edited !== undefined && lastEdit.get(edited) === index)
}

/** Read again, or read before a change and read in another part since. */
function supersededBy({ reads, lastEdit }: Facts, index: number): Verdict | undefined {
  const own = reads[index]
  if (own === undefined) return undefined
  const isCovered = reads.some((it, at) => at > index && it?.path === own.path && covers(it, own))
  if (isCovered) return { kind: "superseded", reason: "the file was read again later" }
  const isStale = (lastEdit.get(own.path) ?? -1) > index
  return isStale
    ? { kind: "superseded", reason: "the file was changed and read again later" }
    : undefined
}

function covers(later: FileUse, earlier: FileUse): boolean {
  if (later.lines === undefined || earlier.lines === undefined) return false
  return later.lines.from <= earlier.lines.from && later.lines.to >= earlier.lines.to
}

function duplicateOf({ results, lastOfText }: Facts, index: number): Verdict | undefined {
  const last = lastOfText.get(hash("sha256", results[index]?.text ?? "")) ?? -1
  return last > index
    ? { kind: "duplicate", reason: "a later result has the same text" }
    : undefined
}

function failedBefore({ results, lastSuccess }: Facts, index: number): Verdict | undefined {
  const result = results[index]
  if (result?.isError !== true) return undefined
  return (lastSuccess.get(targetOf(result)) ?? -1) > index
    ? { kind: "failed", reason: "the call failed, and a later one succeeded" }
    : undefined
}

function oversize({ text, turn }: ToolResult, modelTurns: number): Verdict | undefined {
  const isOld = modelTurns - turn >= OVERSIZE_AGE_TURNS
  return isOld && text.length > OVERSIZE_UNITS
    ? { kind: "oversize", reason: "it is large and old" }
    : undefined
}

function readOf(result: ToolResult): FileUse | undefined {
  const { tool, input } = result
  if (READS.has(tool)) {
    const path = textOf(input["file_path"]) || textOf(input["notebook_path"])
    if (path === "") return undefined
    return { path, lines: linesOf(input) }
  }
  const command = commandOf(result)
  const path = command === undefined ? undefined : SHELL_READ.exec(command)?.[1]
  return path === undefined ? undefined : { path: unquoted(path), lines: shellLines(command) }
}

/** Without offset and limit a host reads as far as it always does. */
function linesOf(input: ToolResult["input"]): FileUse["lines"] {
  const from = typeof input["offset"] === "number" ? input["offset"] : 1
  const count = input["limit"]
  return { from, to: typeof count === "number" ? from + count : Number.MAX_SAFE_INTEGER }
}

/** One program that prints one file. */
const SHELL_READ =
  /^(?:cat|nl|head|tail|sed|less|more|bat)\b[^|;&<>`$]* ("[^"]+"|'[^']+'|[^\s"'-]\S*)$/
const WHOLE_FILE = /^(?:cat|nl|less|more|bat)\b/

function shellLines(command: string | undefined): FileUse["lines"] {
  return WHOLE_FILE.test(command ?? "") ? { from: 1, to: Number.MAX_SAFE_INTEGER } : undefined
}

function unquoted(word: string): string {
  return word.replaceAll(/^["']|["']$/g, "")
}

const LONGEST_COMMAND_UNITS = 2_000

/** The command line of a shell tool of either host. */
function commandOf({ tool, input }: ToolResult): string | undefined {
  if (!SHELLS.has(tool)) return undefined
  const line = input["command"] ?? input["cmd"]
  const words: unknown = Array.isArray(line) ? line.at(-1) : line
  const command = typeof words === "string" ? words.trim() : ""
  return command === "" || command.length > LONGEST_COMMAND_UNITS ? undefined : command
}

const SHELLS: ReadonlySet<string> = new Set(["Bash", "exec_command", "shell", "local_shell"])

function editedPath({ tool, input }: ToolResult): string | undefined {
  if (!EDITS.has(tool)) return undefined
  return textOf(input["file_path"]) || textOf(input["notebook_path"]) || undefined
}

/** The file of a call, the program of its command, or its whole input. */
function targetOf(result: ToolResult): string {
  const { tool, input } = result
  const path = textOf(input["file_path"]) || textOf(input["notebook_path"])
  const program = commandOf(result)?.split(/\s+/).slice(0, 2).join(" ")
  return `${tool} ${path || program || callKey(result)}`
}

/** The same for two calls of a tool with the same input. */
export function callKey({ tool, input }: Pick<ToolResult, "input" | "tool">): string {
  return hash("sha256", `${tool} ${jsonOf(input)}`).slice(0, 32)
}

const LONGEST_LABEL_UNITS = 120

export function labelOf(result: ToolResult): string {
  const { tool, input } = result
  const path = textOf(input["file_path"]) || textOf(input["notebook_path"]) || textOf(input["path"])
  const about = path || commandOf(result) || textOf(input["pattern"]) || textOf(input["url"])
  const line = `${tool} ${about}`.replaceAll(/\s+/g, " ").trim()
  return sliceText(line, LONGEST_LABEL_UNITS)
}

/** Shorter pieces occur by chance. */
const SHORTEST_QUOTED_LINE_UNITS = 25
const SHORTEST_QUOTED_SPAN_UNITS = 16
const MOST_SPANS = 500

const SPAN = /`([^`\n]{16,400})`|"([^"\n]{16,400})"/g
/** Line numbers of a read, list markers and quote characters. */
const LINE_MARK = /^\s*(?:\d+[\t→:]|[>*+-]\s)?\s*/

/** The lines and quoted spans of texts, to find results that a later text repeats. */
function createQuotes({ texts }: Conversation) {
  const lines = new Map<string, number>()
  const spans: { readonly at: number; readonly text: string }[] = []
  for (const { at, text } of texts) {
    for (const line of text.split("\n")) {
      const plain = plainLine(line)
      if (plain.length >= SHORTEST_QUOTED_LINE_UNITS) lines.set(plain, at)
    }
    for (const match of text.matchAll(SPAN)) {
      const span = match[1] ?? match[2] ?? ""
      if (span.length >= SHORTEST_QUOTED_SPAN_UNITS) spans.push({ at, text: span })
    }
  }
  const newest = spans.slice(-MOST_SPANS)
  return {
    has({ at, text, input }: ToolResult): boolean {
      const own = jsonOf(input)
      // The path of a file is no quote of its content.
      const isSpan = newest.some(
        (it) => it.at > at && !own.includes(it.text) && text.includes(it.text),
      )
      return isSpan || text.split("\n").some((line) => (lines.get(plainLine(line)) ?? -1) > at)
    },
  }
}

function plainLine(line: string): string {
  return line.replace(LINE_MARK, "").trim()
}
