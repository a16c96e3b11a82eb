import { receiptsIn } from "#choose/fold"
import type { JsonRecord } from "#ground/base"
import { isUser, type OpencodeMessage, textOf, toolPart } from "./messages.ts"

type FoldedStep = {
  readonly tool: string | null
  readonly text: string
  readonly tokens: number
}

type FoldedBranch = { readonly branchId: string; readonly steps: readonly FoldedStep[] }

export type OpenBranch = { readonly branchId: string; readonly bytesAfter: number }

export type FoldedMessages = {
  readonly messages: readonly OpencodeMessage[]
  readonly folded: readonly FoldedBranch[]
  /** Opened and not returned. */
  readonly open: readonly OpenBranch[]
}

/**
 * The result of each returned branch takes the place of its opening; the messages after the opening,
 * up to the return, are removed, those of the user stay. A model turn stays as it is or is removed
 * whole, so it always follows the turns it was generated from.
 */
export function foldMessages(messages: readonly OpencodeMessage[], key: string): FoldedMessages {
  const folded: FoldedBranch[] = []
  let remaining = messages
  // Inner branches return first, so each pass folds the first return that is left.
  for (;;) {
    const branch = nextFold(remaining, key)
    if (branch === undefined) break
    folded.push({ branchId: branch.branchId, steps: stepsOf(branch.removed) })
    remaining = withFold(remaining, branch)
  }
  return { messages: remaining, folded, open: openBranches(remaining, key) }
}

type Mark = { readonly branchId: string; readonly message: number; readonly part: number }

type Fold = {
  readonly branchId: string
  readonly opening: Mark
  readonly end: Mark
  readonly result: string
  readonly removed: readonly OpencodeMessage[]
}

function nextFold(messages: readonly OpencodeMessage[], key: string): Fold | undefined {
  const openings = marksIn(messages, "open", key)
  for (const end of marksIn(messages, "fold", key)) {
    const opening = openings.find((it) => it.branchId === end.branchId)
    // In one message both are of one turn, and nothing is between them.
    if (opening === undefined || opening.message >= end.message) continue
    const between = messages.slice(opening.message + 1, end.message + 1)
    const removed = between.filter((it) => !isUser(it))
    const result = resultOf(messages[end.message]?.parts ?? [], end.part)
    return { branchId: end.branchId, opening, end, result, removed }
  }
  return undefined
}

/** Results of calls beside the return are still needed. */
function resultOf(parts: readonly JsonRecord[], at: number): string {
  const result = textOf(toolPart(parts[at] ?? {})?.output)
  const others = parts.flatMap((part, index) => {
    const call = index === at ? undefined : toolPart(part)
    return call === undefined
      ? []
      : [`Result of ${call.tool}, called beside return:\n${call.output}`]
  })
  return [result, ...others].join("\n\n")
}

function withFold(messages: readonly OpencodeMessage[], fold: Fold): readonly OpencodeMessage[] {
  const { opening, end, result } = fold
  return messages.flatMap((message, at) => {
    if (at === opening.message) return [withResult(message, opening.part, result)]
    const isInside = at > opening.message && at <= end.message
    return isInside && !isUser(message) ? [] : [message]
  })
}

/** A copy: opencode may store the objects that it hands out. */
function withResult(message: OpencodeMessage, at: number, output: string): OpencodeMessage {
  const parts = message.parts.map((part, index) => {
    const state = part["state"]
    const isRecordState = typeof state === "object" && state !== null
    return index === at && isRecordState ? { ...part, state: { ...state, output } } : part
  })
  return { ...message, parts }
}

/** Of our server, as opencode names them. */
const TOOLS = { open: "qm_branch", fold: "qm_return" } as const

export function hasBranch(messages: readonly OpencodeMessage[]): boolean {
  return messages.some(({ parts }) => parts.some((it) => toolPart(it)?.tool === TOOLS.open))
}

/** Only receipts in results of our own tools count, signed with our key, each branch once. */
function marksIn(
  messages: readonly OpencodeMessage[],
  kind: "open" | "fold",
  key: string,
): readonly Mark[] {
  const marks = messages.flatMap(({ parts }, message) =>
    parts.flatMap((it, part) => {
      const call = toolPart(it)
      if (call === undefined || !call.isDone || call.tool !== TOOLS[kind]) return []
      return receiptsIn(call.output, kind, key).map((branchId) => ({ branchId, message, part }))
    }),
  )
  return marks.filter(
    ({ branchId }, at) => marks.findIndex((it) => it.branchId === branchId) === at,
  )
}

function openBranches(messages: readonly OpencodeMessage[], key: string): readonly OpenBranch[] {
  return marksIn(messages, "open", key).map(({ branchId, message }) => {
    const after = messages.slice(message + 1).filter((it) => !isUser(it))
    return { branchId, bytesAfter: stepsOf(after).reduce((sum, it) => sum + it.text.length, 0) }
  })
}

function stepsOf(messages: readonly OpencodeMessage[]): readonly FoldedStep[] {
  const parts = messages.flatMap((it) => it.parts)
  return parts.flatMap((part): readonly FoldedStep[] => {
    const call = toolPart(part)
    if (call !== undefined) {
      const text = `${JSON.stringify(call.input)}\n${call.output}`
      return [{ tool: commonName(call.tool), text, tokens: tokensIn(text) }]
    }
    const text = part["type"] === "text" ? textOf(part["text"]) : ""
    return text === "" ? [] : [{ tool: null, text, tokens: tokensIn(text) }]
  })
}

/** An average of tool output; tables of weights would make the plugin a tenth larger. */
function tokensIn(text: string): number {
  return Math.ceil(text.length / 4)
}

/** Our tools as other hosts name them: `qm_search` is `mcp__qm__search`. */
export function commonName(tool: string): string {
  return tool.startsWith("qm_") ? `mcp__qm__${tool.slice("qm_".length)}` : tool
}
