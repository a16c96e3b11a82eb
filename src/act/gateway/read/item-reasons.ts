import path from "node:path"
import { isInside } from "#ground/base"
import type { RawItem } from "./formats/raw-item.ts"
import { folderOf } from "./host-files.ts"
import { attachedInput, summarizeToolCall, type ToolCallSummary } from "./tool-call-summary.ts"

/** Below the 300 of the contract, because a redaction may be longer than the secret. */
const LONGEST_WHY_UNITS = 250

const LONGEST_SEARCHED_PROMPT_UNITS = 100_000

type Call = { readonly tool: string; readonly asked: ToolCallSummary }

/**
 * Adds the reason each item is in the request. The reason is metadata; it does not affect the
 * item's identity.
 */
export function withReasons(
  items: readonly RawItem[],
  workingDirectory: string,
): readonly RawItem[] {
  const calls = new Map<string, Call>()
  return stretchesOf(items).flatMap((stretch) => {
    const reason = hasMention(stretch) ? "@ in the prompt" : "attached by the host"
    const attached: Call[] = []
    return stretch.map((item) => {
      const { kind, name, text, callId, isAttached = false } = item
      if (kind === "call") {
        const call = {
          tool: name,
          asked: summarizeToolCall(isAttached ? attachedInput(text) : text, workingDirectory),
        }
        if (isAttached) attached.push(call)
        else if (callId !== undefined) calls.set(callId, call)
        return isAttached ? withReason(item, joined(reason, call)) : item
      }
      if (isAttached) return withReason(item, joined(reason, attached.at(-1)))
      if (item.beside !== undefined)
        return withReason(item, besideReason(item, { calls, attached }))
      return withReason(item, calls.get(callId ?? "")?.asked.words)
    })
  })
}

function withReason(item: RawItem, why: string | undefined): RawItem {
  const hasReason = why !== undefined && why !== "" && why.length <= LONGEST_WHY_UNITS
  return hasReason ? { ...item, why } : item
}

function joined(prefix: string, call: Call | undefined): string {
  const words = call?.asked.words ?? ""
  return words === "" ? prefix : `${prefix}: ${words}`
}

/** Items between two turns of the model, with the turn before. */
function stretchesOf(items: readonly RawItem[]): readonly (readonly RawItem[])[] {
  const stretches: RawItem[][] = [[]]
  let isModelSpeaking = false
  for (const item of items) {
    const isOfModel =
      item.kind === "assistant" ||
      item.kind === "thinking" ||
      (item.kind === "call" && item.isAttached !== true)
    if (isOfModel && !isModelSpeaking) stretches.push([])
    isModelSpeaking = isOfModel
    stretches.at(-1)?.push(item)
  }
  return stretches
}

/** Hosts also attach files themselves, e.g. after a compaction. */
function hasMention(stretch: readonly RawItem[]): boolean {
  return stretch.some(
    ({ kind, text }) =>
      kind === "user" && /(?:^|[\s"'(])@\S/.test(text.slice(0, LONGEST_SEARCHED_PROMPT_UNITS)),
  )
}

type CallContext = { readonly calls: ReadonlyMap<string, Call>; readonly attached: readonly Call[] }

function besideReason(item: RawItem, { calls, attached }: CallContext): string | undefined {
  const beside = (item.beside ?? []).flatMap((it) => calls.get(it) ?? [])
  if (item.kind === "skill") return skillReason(item.name, beside)
  const around = [...beside, ...attached]
  const folder = folderOf(lazyPath(item.text))
  const near = around.filter(
    ({ asked }) => path.isAbsolute(asked.path ?? "") && isInside(folder, asked.path ?? ""),
  )
  const [first, ...others] = near.length === 0 ? around : near
  if (first === undefined) return undefined
  const which = `with ${first.tool} ${first.asked.words}`.trim()
  if (others.length === 0) return which
  return `${which} or ${others.length === 1 ? "another" : `${others.length} others`} beside it`
}

function skillReason(name: string, beside: readonly Call[]): string | undefined {
  const skills = beside.flatMap(({ tool, asked: { skill } }) =>
    tool === "Skill" && skill !== undefined ? [skill] : [],
  )
  const own = skills.find((it) => it === name || it.endsWith(`:${name}`))
  const only = skills.length === 1 ? skills[0] : undefined
  const skill = own ?? only
  return skill === undefined ? undefined : `by Skill ${skill}`
}

export function lazyPath(block: string): string {
  const start = LAZY_OPENING.length
  const lineEnd = block.indexOf("\n", start)
  const line = lineEnd === -1 ? block.slice(start) : block.slice(start, lineEnd)
  return line.replace(/:$/, "")
}

export const LAZY_OPENING = "<system-reminder>\nContents of "
