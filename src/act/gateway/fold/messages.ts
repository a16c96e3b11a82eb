import { isRecord, type JsonRecord } from "#ground/base"
import { listOf, recordOf, textOf, withoutMarkers } from "../read/json.ts"
import type { Edits, Span } from "./body-splice.ts"
import { keptBlocks } from "./kept-messages.ts"
import {
  type Conversation,
  type Fold,
  type FoldCall,
  type FoldGroup,
  type Region,
  verbOf,
} from "./select.ts"
import { callIds, resultIn, type Turn, textIn, turnOf } from "./turns.ts"
import { newViolation, violationsOf } from "./validity.ts"

/** Calls of tools named like ours that the next message answers without an error. */
function callsInTurns(turns: readonly Turn[]): readonly FoldCall[] {
  return turns.flatMap(({ role, blocks }, index) =>
    role === "assistant" ? blocks.flatMap((it) => callOf(it, turns, index + 1) ?? []) : [],
  )
}

function callOf(block: JsonRecord, turns: readonly Turn[], at: number): FoldCall | undefined {
  const verb = block.type === "tool_use" ? verbOf(block.name) : undefined
  if (verb === undefined || typeof block.id !== "string") return undefined
  const result = resultIn(turns[at], block.id)
  if (result === undefined || result.is_error === true) return undefined
  const named = recordOf(block.input).branch_id
  const branchId = typeof named === "string" && named !== "" ? named : undefined
  return { verb, callId: block.id, asked: branchId, at, text: textIn(result.content) }
}

const USER_BLOCKS: ReadonlySet<unknown> = new Set(["text", "image", "document", "tool_result"])
const USER_KEYS: ReadonlySet<string> = new Set(["role", "content"])
const SYSTEM_KEYS: ReadonlySet<string> = new Set(["role", "content", "output_config"])

function doubtOfTurns(turns: readonly Turn[], region: Region): string | null {
  const inside = turns.slice(region.start + 1, region.end + 1)
  for (const { role, blocks, value, doubt } of inside) {
    if (doubt !== null) return doubt
    if (role === "assistant") continue
    const keys = role === "user" ? USER_KEYS : SYSTEM_KEYS
    if (Object.keys(value).some((it) => !keys.has(it))) return "a turn in it has an unknown field"
    if (role === "user" && blocks.some((it) => !USER_BLOCKS.has(it.type))) {
      return "a turn in it has an unknown block"
    }
  }
  // A repeated id would make it unclear which answer stays.
  const ids = inside.flatMap(callIds)
  return new Set(ids).size < ids.length ? "two calls have the same id" : null
}

/**
 * The last `output_config` of a region, and the system turn after it that has to repeat it;
 * undefined where one must be inserted.
 */
function configOf(turns: readonly Turn[], { start, end }: Region) {
  const config = lastConfig(turns.slice(start + 1, end + 1))
  const before = lastConfig(turns.slice(0, start + 1))
  const isRepeated = config === undefined || JSON.stringify(config) === JSON.stringify(before)
  if (isRepeated) return undefined
  // A system turn must come right before the model's turn.
  let index = end + 1
  while (turns[index]?.role === "user") index++
  const next = turns[index]
  if (next?.role !== "system") return { config, place: index, next: undefined }
  return next.value.output_config === undefined ? { config, place: index, next } : undefined
}

function lastConfig(turns: readonly Turn[]): unknown {
  return turns.findLast((it) => it.role === "system" && it.value.output_config !== undefined)?.value
    .output_config
}

/**
 * Without cache markers, which move from request to request: a decision must not change with them.
 */
function bytesOfTurns(
  turns: readonly Turn[],
  spans: readonly Span[],
  { start, end }: Region,
): number {
  const first = spans[start + 1]
  const last = spans[end]
  if (first === undefined || last === undefined || end <= start) return 0
  const blocks = turns.slice(start + 1, end + 1).flatMap((it) => it.blocks)
  const markers = blocks.flatMap((it) => it.cache_control ?? [])
  const written = markers.map((it) => `,"cache_control":${JSON.stringify(it)}`).join("")
  return last.to - first.from - Buffer.byteLength(written)
}

function editsOfTurns(turns: readonly Turn[], groups: readonly FoldGroup[]): Edits {
  const gone = new Set<number>()
  const patched = new Map<number, unknown>()
  const inserted = new Map<number, unknown>()
  for (const group of groups) {
    for (let index = group.start + 1; index <= group.end; index++) gone.add(index)
    const turn = turns[group.start]
    if (turn !== undefined) patched.set(group.start, patchedTurn(turns, turn, group))
    const setting = configOf(turns, group)
    if (setting === undefined) continue
    const { config, place, next } = setting
    const before = place - 1 === group.end ? group.start : place - 1
    if (next === undefined) inserted.set(before, { ...EMPTY_SYSTEM_TURN, output_config: config })
    else patched.set(place, { ...next.value, output_config: config })
  }
  return { gone, patched, inserted }
}

/** The form in which the host itself changes only the config. */
const EMPTY_SYSTEM_TURN = { role: "system", content: [] } as const

function patchedTurn(turns: readonly Turn[], turn: Turn, group: FoldGroup): JsonRecord {
  const folds = new Map<unknown, Fold>(group.folds.map((it) => [it.openCallId, it]))
  const results = turn.blocks.map((block) => {
    const fold = block.type === "tool_result" ? folds.get(block.tool_use_id) : undefined
    if (fold === undefined) return block
    const returned = resultIn(turns[fold.end], fold.closeCallId)
    return { ...block, content: unmarked(returned?.content) }
  })
  const content = [...results, ...keptBlocks(turns, group)]
  const marker = lastMarker(turns.slice(group.start + 1, group.end + 1))
  return { ...turn.value, content: marker === undefined ? content : marked(content, marker) }
}

function unmarked(content: unknown): unknown {
  return Array.isArray(content) ? content.map((it) => withoutMarkers(recordOf(it))) : content
}

/** The rolling cache marker was in a message that is removed. */
function lastMarker(region: readonly Turn[]): unknown {
  const blocks = region.flatMap((it) => it.blocks)
  return blocks.findLast((it) => it.cache_control !== undefined)?.cache_control
}

function marked(content: readonly JsonRecord[], marker: unknown): readonly JsonRecord[] {
  const last = recordOf(content.at(-1))
  return [...content.slice(0, -1), { ...last, cache_control: marker }]
}

export function readMessages(request: JsonRecord, spans: readonly Span[]): Conversation | string {
  if (isAttested(request.system)) return "it contains a checksum of its body"
  const turns = listOf(request.messages).map(turnOf)
  return {
    calls: callsInTurns(turns),
    doubtOf: (region) => doubtOfTurns(turns, region),
    bytesOf: (region) => bytesOfTurns(turns, spans, region),
    editsOf: (groups) => editsOfTurns(turns, groups),
    violationIn(before, after) {
      const tools = toolNames(request.tools)
      const [old, now] = [before, after].map((it) => violationsOf(it.map(turnOf), tools))
      return newViolation(old ?? [], now ?? [])
    },
  }
}

/** `cch=` in the billing header is a checksum of the body, which we cannot recompute. */
function isAttested(system: unknown): boolean {
  const first: unknown = listOf(system)[0]
  return /\bcch=/.test(typeof system === "string" ? system : textOf(recordOf(first).text))
}

function toolNames(tools: unknown): ReadonlySet<unknown> | undefined {
  return Array.isArray(tools) ? new Set(tools.filter(isRecord).map((it) => it.name)) : undefined
}
