import { isUtf8 } from "node:buffer"
import { isRecord, parseJson } from "#ground/base"
import { listOf } from "../read/json.ts"
import { type Edits, edited, elementSpans, type Span, splice } from "./body-splice.ts"
import { readItems } from "./items.ts"
import { readMessages } from "./messages.ts"
import {
  type Conversation,
  type Fold,
  type FoldGroup,
  foldsIn,
  groupsOf,
  isInRegion,
  openingsIn,
  type Settled,
  settle,
} from "./select.ts"

/** A larger body is not read at all: JSON of this size takes seconds. Providers refuse at 32 MB. */
const LARGEST_FOLDED_BODY_BYTES = 64 * 1024 * 1024

type FoldOptions = {
  readonly wire: "anthropic" | "openai"
  /** By which our own receipts are known. */
  readonly key: string
}

export type FoldedBranch = {
  readonly branchId: string
  /** Of the messages that left because of it, and not already because of one inside it. */
  readonly bytes: number
  /** The messages that left, those of branches inside it among them. */
  readonly removed: readonly unknown[]
}

type FoldOutcome =
  /** `why` is null when there is nothing to fold. */
  | { readonly kind: "whole"; readonly why: string | null }
  | {
      readonly kind: "folded"
      readonly body: Buffer
      readonly branches: readonly FoldedBranch[]
      /** Of the same body, which is not read again for it. */
      state(): WireState
    }

/** As every receipt of a fold begins: most bodies have none, and are not read. */
const FOLD_RECEIPT = "qm-fold:br_"

/**
 * Takes the turns of returned branches out of a request. A pure function of its bytes: the receipts
 * in the transcript say what is folded, so the same conversation is folded the same way for ever.
 * Every doubt leaves the body as it is.
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

/** A branch that is open on a wire, and how much was said since. */
type OnWire = { readonly branchId: string; readonly bytesAfter: number }

/** What stands open on a wire and could be folded if it returned now. */
export type WireState = {
  readonly branches: readonly OnWire[]
  /** Why nothing of this conversation can be folded; null when it can. */
  readonly doubt: string | null
}

export function wireStateOf(body: Buffer, options: FoldOptions): WireState {
  return stateOf(() => readBody(body, options), options)
}

function stateOf(readIt: () => Read | string, { key }: FoldOptions): WireState {
  try {
    const read = readIt()
    if (typeof read === "string") return { branches: [], doubt: read }
    return { branches: openIn(read, key), doubt: null }
  } catch (error) {
    return { branches: [], doubt: unforeseen(error) }
  }
}

function openIn(read: Read, key: string): readonly OnWire[] {
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

type Read = {
  readonly elements: readonly unknown[]
  readonly spans: readonly Span[]
  readonly conversation: Conversation
}

function readBody(body: Buffer, { wire }: FoldOptions): Read | string {
  if (body.length > LARGEST_FOLDED_BODY_BYTES) return "it is too large to be read"
  const request = isUtf8(body) ? parseJson(body.toString("utf8")) : undefined
  if (!isRecord(request)) return "it is no JSON object"
  const name = wire === "anthropic" ? "messages" : "input"
  const elements = listOf(request[name])
  const spans = elementSpans(body, name)
  if (spans === undefined || spans.length !== elements.length) {
    return `its ${name} are not one list, or it has a field twice`
  }
  const read = wire === "anthropic" ? readMessages : readItems
  const conversation = read(request, spans)
  return typeof conversation === "string" ? conversation : { elements, spans, conversation }
}

function settledIn(read: Read, key: string): Settled {
  const { calls, bytesOf, doubtOf } = read.conversation
  return settle(foldsIn(calls, key), (fold, settled) => {
    if (bytesOf(fold) < LEAST_FOLDED_BYTES) return "there is too little to fold"
    const beside = settled.filter((it) => it.start === fold.start)
    return doubtOf(fold) ?? faultOf(read, { ...fold, folds: [...beside, fold] })
  })
}

/**
 * What a provider would refuse because of this fold. Looked for where the fold is made and nowhere
 * else: nothing that comes later may undo it.
 */
function faultOf({ elements, conversation }: Read, group: FoldGroup): string | null {
  const from = Math.max(0, group.start - 1)
  const before = elements.slice(0, group.end + 1)
  const after = edited(before, conversation.editsOf([group]))
  const violation = conversation.violationIn(before.slice(from), after.slice(from))
  return violation === undefined ? null : `folded it would not be valid: ${violation}`
}

function branchesOf(
  { elements, spans }: Read,
  folds: readonly Fold[],
  gone: Edits["gone"],
): readonly FoldedBranch[] {
  // Folds come in the order of their returns, so what lies inside another is counted before it.
  const counted = new Set<number>()
  return folds.map((fold) => {
    const places = [...gone].filter((it) => isInRegion(fold, it))
    const own = places.filter((it) => !counted.has(it))
    for (const place of own) counted.add(place)
    const bytes = own.reduce((sum, it) => sum + bytesAt(spans, it), 0)
    return { branchId: fold.branchId, bytes, removed: places.map((it) => elements[it]) }
  })
}

function bytesAt(spans: readonly Span[], place: number): number {
  const span = spans[place]
  return span === undefined ? 0 : span.to - span.from + 1
}

function whole(why: string | null): FoldOutcome {
  return { kind: "whole", why }
}

function unforeseen(error: unknown): string {
  return `it could not be read: ${error instanceof Error ? error.message : String(error)}`
}

/** Below it a fold saves less than it costs to explain. (facts/gateway h) */
export const LEAST_FOLDED_BYTES = 2_048
