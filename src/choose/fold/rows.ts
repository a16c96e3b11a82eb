import { z } from "zod"
import { type Branch, BranchEndReason, BranchStatus, FoldMode, TrailEntry } from "#ground/contract"
import { json, KeptText } from "./kept-text.ts"
import { ARCHIVED_AFTER_MS } from "./limits.ts"

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
