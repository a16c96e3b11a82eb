import { deflateRawSync, inflateRawSync } from "node:zlib"
import { z } from "zod"
import { formatExact } from "#ground/base"
import { type Branch, BranchEndReason, BranchStatus, FoldMode, TrailEntry } from "#ground/contract"

/** Results beyond it are cut, and say so. Our own tools answer with far less. */
const LARGEST_KEPT_UNITS = 8_000_000

/** Below it, making a compressor costs more than the bytes it saves. */
const SHORTEST_COMPRESSED_BYTES = 1_000

/** A text that unpacks to more is none of ours. A sign of JSON has at most six characters. */
const LARGEST_UNPACKED_BYTES = LARGEST_KEPT_UNITS * 6 + 2

const PLAIN = 0
const COMPRESSED = 1

/**
 * As JSON, so that NUL and half a surrogate pair come back as they were, and compressed when it is
 * worth it. The first byte says whether it is.
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

/** What is kept of a text; done after scrubbing. */
export function shortenedText(text: string): string {
  if (text.length <= LARGEST_KEPT_UNITS) return text
  const left = formatExact(text.length - LARGEST_KEPT_UNITS)
  return `${text.slice(0, LARGEST_KEPT_UNITS)}\n[${left} characters more are not kept]`
}

/** A column of JSON. */
const json = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(schema)

/** What a client or a tool calls itself, and what a kept text is called. */
export const LONGEST_NAME_UNITS = 200

/**
 * A result of more than this stays under a handle. A page of code is about 500 tokens: a few pages
 * may enter a window of 8,192, and what is longer is looked at in slices.
 */
export const LARGEST_SHOWN_TOKENS = 2_000

/** Steps of one branch that are kept; a budget of 32,768 tokens has no room for more. */
export const MOST_TRAIL_STEPS = 2_000

/** Paths that a branch touched and that are kept. */
export const MOST_TOUCHED_PATHS = 500

export const MOST_PENDING = 20

/** How long a caller can read a result by its handle. */
export const HANDLE_LIFE_MS = 7 * 24 * 60 * 60 * 1_000

/** Finished for longer, a branch is archived. (spec/fold, exact surface) */
export const ARCHIVED_AFTER_MS = 60 * 60 * 1_000

const Texts = z.array(z.string())

/** What a branch was given when it was opened; it never changes. */
const Given = z.object({
  description: z.string(),
  prompt: z.string(),
  scope: Texts,
  client: z.string().nullable(),
  mode: FoldMode,
  timeoutSeconds: z.int(),
})
export type Given = z.infer<typeof Given>

/**
 * What became of a branch that was opened to be folded on the wire. Decided once, when it ends, and
 * kept: a repeated return says the same, and what was folded once stays folded.
 */
const Ending = z.object({
  mode: FoldMode,
  receipt: z.string().nullable(),
  note: z.string(),
})
export type Ending = z.infer<typeof Ending>

/** What it came to, as far as it is. */
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
  // Rows from before there was a gateway have neither.
  ending: Ending.nullable().default(null),
  isWireKept: z.boolean().default(false),
  foldedTokens: z.int().default(0),
  unfolded: FoldMode.nullable().default(null),
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
  foldedTokens: 0,
  unfolded: null,
}

const Flag = z.int().transform((it) => it === 1)

/** Who opened a branch, and so ends it when it goes. */
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
    owner: json(Owner),
    return_key: z.string().nullable(),
    given: json(Given),
    state: json(BranchState),
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

/** What takes its work out of the window: as it is by now, as it turned out, or as it was opened. */
export function modeNow({ given, state }: BranchRow): FoldMode {
  return state.unfolded ?? state.ending?.mode ?? given.mode
}

/** What a parent does not see. In a window of its own all but the result; else what lies here. */
export function tokensKeptOut(row: BranchRow): number {
  const mode = modeNow(row)
  switch (mode) {
    case "wire":
      // Until its return all of it is in the window; what was folded then, the gateway has counted.
      if (row.state.ending === null) return row.keptUnderHandles
      return Math.max(withoutResult(row), row.state.foldedTokens)
    case "sub-agent":
      return withoutResult(row)
    case "handle":
      return row.keptUnderHandles
    case "none":
      return 0
    default:
      return mode satisfies never
  }
}

function withoutResult({ budgetUsed, state }: BranchRow): number {
  return Math.max(0, budgetUsed - state.resultTokens)
}

/** A row as it leaves the room. */
export function branchOf(row: BranchRow, now: number): Branch {
  const { given, state, completedAt } = row
  const {
    endedChildren: _,
    ending: _ending,
    isWireKept: _kept,
    foldedTokens: _folded,
    unfolded: _unfolded,
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
    budgetUsed: row.budgetUsed,
    isLowerBound: !row.isMeteredByHost,
    deadlineAt: row.deadlineAt,
    status: row.status,
    endReason: row.endReason,
    isPartial: row.endReason !== null && row.endReason !== "returned",
    ...outcome,
    tokensKeptOut: tokensKeptOut(row),
    createdAt: row.createdAt,
    completedAt,
    isArchived: completedAt !== null && now - completedAt > ARCHIVED_AFTER_MS,
  }
}

export const TrailRow = z.object({ ...TrailEntry.shape, text: KeptText })

/** A step with the whole of its result, when that still lies here. */
export const WholeTrailRow = TrailRow.extend({ whole: KeptText.nullable() })
export type WholeTrailRow = z.infer<typeof WholeTrailRow>

export const HandleRow = z.object({
  handle: z.string(),
  label: z.string(),
  tokens: z.int(),
  text: KeptText,
})

export const ToolRow = z.object({ tool: z.string() })
export type ToolRow = z.infer<typeof ToolRow>
export const PlaceRow = z.object({ id: z.string(), parent: z.string().nullable() })
export const LiveRow = z.object({ in_session: z.int(), in_all: z.int() })
export const CountRow = z.object({ count: z.int() })
export const MomentRow = z.object({ at: z.int().nullable() })
export const IdRow = z.object({ id: z.string() })
