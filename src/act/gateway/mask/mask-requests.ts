import { hash } from "node:crypto"
import { formatExact, type Log } from "#ground/base"
import type { AutoFoldMode, MaskKind, WireMasks } from "#ground/contract"
import type { BodyReader } from "../fold/body-reader.ts"
import { turnOf } from "../fold/turns.ts"
import { newViolation, violationsOf } from "../fold/validity.ts"
import { type HostWindow, modelIn } from "../host-window.ts"
import { listOf, recordOf, textOf } from "../read/json.ts"
import type { ConversationKey, FoldOrder, MaskStore, StoredMask } from "../store/masks.ts"
import { type Candidate, callKey, canBeMasked, chooseMasks, labelOf } from "./choose-masks.ts"
import {
  bytesBetween,
  type Latch,
  type MaskedWire,
  type ReadBody,
  readBody,
} from "./conversation.ts"
import { type MaskPlan, planMasks } from "./mask-cost.ts"
import { type Changes, rebuildList } from "./rebuild.ts"

/** Bytes of JSON per token, before a provider reported its count. */
const USUAL_TOKENS_PER_BYTE = 0.3

/** Model turns within which a second look at a masked text counts against its kind. */
const SOON_TURNS = 20

/** In a tool loop a decision is repeated only after the window grew by this share. */
const GROWTH_BETWEEN_DECISIONS = 0.05

/** Of the fill at which the host compacts. */
const NEAR_COMPACTION = 0.9

const ASKS_FOR_SUMMARY = /summary of (?:the|this|our) conversation/i

export type KeptResult = {
  readonly label: string
  readonly text: string
  readonly tokens: number
}

type StoredResult = { readonly handle: string; readonly label: string }

export type MaskingDeps = {
  readonly wire: MaskedWire
  /** Knows the requests before; without it each body is parsed whole, with the same result. */
  readonly reader?: BodyReader
  readonly store: MaskStore
  readonly log: Log
  now(): number
  settings(): { readonly autoFold: AutoFoldMode; readonly autoFoldAt: number }
  window(model: string | undefined): HostWindow
  /** Stores texts under handles, in order, scrubbed. Undefined when that failed. */
  keepResults(
    session: string,
    results: readonly KeptResult[],
  ): Promise<readonly StoredResult[] | undefined>
}

/** The usage of an answered request. */
export type ObservedUsage = ConversationKey & {
  readonly tokens: number
  readonly bytes: number
  /** When the cached prefix expires; null if the request does not tell. */
  readonly expiresAt: number | null
  readonly lifetimeMs: number | null
}

type ConversationState = {
  readonly key: ConversationKey
  masks: ReadonlyMap<string, StoredMask>
  thinking: ReadonlySet<string>
  tokensPerByte: number
  expiresAt: number | null
  lifetimeMs: number | null
  decidedAtTokens: number
}

export type MaskOutcome = { readonly body: Buffer; readonly masked: WireMasks }

/**
 * Replaces tool results that are not needed any more. What was replaced once stays replaced in
 * every later request of the conversation (decision 0035).
 */
export function createMasking(deps: MaskingDeps) {
  const states = new Map<string, Promise<ConversationState> | ConversationState>()

  function stateOf(key: ConversationKey, body: Buffer) {
    const name = `${key.session}/${key.agent}`
    const opened = states.get(name)
    if (opened !== undefined) return opened
    const loading = load(key, body, deps).then((state) => {
      states.set(name, state)
      return state
    })
    loading.catch(() => states.delete(name))
    states.set(name, loading)
    return loading
  }

  return {
    /** Undefined when the request stays as it is. */
    apply(
      key: ConversationKey,
      body: Buffer,
    ): MaskOutcome | undefined | Promise<MaskOutcome | undefined> {
      const state = stateOf(key, body)
      const mayHaveOrders = key.agent === "" && seemsBetweenTurns(body, deps.wire)
      if (!(state instanceof Promise) && !mayHaveOrders)
        return maskRequest(state, { body, byHand: NO_MASKS }, deps)
      return Promise.resolve(state).then(async (it) => {
        const byHand = mayHaveOrders ? await foldOrders(it, body, deps) : NO_MASKS
        return maskRequest(it, { body, byHand }, deps)
      })
    },
    /** Masks that `on` would have made in a request, for a suggestion. */
    async suggest(key: ConversationKey, body: Buffer): Promise<MaskPlan | undefined> {
      if (deps.settings().autoFold !== "suggest") return undefined
      const state = await stateOf(key, body)
      return isFullEnough(state, body, deps) ? planFor(state, body, deps)?.plan : undefined
    },
    observe({ session, agent, tokens, bytes, expiresAt, lifetimeMs }: ObservedUsage): void {
      const state = states.get(`${session}/${agent}`)
      if (state === undefined || state instanceof Promise || bytes === 0) return
      state.tokensPerByte = tokens / bytes
      state.expiresAt = expiresAt
      state.lifetimeMs = lifetimeMs
    },
  }
}

export type Masking = ReturnType<typeof createMasking>

async function load(
  key: ConversationKey,
  body: Buffer,
  { store, wire, reader }: MaskingDeps,
): Promise<ConversationState> {
  const stored = await store.load(key)
  const isNew = stored.masks.length === 0
  const latch = isNew ? await store.inherit(key, callsIn(readBody(body, wire, reader))) : stored
  return {
    key,
    masks: new Map(latch.masks.map((it) => [it.callId, it])),
    thinking: new Set(latch.thinking),
    tokensPerByte: USUAL_TOKENS_PER_BYTE,
    expiresAt: null,
    lifetimeMs: null,
    decidedAtTokens: 0,
  }
}

function callsIn(read: ReadBody | string): readonly string[] {
  return typeof read === "string" ? [] : read.conversation.results.map((it) => it.callId)
}

function maskRequest(
  state: ConversationState,
  { body, byHand }: { readonly body: Buffer; readonly byHand: AddedMasks },
  deps: MaskingDeps,
): MaskOutcome | undefined | Promise<MaskOutcome | undefined> {
  const canDecide = deps.settings().autoFold === "on" && isFullEnough(state, body, deps)
  if (!canDecide) {
    if (state.masks.size === 0) return undefined
    const read = readBody(body, deps.wire, deps.reader)
    if (typeof read === "string") return undefined
    noteRereads(state, read, deps)
    return outcomeOf(state, read, byHand)
  }
  const planned = planFor(state, body, deps)
  const read = planned?.read ?? readBody(body, deps.wire, deps.reader)
  if (typeof read === "string") return undefined
  return planned === undefined
    ? outcomeOf(state, read, byHand)
    : latch(state, planned, deps).then((added) => outcomeOf(state, read, joined(byHand, added)))
}

function isFullEnough(
  { tokensPerByte, masks, decidedAtTokens }: ConversationState,
  body: Buffer,
  { settings, window, wire }: MaskingDeps,
): boolean {
  const tokens = body.length * tokensPerByte - sumTokens(masks.values())
  const size = window(modelIn(body)).tokens
  if (tokens < (size * settings().autoFoldAt) / 100) return false
  const isGrown = tokens >= decidedAtTokens + size * GROWTH_BETWEEN_DECISIONS
  return isGrown || seemsBetweenTurns(body, wire)
}

/** Without parsing: the last result comes before the last message of the user. */
function seemsBetweenTurns(body: Buffer, wire: MaskedWire): boolean {
  const result = wire === "anthropic" ? '"tool_result"' : '_call_output"'
  return body.lastIndexOf(result) < body.lastIndexOf('"role":"user"')
}

type PlannedMasks = {
  readonly read: ReadBody
  readonly plan: MaskPlan
  /** Of a person; it stays in place of the first result. */
  readonly summary?: string
}

/** New masks for a request, if any are allowed here and pay. */
function planFor(
  state: ConversationState,
  body: Buffer,
  deps: MaskingDeps,
): PlannedMasks | undefined {
  const read = readBody(body, deps.wire, deps.reader)
  if (typeof read === "string" || !isDecidable(state, read)) return undefined
  noteRereads(state, read, deps)
  const { conversation, spans } = read
  const tokensOf = (bytes: number): number => Math.round(bytes * state.tokensPerByte)
  const open = state.masks
  const allTokens = tokensOf(body.length) - sumTokens(open.values())
  state.decidedAtTokens = allTokens
  const candidates = allowedIn(state, read, chooseMasks(conversation, { stopped: stoppedIn(open) }))
  const { compactsAt } = deps.window(modelIn(body))
  const plan = planMasks({
    candidates,
    savedBy: ({ result }) => tokensOf(Math.max(0, result.text.length - USUAL_MASK_UNITS)),
    tokensFrom: (at) => tokensOf(bytesBetween(spans, at)),
    isCold: state.expiresAt !== null && deps.now() > state.expiresAt,
    isCompactionNear: allTokens >= compactsAt * NEAR_COMPACTION,
    compactsAt,
    modelTurns: conversation.modelTurns,
    lifetimeMs: state.lifetimeMs,
  })
  return plan === undefined || isInvalid(read, deps.wire, latchFor(state, read, plan))
    ? undefined
    : { read, plan }
}

const USUAL_MASK_UNITS = 200

function isDecidable({ key }: ConversationState, { conversation, elements }: ReadBody): boolean {
  // A fork and its parent share calls; only the main conversation decides.
  if (key.agent !== "" || !conversation.hasTools) return false
  return !ASKS_FOR_SUMMARY.test(JSON.stringify(elements.at(-1) ?? ""))
}

function stoppedIn(masks: ConversationState["masks"]): ReadonlySet<MaskKind> {
  const reread = [...masks.values()].filter((it) => it.reread !== null)
  return new Set(reread.map((it) => it.kind))
}

/** Inside a tool loop, only results that no signed thinking follows. */
function allowedIn(
  { masks }: ConversationState,
  { conversation }: ReadBody,
  candidates: readonly Candidate[],
): readonly Candidate[] {
  const { isBetweenTurns, thinking, isOnlyThinking } = conversation
  const last = thinking.at(-1)?.at ?? -1
  const emptied = thinking.findLast((it) => isOnlyThinking(it.at))?.at ?? -1
  const floor = isBetweenTurns ? emptied : last
  return candidates.filter(({ result }) => result.at > floor && !masks.has(result.callId))
}

/** The latch with the masks of a plan, before they have a text. */
function latchFor(state: ConversationState, { conversation }: ReadBody, plan: MaskPlan): Latch {
  const first = plan.candidates[0]?.result.at ?? Number.MAX_SAFE_INTEGER
  const removed = conversation.thinking.filter((it) => it.at > first).map((it) => it.key)
  const masks = new Map<string, { readonly text: string }>(state.masks)
  for (const { result } of plan.candidates) masks.set(result.callId, { text: "masked" })
  return {
    masks,
    thinking: new Set([...state.thinking, ...removed]),
  }
}

/** Whether a provider would refuse the masked request for its form. */
function isInvalid(read: ReadBody, wire: MaskedWire, masks: Latch): boolean {
  if (wire !== "anthropic") return false
  const changed = readBody(rebuilt(read, read.conversation.changesOf(masks)), wire)
  if (typeof changed === "string") return true
  const tools = new Set<unknown>(listOf(read.request["tools"]).map((it) => recordOf(it).name))
  const violationsIn = ({ elements }: ReadBody) => violationsOf(elements.map(turnOf), tools)
  return newViolation(violationsIn(read), violationsIn(changed)) !== undefined
}

function rebuilt({ body, spans }: ReadBody, changes: Changes): Buffer {
  return rebuildList(body, spans, changes)
}

/** The number of new masks; 0 when they could not be stored, then nothing is masked. */
async function latch(
  state: ConversationState,
  { read, plan, summary }: PlannedMasks,
  deps: MaskingDeps,
): Promise<AddedMasks> {
  const { candidates } = plan
  try {
    const tokensOf = (text: string): number =>
      Math.max(1, Math.round(Buffer.byteLength(text) * state.tokensPerByte))
    const results = candidates.map(({ result, label }) => ({
      label,
      text: result.text,
      tokens: tokensOf(result.text),
    }))
    const stored = await deps.keepResults(state.key.session, results)
    if (stored === undefined) return NO_MASKS
    const canRead = read.body.includes("read_handle")
    const masks = candidates.map((candidate, index): StoredMask => {
      const { result, kind } = candidate
      const { handle, label } = stored[index] ?? { handle: "", label: "" }
      const tokens = results[index]?.tokens ?? 0
      const way = canRead ? `read_handle with handle ${handle}` : "call the tool again"
      const text =
        summary === undefined
          ? maskText({ ...candidate, label, tokens, way })
          : handText({ label, way, summary: index === 0 ? summary : undefined })
      const { callId } = result
      const turn = read.conversation.modelTurns
      const own = { kind, label, handle, tokens, text, callId, turn, reread: null }
      return { ...own, at: deps.now(), callKey: callKey(result) }
    })
    const thinking = [...latchFor(state, read, plan).thinking]
    const added = thinking.filter((it) => !state.thinking.has(it))
    await deps.store.add(state.key, { masks, thinking: added })
    state.masks = new Map([...state.masks, ...masks.map((it) => [it.callId, it] as const)])
    state.thinking = new Set(thinking)
    state.decidedAtTokens -= plan.savedTokens
    return { count: masks.length, first: candidates[0]?.result.at }
  } catch (error) {
    deps.log.warn("could not mask results", { error })
    return NO_MASKS
  }
}

type AddedMasks = { readonly count: number; readonly first: number | undefined }

const NO_MASKS: AddedMasks = { count: 0, first: undefined }

function joined(a: AddedMasks, b: AddedMasks): AddedMasks {
  const firsts = [a.first, b.first].filter((it) => it !== undefined)
  return { count: a.count + b.count, first: firsts.length === 0 ? undefined : Math.min(...firsts) }
}

/** Applies what a person folded since the last prompt: the summary stays in place of the results. */
async function foldOrders(
  state: ConversationState,
  body: Buffer,
  deps: MaskingDeps,
): Promise<AddedMasks> {
  let added = NO_MASKS
  try {
    for (const order of await deps.store.orders(state.key.session)) {
      const read = readBody(body, deps.wire, deps.reader)
      if (typeof read === "string" || !read.conversation.isBetweenTurns) return added
      const plan = planOfOrder(state, read, order)
      const isRefused = isInvalid(read, deps.wire, latchFor(state, read, plan))
      const hasResults = plan.candidates.length > 0 && !isRefused
      const { summary } = order
      const own = hasResults ? await latch(state, { read, plan, summary }, deps) : NO_MASKS
      // It could not be stored; it is tried again at the next prompt.
      if (hasResults && own.count === 0) return added
      added = joined(added, own)
      await deps.store.deleteOrder(order.id)
    }
  } catch (error) {
    deps.log.warn("could not fold what a person selected", { error })
  }
  return added
}

function planOfOrder(state: ConversationState, read: ReadBody, order: FoldOrder): MaskPlan {
  const hashes = new Set(order.hashes)
  const candidates = read.conversation.results
    .filter((it) => canBeMasked(it) && hashes.has(hash("sha256", it.text)))
    .map((result) => ({ result, kind: "hand" as const, label: labelOf(result), reason: "" }))
  const allowed = allowedIn(state, read, candidates)
  return { candidates: allowed, savedTokens: 0, rewrittenTokens: 0 }
}

type MaskTextInput = Pick<Candidate, "label" | "reason"> & {
  readonly tokens: number
  readonly way: string
}

function maskText({ label, reason, tokens, way }: MaskTextInput): string {
  return `[Removed by qm: ${label}, ${formatExact(tokens)} tokens; ${reason}. To see it: ${way}.]`
}

type HandTextInput = {
  readonly label: string
  readonly way: string
  readonly summary: string | undefined
}

function handText({ label, way, summary }: HandTextInput): string {
  const rest = `Removed by qm: ${label}. To see it: ${way}.`
  return summary === undefined
    ? `[Folded by the user into the summary above. ${rest}]`
    : `Summary of this and the following results, written by the user:\n${summary}\n[${rest}]`
}

function outcomeOf(
  state: ConversationState,
  read: ReadBody,
  { count, first }: AddedMasks,
): MaskOutcome | undefined {
  const { conversation, body } = read
  const changes = conversation.changesOf(state)
  if (changes.size === 0) return undefined
  const pinned = first === undefined ? changes : conversation.pinBefore(first, changes)
  const masked = rebuilt(read, pinned)
  const bytes = Math.max(0, body.length - masked.length)
  const present = conversation.results.filter((it) => state.masks.has(it.callId)).length
  const tokens = Math.round(bytes * state.tokensPerByte)
  return { body: masked, masked: { results: present, bytes, tokens, added: count } }
}

function sumTokens(masks: Iterable<StoredMask>): number {
  return [...masks].reduce((sum, it) => sum + it.tokens, 0)
}

/** Of the other kinds a newer result is in the window, so the same call again has other reasons. */
const HAS_NO_COPY: ReadonlySet<MaskKind> = new Set(["hand", "oversize"])

/** A masked text that the agent gets again soon counts against its kind. */
function noteRereads(
  state: ConversationState,
  { conversation }: ReadBody,
  deps: MaskingDeps,
): void {
  const open = [...state.masks.values()].filter((it) => it.reread === null)
  if (open.length === 0) return
  const oldest = Math.min(...open.map((it) => it.turn))
  const later = conversation.results.filter((it) => it.turn > oldest)
  for (const mask of open) {
    const again = later.find(({ turn, tool, input, callId }) => {
      const isSoon = turn > mask.turn && turn <= mask.turn + SOON_TURNS
      if (!isSoon || state.masks.has(callId)) return false
      const isHandle = tool.endsWith("read_handle") && textOf(input["handle"]) === mask.handle
      const isRepeated = HAS_NO_COPY.has(mask.kind) && callKey({ tool, input }) === mask.callKey
      return isHandle || isRepeated
    })
    if (again === undefined) continue
    const turns = again.turn - mask.turn
    state.masks = new Map([...state.masks, [mask.callId, { ...mask, reread: turns }]])
    deps.store.noteReread(state.key, mask.callId, turns).catch((error: unknown) => {
      deps.log.warn("could not store that a masked result was read again", { error })
    })
  }
}
