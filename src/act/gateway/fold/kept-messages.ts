import { type JsonRecord, sliceText } from "#ground/base"
import { jsonOf, recordOf, withoutMarkers } from "../read/json.ts"
import { type Fold, type FoldGroup, isOfOutside, verbOf } from "./select.ts"
import { blocksOf, type Turn, textIn } from "./turns.ts"

const LABELS = {
  user: "[from the user]",
  attached: "[attached by the user]",
  instructions: "[instructions that were loaded]",
  skill: "[skill that was loaded]",
} as const satisfies Record<KeptKind, string>

/** Their results are the user's answers. */
const QUESTION_TOOLS: ReadonlySet<unknown> = new Set(["AskUserQuestion"])
const REFUSED_BY_USER = "The user doesn't want to proceed with this tool use"

type KeptContent = {
  /** Returns whose results are in the branches' answers already. */
  readonly closing: ReadonlySet<unknown>
  readonly calls: ReadonlyMap<unknown, JsonRecord>
  /** Ids of folded branches, and answers of `branch` inside the region. */
  readonly opened: readonly string[]
  readonly texts: Set<string>
  readonly media: JsonRecord[]
  readonly loadedTools: Set<string>
}

/**
 * The content of a region that stays, as blocks after the branch's answer: one text (a provider looks back only
 * 20 blocks in its cache), then images, then what came beside the return's answer.
 */
export function keptBlocks(turns: readonly Turn[], group: FoldGroup): readonly JsonRecord[] {
  const { start, end, folds } = group
  const content = keptContentOf(turns.slice(start + 1, end + 1), folds)
  for (const turn of turns.slice(start + 1, end)) keepTurn(content, turn)
  const last = turns[end]?.blocks ?? []
  for (const block of last.filter((it) => it.type === "tool_result")) keepAnswer(content, block)
  keepLoadedTools(content, turns.slice(0, start + 1))
  const { texts, media } = content
  const text = { type: "text", text: keptText(texts) }
  const live = last.filter((it) => it.type !== "tool_result")
  return [...(texts.size === 0 ? [] : [text]), ...media, ...live].map(withoutMarkers)
}

function keptContentOf(region: readonly Turn[], folds: readonly Fold[]): KeptContent {
  const closing = new Set<unknown>(folds.map((it) => it.closeCallId))
  const blocks = region.flatMap((it) => it.blocks)
  const calls = new Map(blocks.filter((it) => it.type === "tool_use").map((it) => [it.id, it]))
  const answers = blocks.filter((it) => it.type === "tool_result")
  const openings = answers.filter((it) => verbOf(calls.get(it.tool_use_id)?.name) === "branch")
  const own = folds.map((it) => it.branchId)
  const opened = [...own, ...openings.map((it) => textIn(it.content))]
  return { closing, calls, opened, texts: new Set(), media: [], loadedTools: new Set() }
}

function keepTurn(content: KeptContent, { role, blocks }: Turn): void {
  if (role === "system") for (const block of blocks) keepSystem(content, block)
  if (role !== "user") return
  for (const [index, block] of blocks.entries()) {
    const command = commandOf(blocks[index - 1])
    const text = typeof block.text === "string" ? block.text.trimStart() : ""
    // The return was made: its instructions would ask for it again.
    if (command === RETURN_COMMAND && text.startsWith(RETURN_INSTRUCTIONS)) continue
    if (command === undefined || kindOfText(text) !== "user") keepBlock(content, block)
    else keepText(content, block, "skill")
  }
}

const RETURN_COMMAND = "/qm:return"
/** The first line of `templates/commands/return.md`. */
const RETURN_INSTRUCTIONS = "End the branch that is open in this session."
const COMMAND =
  /^\s*<command-message>[^<]*<\/command-message>\s*<command-name>([^<]*)<\/command-name>/

/** The name of a command that the user typed; its instructions are the next block. */
function commandOf(block: JsonRecord | undefined): string | undefined {
  return typeof block?.text === "string" ? COMMAND.exec(block.text)?.[1] : undefined
}

function keepSystem({ texts }: KeptContent, { text }: JsonRecord): void {
  const rest = typeof text === "string" ? keptOfSystem(text) : ""
  if (rest !== "") texts.add(`[from the system]\n<system-reminder>\n${rest}\n</system-reminder>`)
}

function keepBlock(content: KeptContent, block: JsonRecord): void {
  if (block.type === "text") keepText(content, block)
  else if (block.type !== "tool_result") content.media.push(block)
  else if (isLiveAnswer(content, block)) keepAnswer(content, block)
  else noteLoadedTools(content.loadedTools, block)
}

function keepText({ texts }: KeptContent, { text }: JsonRecord, certainKind?: KeptKind): void {
  const kind = typeof text === "string" ? (certainKind ?? kindOfText(text)) : null
  if (kind !== null) texts.add(`${LABELS[kind]}\n${String(text)}`)
}

/** The user's answer, or the result of a branch that was opened earlier. */
function isLiveAnswer({ calls, opened }: KeptContent, block: JsonRecord): boolean {
  const call = recordOf(calls.get(block.tool_use_id))
  if (QUESTION_TOOLS.has(call.name)) return true
  const text = textIn(block.content)
  const isHosts = typeof call.name === "string" && !call.name.startsWith("mcp__")
  if (block.is_error === true) return isHosts && text.startsWith(REFUSED_BY_USER)
  const branchId = recordOf(call.input).branch_id
  return verbOf(call.name) === "return" && isOfOutside({ asked: branchId, text }, opened)
}

function keepAnswer(content: KeptContent, block: JsonRecord): void {
  if (content.closing.has(block.tool_use_id)) return
  const call = recordOf(content.calls.get(block.tool_use_id))
  const isError = block.is_error === true
  const text = textIn(block.content)
  content.texts.add(answerText({ name: call.name, input: jsonOf(call.input), text, isError }))
  const parts = blocksOf(block.content) ?? []
  content.media.push(...parts.filter((it) => it.type === "image" || it.type === "document"))
  noteLoadedTools(content.loadedTools, block)
}

/** Tools that a host loads late are named in a result, and are removed with it. */
function noteLoadedTools(loadedTools: Set<string>, block: JsonRecord): void {
  for (const { type, tool_name: name } of blocksOf(block.content) ?? []) {
    if (type === "tool_reference" && typeof name === "string") loadedTools.add(name)
  }
}

function keepLoadedTools({ texts, loadedTools }: KeptContent, before: readonly Turn[]): void {
  if (loadedTools.size === 0) return
  const available = new Set<string>()
  const blocks = before.flatMap((it) => (it.role === "user" ? it.blocks : []))
  for (const block of blocks.filter((it) => it.type === "tool_result"))
    noteLoadedTools(available, block)
  const names = [...loadedTools].filter((it) => !available.has(it))
  if (names.length > 0) texts.add(loadAgainText(names))
}

type KeptKind = "user" | "attached" | "instructions" | "skill"

const REMINDER = /^\s*<system-reminder(?: id="[0-9a-f]*")?>\s*/
const REMINDER_END = "</system-reminder"

/** Files attached with @ come as calls of the host itself. */
const ATTACHED = /^(?:Called the |Result of calling the )/
const INSTRUCTIONS = /^(?:Contents of |Codebase and user instructions are shown below)/
/** Actions of the user, excluding the host's nags. */
const USER_DID = /^The user (?!hasn't heard from you)/
const SKILL = /^\s*Base directory for this skill: /
const TOOL_LOADED = /^Tool loaded\.(?:\n\[id:[^\]\n]+\])*\n?$/

/** Null for reminders, which are removed. Anything not certainly a reminder stays. */
function kindOfText(text: string): KeptKind | null {
  if (text.trim() === "" || TOOL_LOADED.test(text)) return null
  const opening = REMINDER.exec(text)
  if (opening === null) return SKILL.test(text) ? "skill" : "user"
  const rest = text.slice(opening[0].length)
  if (ATTACHED.test(rest)) return "attached"
  if (INSTRUCTIONS.test(rest)) return "instructions"
  return USER_DID.test(rest) || hasMoreAfter(text) ? "user" : null
}

/** Typed text may follow a reminder in the same block. */
function hasMoreAfter(text: string): boolean {
  const from = text.lastIndexOf(REMINDER_END)
  const end = from === -1 ? -1 : text.indexOf(">", from)
  return end === -1 || text.slice(end + 1).trim() !== ""
}

/**
 * Where a host begins a new section in a system turn; a hook's text ends where the next section
 * begins.
 */
const PIECE = new RegExp(
  `^(?=${[
    "\\w+(?::\\S+)? hook ",
    "The user hasn't heard from you",
    ".{1,80} output style is active\\.",
    "\\[SYSTEM NOTIFICATION",
    "<task-notification>",
    "# (?:Environment|Output Style:|MCP Server Instructions)",
    "You are powered by the model",
    "The following (?:deferred tools|skills are available)",
    "Available agent types",
    "While .{1,80} mode is active:",
    "Today's date is",
  ].join("|")})`,
  "m",
)
const LEAVES = /^(?:(?:Pre|Post)ToolUse\w*(?::\S+)? hook |The user hasn't heard from you)/

/** Removes hook texts about removed calls, and nags. */
function keptOfSystem(text: string): string {
  const pieces = text.split(PIECE).filter((it) => !LEAVES.test(it))
  return pieces.join("").trim()
}

/** Of the call in the label of its answer. */
const LONGEST_CALL_LABEL_UNITS = 200

export function keptText(texts: Iterable<string>): string {
  return ["Kept from the turns that were folded into the result above:", ...texts].join("\n\n")
}

export function answerText(call: {
  readonly name: unknown
  readonly input: string
  readonly text: string
  readonly isError: boolean
}): string {
  const input = sliceText(call.input.toWellFormed(), LONGEST_CALL_LABEL_UNITS)
  return `[${call.isError ? "error" : "answer"} of ${String(call.name)} ${input}]\n${call.text}`
}

/** Tools loaded inside were removed with the result that loaded them. */
export function loadAgainText(names: readonly string[]): string {
  return `[tools that were loaded inside: load them again before you call them] ${names.join(", ")}`
}
