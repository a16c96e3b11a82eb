import { type JsonRecord, jsonOf, recordOf, withoutMarkers } from "../read/json.ts"
import { type KeptKind, keptOfSystem, kindOfText } from "./kinds.ts"
import { type Fold, type FoldGroup, isOfOutside, verbOf } from "./select.ts"
import { blocksOf, type Turn, textIn } from "./turns.ts"
import { answerText, keptText, loadAgainText } from "./wording.ts"

const LABELS = {
  user: "[from the user]",
  attached: "[attached by the user]",
  instructions: "[instructions that were loaded]",
  skill: "[skill that was loaded]",
} as const satisfies Record<KeptKind, string>

/** By these a host asks its user: what comes back is the user's word. */
const QUESTION_TOOLS: ReadonlySet<unknown> = new Set(["AskUserQuestion"])
const REFUSED_BY_USER = "The user doesn't want to proceed with this tool use"

type Keeping = {
  /** Returns whose results stand in the branches' answers, so that nothing else need say them. */
  readonly closing: ReadonlySet<unknown>
  /** What each call of the region was, by its id. */
  readonly calls: ReadonlyMap<unknown, JsonRecord>
  /** The folded ones, and what `branch` answered inside: with these the region is theirs. */
  readonly opened: readonly string[]
  /** In their order; what is said again in the same words is said once. */
  readonly texts: Set<string>
  /** Images and documents, which cannot stand in a text. */
  readonly media: JsonRecord[]
  readonly loadedTools: Set<string>
}

/**
 * What of a region stays on the wire, as blocks that follow the branch's answer: one text with all
 * that was kept (a provider looks back only 20 blocks for what it has cached), then images, then
 * what came beside the return's own answer, which is of the moment.
 */
export function keptBlocks(turns: readonly Turn[], group: FoldGroup): readonly JsonRecord[] {
  const { start, end, folds } = group
  const keeping = keepingOf(turns.slice(start + 1, end + 1), folds)
  for (const turn of turns.slice(start + 1, end)) keepTurn(keeping, turn)
  const last = turns[end]?.blocks ?? []
  for (const block of last.filter((it) => it.type === "tool_result")) keepAnswer(keeping, block)
  keepLoadedTools(keeping, turns.slice(0, start + 1))
  const { texts, media } = keeping
  const text = { type: "text", text: keptText(texts) }
  const live = last.filter((it) => it.type !== "tool_result")
  return [...(texts.size === 0 ? [] : [text]), ...media, ...live].map(withoutMarkers)
}

function keepingOf(region: readonly Turn[], folds: readonly Fold[]): Keeping {
  const closing = new Set<unknown>(folds.map((it) => it.closeCallId))
  const blocks = region.flatMap((it) => it.blocks)
  const calls = new Map(blocks.filter((it) => it.type === "tool_use").map((it) => [it.id, it]))
  const answers = blocks.filter((it) => it.type === "tool_result")
  const openings = answers.filter((it) => verbOf(calls.get(it.tool_use_id)?.name) === "branch")
  const own = folds.map((it) => it.branchId)
  const opened = [...own, ...openings.map((it) => textIn(it.content))]
  return { closing, calls, opened, texts: new Set(), media: [], loadedTools: new Set() }
}

function keepTurn(keeping: Keeping, { role, blocks }: Turn): void {
  if (role === "system") for (const block of blocks) keepSystem(keeping, block)
  if (role === "user") for (const block of blocks) keepBlock(keeping, block)
}

function keepSystem({ texts }: Keeping, { text }: JsonRecord): void {
  const kept = typeof text === "string" ? keptOfSystem(text) : ""
  if (kept !== "") texts.add(`[from the system]\n<system-reminder>\n${kept}\n</system-reminder>`)
}

function keepBlock(keeping: Keeping, block: JsonRecord): void {
  if (block.type === "text") keepText(keeping, block)
  else if (block.type !== "tool_result") keeping.media.push(block)
  else if (isLiveAnswer(keeping, block)) keepAnswer(keeping, block)
  else noteLoadedTools(keeping.loadedTools, block)
}

function keepText({ texts }: Keeping, { text }: JsonRecord): void {
  const kind = typeof text === "string" ? kindOfText(text) : null
  if (kind !== null) texts.add(`${LABELS[kind]}\n${String(text)}`)
}

/** The user's own word, or the result of a branch that was opened before this one. */
function isLiveAnswer({ calls, opened }: Keeping, block: JsonRecord): boolean {
  const call = recordOf(calls.get(block.tool_use_id))
  if (QUESTION_TOOLS.has(call.name)) return true
  const text = textIn(block.content)
  const isHosts = typeof call.name === "string" && !call.name.startsWith("mcp__")
  if (block.is_error === true) return isHosts && text.startsWith(REFUSED_BY_USER)
  const asked = recordOf(call.input).branch_id
  return verbOf(call.name) === "return" && isOfOutside({ asked, text }, opened)
}

function keepAnswer(keeping: Keeping, block: JsonRecord): void {
  if (keeping.closing.has(block.tool_use_id)) return
  const call = recordOf(keeping.calls.get(block.tool_use_id))
  const isError = block.is_error === true
  const text = textIn(block.content)
  keeping.texts.add(answerText({ name: call.name, asked: jsonOf(call.input), text, isError }))
  const parts = blocksOf(block.content) ?? []
  keeping.media.push(...parts.filter((it) => it.type === "image" || it.type === "document"))
  noteLoadedTools(keeping.loadedTools, block)
}

/** A host loads some tools late: the answer names them, and with it they leave. */
function noteLoadedTools(loadedTools: Set<string>, block: JsonRecord): void {
  for (const { type, tool_name: name } of blocksOf(block.content) ?? []) {
    if (type === "tool_reference" && typeof name === "string") loadedTools.add(name)
  }
}

function keepLoadedTools({ texts, loadedTools }: Keeping, before: readonly Turn[]): void {
  if (loadedTools.size === 0) return
  const known = new Set<string>()
  const blocks = before.flatMap((it) => (it.role === "user" ? it.blocks : []))
  for (const block of blocks.filter((it) => it.type === "tool_result"))
    noteLoadedTools(known, block)
  const names = [...loadedTools].filter((it) => !known.has(it))
  if (names.length > 0) texts.add(loadAgainText(names))
}
