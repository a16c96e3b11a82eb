import { deflateRawSync, inflateRawSync } from "node:zlib"
import { z } from "zod"
import { formatExact, sliceText } from "#ground/base"
import {
  type Branch,
  BranchCharges,
  BranchEndReason,
  BranchStatus,
  FoldMode,
  TrailEntry,
} from "#ground/contract"
import { jsonColumn } from "#ground/store"

/** Longer results are truncated and say so. */
const LARGEST_KEPT_UNITS = 8_000_000

/** Below it, compression costs more than it saves. */
const SHORTEST_COMPRESSED_BYTES = 1_000

/** JSON escapes a character in at most six bytes. */
const LARGEST_UNPACKED_BYTES = LARGEST_KEPT_UNITS * 6 + 2

const PLAIN = 0
const COMPRESSED = 1

/**
 * As JSON, so that NUL and lone surrogates survive; compressed when long. The first byte tells
 * which.
 */
export function packText(text: string): Uint8Array {
  const bytes = Buffer.from(JSON.stringify(text))
  if (bytes.length < SHORTEST_COMPRESSED_BYTES) return Uint8Array.from([PLAIN, ...bytes])
  const compressed = deflateRawSync(bytes, { level: 1 })
  const packed = new Uint8Array(compressed.length + 1)
  packed[0] = COMPRESSED
  packed.set(compressed, 1)
  return packed
}

const KeptText = z
  .instanceof(Uint8Array)
  .transform((packed): unknown => {
    const bytes = packed.subarray(1)
    if (packed[0] === PLAIN) return JSON.parse(Buffer.from(bytes).toString("utf8"))
    const limit = { maxOutputLength: LARGEST_UNPACKED_BYTES }
    return JSON.parse(inflateRawSync(bytes, limit).toString("utf8"))
  })
  .pipe(z.string())

export function shortenedText(text: string): string {
  if (text.length <= LARGEST_KEPT_UNITS) return text
  const left = formatExact(text.length - LARGEST_KEPT_UNITS)
  return `${sliceText(text, LARGEST_KEPT_UNITS)}\n[${left} more characters are not stored]`
}

export const LONGEST_NAME_UNITS = 200

/**
 * Larger results stay under a handle: a page of code has about 500 tokens, and a few pages fit a
 * branch.
 */
export const LARGEST_SHOWN_TOKENS = 2_000

export const MOST_TRAIL_STEPS = 2_000

export const MOST_TOUCHED_PATHS = 500

export const MOST_PENDING = 20

export const HANDLE_LIFE_MS = 7 * 24 * 60 * 60 * 1_000

export const ARCHIVED_AFTER_MS = 60 * 60 * 1_000

const Texts = z.array(z.string())

const BranchInput = z.object({
  description: z.string(),
  prompt: z.string(),
  scope: Texts,
  client: z.string().nullable(),
  mode: FoldMode,
  timeoutSeconds: z.int(),
})
export type BranchInput = z.infer<typeof BranchInput>

/**
 * Decided once, when a branch that was opened for the wire ends: a repeated return gives the same
 * answer.
 */
const Ending = z.object({
  mode: FoldMode,
  receipt: z.string().nullable(),
  note: z.string(),
})
export type BranchEnding = z.infer<typeof Ending>

/** Notices about the budget that an agent has seen; the later one includes the earlier. */
export const BranchNotice = z.enum(["warned", "exhausted"])
export type BranchNotice = z.infer<typeof BranchNotice>

const BranchState = z.object({
  progress: z.string().nullable(),
  touchedPaths: Texts,
  injectedMemoryIds: Texts,
  result: z.string().nullable(),
  resultTokens: z.int(),
  error: z.string().nullable(),
  evidence: Texts,
  files: Texts,
  openQuestions: Texts,
  outOfScope: Texts,
  distillation: z.enum(["asked", "done"]).nullable(),
  redactions: z.int(),
  endedChildren: Texts,
  // Missing in rows from before the gateway.
  ending: Ending.nullable().default(null),
  isWireKept: z.boolean().default(false),
  // Missing in rows from before the ledger of charges.
  exhaustedAt: z.int().nullable().default(null),
  told: BranchNotice.nullable().default(null),
  /** The figures of the answer to `return`, which a later count does not change. */
  usedAtReturn: z.object({ tokens: z.int(), isLowerBound: z.boolean() }).nullable().default(null),
  unfolded: FoldMode.nullable().default(null),
  /**
   * The provider's count includes all work after `from` and up to `until`; work before it was only
   * estimated.
   */
  counted: z.object({ from: z.int(), until: z.int() }).nullable().default(null),
})
export type BranchState = z.infer<typeof BranchState>

export const NEW_STATE: BranchState = {
  progress: null,
  touchedPaths: [],
  injectedMemoryIds: [],
  result: null,
  resultTokens: 0,
  error: null,
  evidence: [],
  files: [],
  openQuestions: [],
  outOfScope: [],
  distillation: null,
  redactions: 0,
  endedChildren: [],
  ending: null,
  isWireKept: false,
  exhaustedAt: null,
  told: null,
  usedAtReturn: null,
  unfolded: null,
  counted: null,
}

const Flag = z.int().transform((it) => it === 1)

export const Owner = z.object({
  pid: z.int(),
  startedAt: z.string(),
  machine: z.string(),
  instance: z.string(),
})
export type Owner = z.infer<typeof Owner>

export const BranchRow = z
  .object({
    id: z.string(),
    principal: z.string(),
    session: z.string(),
    parent: z.string().nullable(),
    depth: z.int(),
    children: z.int(),
    status: BranchStatus,
    end_reason: BranchEndReason.nullable(),
    budget_total: z.int(),
    budget_used: z.int(),
    kept_under_handles: z.int(),
    is_warned: Flag,
    is_metered_by_host: Flag,
    steps: z.int(),
    deadline_at: z.int(),
    created_at: z.int(),
    completed_at: z.int().nullable(),
    owner: jsonColumn(Owner),
    return_key: z.string().nullable(),
    given: jsonColumn(BranchInput),
    state: jsonColumn(BranchState),
  })
  .transform(({ end_reason, budget_total, budget_used, ...row }) => ({
    id: row.id,
    principal: row.principal,
    session: row.session,
    parent: row.parent,
    depth: row.depth,
    children: row.children,
    status: row.status,
    endReason: end_reason,
    budgetTotal: budget_total,
    budgetUsed: budget_used,
    keptUnderHandles: row.kept_under_handles,
    isWarned: row.is_warned,
    isMeteredByHost: row.is_metered_by_host,
    steps: row.steps,
    deadlineAt: row.deadline_at,
    createdAt: row.created_at,
    completedAt: row.completed_at,
    owner: row.owner,
    returnKey: row.return_key,
    given: row.given,
    state: row.state,
  }))
export type BranchRow = z.infer<typeof BranchRow>

export function isLive(row: Pick<BranchRow, "status">): boolean {
  return row.status === "created" || row.status === "active"
}

/** The current mode, the realised one, or the one it was opened with. */
export function modeNow({ given, state }: BranchRow): FoldMode {
  return state.unfolded ?? state.ending?.mode ?? given.mode
}

export type BranchFigures = Pick<Branch, "budgetUsed" | "tokensInWindow" | "tokensKeptOut">

/**
 * All figures of a branch, from the sums of its ledger. Together, `tokensInWindow` and
 * `tokensKeptOut` are what its work would take in the parent's window without folding.
 */
export function figuresOf(row: BranchRow): BranchFigures {
  const { budgetUsed, keptUnderHandles, state } = row
  const inWindow = isAway(row) ? state.resultTokens : budgetUsed
  const whole = Math.max(budgetUsed + keptUnderHandles, inWindow)
  return { budgetUsed, tokensInWindow: inWindow, tokensKeptOut: whole - inWindow }
}

/** Its work is in another window, or was taken out of this one: only its result is here. */
function isAway(row: BranchRow): boolean {
  const mode = modeNow(row)
  // Until its return all of it is in the window.
  return mode === "sub-agent" || (mode === "wire" && row.state.ending !== null)
}

export function branchOf(row: BranchRow, now: number, charges: readonly BranchCharges[]): Branch {
  const { given, state, completedAt } = row
  const {
    endedChildren: _,
    ending: _ending,
    isWireKept: _kept,
    unfolded: _unfolded,
    exhaustedAt,
    told: _told,
    usedAtReturn: _used,
    counted: _counted,
    ...outcome
  } = state
  return {
    id: row.id,
    sessionId: row.session,
    parentId: row.parent,
    depth: row.depth,
    children: row.children,
    ...given,
    mode: modeNow(row),
    budgetTotal: row.budgetTotal,
    ...figuresOf(row),
    charges: [...charges],
    isExhausted: exhaustedAt !== null,
    isLowerBound: !row.isMeteredByHost,
    deadlineAt: row.deadlineAt,
    status: row.status,
    endReason: row.endReason,
    isPartial: row.endReason !== null && row.status !== "completed",
    ...outcome,
    createdAt: row.createdAt,
    completedAt,
    isArchived: completedAt !== null && now - completedAt > ARCHIVED_AFTER_MS,
  }
}

export const TrailRow = z.object({ ...TrailEntry.shape, text: KeptText })

export const WholeTrailRow = TrailRow.extend({ whole: KeptText.nullable() })
export type WholeTrailRow = z.infer<typeof WholeTrailRow>

export const HandleRow = z.object({
  handle: z.string(),
  label: z.string(),
  tokens: z.int(),
  text: KeptText,
})

export const ChargesRow = BranchCharges.extend({ branch: z.string() })
export type ChargesRow = z.infer<typeof ChargesRow>
export const SumRow = z.object({ tokens: z.int() })
export const ToolRow = z.object({ tool: z.string() })
export type ToolRow = z.infer<typeof ToolRow>
export const PlaceRow = z.object({ id: z.string(), parent: z.string().nullable() })
export const LiveRow = z.object({ in_session: z.int(), in_all: z.int() })
export const CountRow = z.object({ count: z.int() })
export const MomentRow = z.object({ at: z.int().nullable() })
export const IdRow = z.object({ id: z.string() })
