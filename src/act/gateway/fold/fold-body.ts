import { type BodyReader, listName, readElements } from "./body-reader.ts"
import { type Edits, edited, type Span, splice } from "./body-splice.ts"
import { readItems } from "./items.ts"
import { readMessages } from "./messages.ts"
import {
  type Conversation,
  type Fold,
  type FoldGroup,
  type FoldSelection,
  foldsIn,
  groupsOf,
  isInRegion,
  openingsIn,
  settle,
} from "./select.ts"

type FoldOptions = {
  readonly wire: "anthropic" | "openai"
  readonly key: string
  /** Knows the requests before; without it the whole body is parsed, with the same result. */
  readonly reader?: BodyReader
}

export type FoldedBranch = {
  readonly branchId: string
  readonly bytes: number
  readonly removed: readonly unknown[]
}

type FoldOutcome =
  /** `why` is null when there is nothing to fold. */
  | { readonly kind: "whole"; readonly why: string | null }
  | {
      readonly kind: "folded"
      readonly body: Buffer
      readonly branches: readonly FoldedBranch[]
      state(): WireState
    }

/** Most bodies have none, and are not parsed. */
const FOLD_RECEIPT = "qm-fold:br_"

/**
 * Removes the turns of returned branches from a request. Pure: the receipts in the transcript
 * decide, so the same conversation is always folded the same way. Every doubt leaves the body
 * unchanged.
 */
export function foldBody(body: Buffer, options: FoldOptions): FoldOutcome {
  if (!body.includes(FOLD_RECEIPT)) return whole(null)
  try {
    return folded(body, options)
  } catch (error) {
    return whole(unforeseen(error))
  }
}

function folded(body: Buffer, options: FoldOptions): FoldOutcome {
  const read = readBody(body, options)
  if (typeof read === "string") return whole(read)
  const { folds, refused } = settledIn(read, options.key)
  if (folds.length === 0) return whole(refused[0]?.why ?? null)
  const edits = read.conversation.editsOf(groupsOf(folds))
  const branches = branchesOf(read, folds, edits.gone)
  const state = () => stateOf(() => read, options)
  return { kind: "folded", body: splice(body, read.spans, edits), branches, state }
}

type OnWire = { readonly branchId: string; readonly bytesAfter: number }

export type WireState = {
  readonly branches: readonly OnWire[]
  /** Why nothing of this conversation can be folded; null when it can. */
  readonly doubt: string | null
}

export function wireStateOf(body: Buffer, options: FoldOptions): WireState {
  return stateOf(() => readBody(body, options), options)
}

function stateOf(readIt: () => ParsedBody | string, { key }: FoldOptions): WireState {
  try {
    const read = readIt()
    if (typeof read === "string") return { branches: [], doubt: read }
    return { branches: openIn(read, key), doubt: null }
  } catch (error) {
    return { branches: [], doubt: unforeseen(error) }
  }
}

function openIn(read: ParsedBody, key: string): readonly OnWire[] {
  const { conversation, elements } = read
  const { calls } = conversation
  const { folds } = settledIn(read, key)
  const closed = new Set(foldsIn(calls, key).map((it) => it.branchId))
  const open = openingsIn(calls, key).filter(
    ({ branchId, start }) => !closed.has(branchId) && !folds.some((it) => isInRegion(it, start)),
  )
  return open.flatMap(({ branchId, start }) => {
    const rest = { start, end: elements.length - 1 }
    const isCertain = conversation.doubtOf(rest) === null
    return isCertain ? [{ branchId, bytesAfter: conversation.bytesOf(rest) }] : []
  })
}

type ParsedBody = {
  readonly elements: readonly unknown[]
  readonly spans: readonly Span[]
  readonly conversation: Conversation
}

function readBody(body: Buffer, { wire, reader }: FoldOptions): ParsedBody | string {
  const parsed = reader?.read(body) ?? readElements(body, listName(wire))
  if (typeof parsed === "string") return parsed
  const { request, elements, spans } = parsed
  const read = wire === "anthropic" ? readMessages : readItems
  const conversation = read(request, spans)
  return typeof conversation === "string" ? conversation : { elements, spans, conversation }
}

function settledIn(read: ParsedBody, key: string): FoldSelection {
  const { calls, bytesOf, doubtOf } = read.conversation
  return settle(foldsIn(calls, key), (fold, settled) => {
    if (bytesOf(fold) < LEAST_FOLDED_BYTES) return "there is too little to fold"
    const beside = settled.filter((it) => it.start === fold.start)
    return doubtOf(fold) ?? faultOf(read, { ...fold, folds: [...beside, fold] })
  })
}

/**
 * Whether a provider would refuse this fold. Checked only where the fold is made: nothing that
 * comes later may undo it.
 */
function faultOf({ elements, conversation }: ParsedBody, group: FoldGroup): string | null {
  const from = Math.max(0, group.start - 1)
  const before = elements.slice(0, group.end + 1)
  const after = edited(before, conversation.editsOf([group]))
  const violation = conversation.violationIn(before.slice(from), after.slice(from))
  return violation === undefined ? null : `the folded request would be invalid: ${violation}`
}

function branchesOf(
  { elements, spans }: ParsedBody,
  folds: readonly Fold[],
  gone: Edits["gone"],
): readonly FoldedBranch[] {
  // In order of their returns, so inner branches are counted first.
  const counted = new Set<number>()
  return folds.map((fold) => {
    const places = [...gone].filter((it) => isInRegion(fold, it))
    const own = places.filter((it) => !counted.has(it))
    for (const index of own) counted.add(index)
    const bytes = own.reduce((sum, it) => sum + bytesAt(spans, it), 0)
    return { branchId: fold.branchId, bytes, removed: places.map((it) => elements[it]) }
  })
}

function bytesAt(spans: readonly Span[], index: number): number {
  const span = spans[index]
  return span === undefined ? 0 : span.to - span.from + 1
}

function whole(why: string | null): FoldOutcome {
  return { kind: "whole", why }
}

function unforeseen(error: unknown): string {
  return `the body could not be read: ${error instanceof Error ? error.message : String(error)}`
}

/** A smaller fold saves less than it costs to explain. */
export const LEAST_FOLDED_BYTES = 2_048
