import type { BranchEndReason, BranchStatus, ChargeSource, TrailEntry } from "#ground/contract"
import { join, type Sql, sql } from "#ground/store"
import { type BranchInput, type BranchState, type Owner, packText } from "./rows.ts"

/** The owner of a branch; every query of an agent has it. */
export type BranchOwner = {
  readonly root: string
  readonly principal: string
  readonly session: string
}

const ROW = sql`b.*, (SELECT count(*) FROM fold_branches c WHERE c.parent = b.id) AS children`
const LIVE = sql`('created', 'active')`

const among = (ids: readonly string[]): Sql => sql`(${join(ids.map((it) => sql`${it}`))})`

const bound = ({ root, principal, session }: BranchOwner): Sql => sql`
  b.root = ${root} AND b.session = ${session} AND b.principal = ${principal}`

export const selectBound = (id: string, who: BranchOwner): Sql => sql`
  SELECT ${ROW} FROM fold_branches b WHERE b.id = ${id} AND ${bound(who)}`

export const selectByKey = (key: string, who: BranchOwner): Sql => sql`
  SELECT ${ROW} FROM fold_branches b WHERE ${bound(who)} AND b.return_key = ${key}
  ORDER BY b.completed_at DESC LIMIT 1`

/** A session works in its newest active branch; of the same moment, in the deepest. */
export const selectActive = (who: BranchOwner, limit: number): Sql => sql`
  SELECT ${ROW} FROM fold_branches b WHERE ${bound(who)} AND b.status = 'active'
  ORDER BY b.created_at DESC, b.depth DESC, b.id DESC LIMIT ${limit}`

export const selectLiveOfSession = (root: string, session: string): Sql => sql`
  SELECT ${ROW} FROM fold_branches b
  WHERE b.root = ${root} AND b.session = ${session} AND b.status IN ${LIVE}
  ORDER BY b.depth DESC, b.created_at DESC, b.id`

export const selectLive = (root: string): Sql => sql`
  SELECT ${ROW} FROM fold_branches b WHERE b.root = ${root} AND b.status IN ${LIVE}
  ORDER BY b.depth DESC, b.created_at DESC, b.id`

/** Of all worktrees: they share the spool. */
export const selectLiveSessions = (): Sql => sql`
  SELECT DISTINCT session FROM fold_branches WHERE status IN ${LIVE}`

export const selectLiveChildren = (ids: readonly string[]): Sql => sql`
  SELECT ${ROW} FROM fold_branches b
  WHERE b.parent IN (${join(ids.map((it) => sql`${it}`))}) AND b.status IN ${LIVE}
  ORDER BY b.created_at DESC, b.id`

type Overdue = { readonly root: string; readonly now: number; readonly limit: number }

/** By deadline, so that the result does not depend on when the check runs. */
export const selectOverdue = ({ root, now, limit }: Overdue): Sql => sql`
  SELECT ${ROW} FROM fold_branches b
  WHERE b.root = ${root} AND b.status IN ${LIVE} AND b.deadline_at <= ${now}
  ORDER BY b.deadline_at, b.depth DESC, b.id LIMIT ${limit}`

export const selectNearestDeadline = (root: string): Sql => sql`
  SELECT min(deadline_at) AS at FROM fold_branches WHERE root = ${root} AND status IN ${LIVE}`

export const countLive = (who: BranchOwner): Sql => sql`
  SELECT
    (SELECT count(*) FROM fold_branches b WHERE ${bound(who)} AND b.status IN ${LIVE})
      AS in_session,
    (SELECT count(*) FROM fold_branches a WHERE a.root = ${who.root} AND a.status IN ${LIVE})
      AS in_all`

export const selectNearestOfSession = (who: BranchOwner): Sql => sql`
  SELECT min(b.deadline_at) AS at FROM fold_branches b
  WHERE ${bound(who)} AND b.status IN ${LIVE}`

type Rate = { readonly now: number; readonly windowMs: number; readonly limit: number }

/**
 * When the branch was opened that fills the rate limit. Branches from the future, after the clock
 * was set back, do not count.
 */
export const selectRateFiller = (who: BranchOwner, { now, windowMs, limit }: Rate): Sql => sql`
  SELECT b.created_at AS at FROM fold_branches b
  WHERE ${bound(who)} AND b.created_at > ${now - windowMs} AND b.created_at < ${now + windowMs}
  ORDER BY b.created_at DESC LIMIT 1 OFFSET ${limit - 1}`

export type NewBranch = BranchOwner & {
  readonly id: string
  readonly parent: string | null
  readonly depth: number
  readonly status: "created" | "active"
  readonly budgetTotal: number
  readonly deadlineAt: number
  readonly createdAt: number
  readonly owner: Owner
  readonly given: BranchInput
  readonly state: BranchState
}

export const insertBranch = (it: NewBranch): Sql => sql`
  INSERT INTO fold_branches (id, root, principal, session, parent, depth, status, end_reason,
    budget_total, budget_used, kept_under_handles, is_warned, is_metered_by_host, is_told, steps,
    deadline_at, created_at, completed_at, owner, return_key, given, state)
  VALUES (${it.id}, ${it.root}, ${it.principal}, ${it.session}, ${it.parent}, ${it.depth},
    ${it.status}, NULL, ${it.budgetTotal}, 0, 0, 0, 0, 1, 1, ${it.deadlineAt}, ${it.createdAt},
    NULL, ${JSON.stringify(it.owner)}, NULL, ${JSON.stringify(it.given)},
    ${JSON.stringify(it.state)})`

export const activate = (id: string, state: BranchState): Sql => sql`
  UPDATE fold_branches SET status = 'active', state = ${JSON.stringify(state)}
  WHERE id = ${id} AND status = 'created'`

export const setState = (id: string, state: BranchState): Sql => sql`
  UPDATE fold_branches SET state = ${JSON.stringify(state)} WHERE id = ${id}`

export const setDeadline = (id: string, at: number): Sql => sql`
  UPDATE fold_branches SET deadline_at = ${at} WHERE id = ${id}`

type SpendUpdate = {
  readonly id: string
  readonly tokens: number
  readonly withheld: number
  readonly isWarned: boolean
  readonly isByHost: boolean
  readonly isRefusable: boolean
}

/** All or nothing: concurrent charges that can be refused never exceed the total together. */
export const spend = (it: SpendUpdate): Sql => sql`
  UPDATE fold_branches SET budget_used = budget_used + ${it.tokens},
    kept_under_handles = kept_under_handles + ${it.withheld},
    is_warned = CASE WHEN ${it.isWarned ? 1 : 0} = 1 THEN 1 ELSE is_warned END,
    is_metered_by_host = CASE WHEN ${it.isByHost ? 1 : 0} = 1 THEN 1 ELSE is_metered_by_host END
  WHERE id = ${it.id}
    AND (${it.isRefusable ? 0 : 1} = 1 OR budget_used + ${it.tokens} <= budget_total)`

export type NewCharge = {
  readonly branch: string
  readonly at: number
  readonly source: ChargeSource
  readonly tool: string | null
  readonly tokens: number
  readonly withheld: number
  /** Not an estimate that the provider's own count will replace. */
  readonly isSettled: boolean
}

export const insertCharge = (it: NewCharge): Sql => sql`
  INSERT INTO fold_charges (branch, seq, at, source, tool, tokens, withheld, is_settled)
  SELECT ${it.branch}, coalesce(max(seq), 0) + 1, ${it.at}, ${it.source}, ${it.tool},
    ${it.tokens}, ${it.withheld}, ${it.isSettled ? 1 : 0}
  FROM fold_charges WHERE branch = ${it.branch}`

const sum = (column: Sql): Sql => sql`CAST(coalesce(sum(${column}), 0) AS BIGINT)`

export const sumCharges = (ids: readonly string[]): Sql => sql`
  SELECT branch, source, count(*) AS charges, ${sum(sql`tokens`)} AS tokens
  FROM fold_charges WHERE branch IN ${among(ids)} GROUP BY branch, source`

/** Estimates of work that a request of this moment has sent to the provider. */
export const sumUnsettled = (branch: string, until: number): Sql => sql`
  SELECT ${sum(sql`tokens`)} AS tokens FROM fold_charges
  WHERE branch = ${branch} AND is_settled = 0 AND at <= ${until}`

export const settleCharges = (branch: string, until: number): Sql => sql`
  UPDATE fold_charges SET is_settled = 1
  WHERE branch = ${branch} AND is_settled = 0 AND at <= ${until}`

/** The branch that a session worked in at a moment, open or ended since. */
export const selectWorkedIn = (root: string, session: string, at: number): Sql => sql`
  SELECT ${ROW} FROM fold_branches b
  WHERE b.root = ${root} AND b.session = ${session} AND b.created_at <= ${at}
    AND (b.completed_at IS NULL OR b.completed_at >= ${at})
  ORDER BY b.created_at DESC, b.depth DESC, b.id DESC LIMIT 1`

type EndUpdate = {
  readonly id: string
  readonly status: BranchStatus
  readonly reason: BranchEndReason
  readonly at: number
  readonly isTold: boolean
  readonly returnKey: string | null
  readonly state: BranchState
}

/** A final state never changes. */
export const finish = (it: EndUpdate): Sql => sql`
  UPDATE fold_branches SET status = ${it.status}, end_reason = ${it.reason},
    completed_at = ${it.at}, is_told = ${it.isTold ? 1 : 0}, return_key = ${it.returnKey},
    state = ${JSON.stringify(it.state)}
  WHERE id = ${it.id} AND status IN ${LIVE}`

/**
 * Branches of the session whose span crosses this one's: opened inside and still open, or opened
 * before and ended inside. The same moment counts as crossing; the caller excludes ancestors.
 */
export const selectCrossing = (
  who: BranchOwner,
  row: { id: string; createdAt: number },
): Sql => sql`
  SELECT b.id, b.parent FROM fold_branches b
  WHERE ${bound(who)} AND b.id <> ${row.id} AND (
    (b.created_at >= ${row.createdAt} AND b.status IN ${LIVE})
    OR (b.created_at <= ${row.createdAt} AND b.completed_at >= ${row.createdAt}))`

export const selectUntold = (who: BranchOwner, limit: number): Sql => sql`
  SELECT ${ROW} FROM fold_branches b WHERE ${bound(who)} AND b.is_told = 0
  ORDER BY b.completed_at, b.id LIMIT ${limit}`

export const setNotified = (ids: readonly string[]): Sql => sql`
  UPDATE fold_branches SET is_told = 1 WHERE id IN (${join(ids.map((it) => sql`${it}`))})`

type PendingQuery = {
  readonly who: BranchOwner
  readonly parent: string | null
  readonly since: number
  readonly limit: number
}

export const selectPending = ({ who, parent, since, limit }: PendingQuery): Sql => sql`
  SELECT ${ROW} FROM fold_branches b
  WHERE ${bound(who)} AND ${parent === null ? sql`b.parent IS NULL` : sql`b.parent = ${parent}`}
    AND b.status <> 'completed' AND b.end_reason IN ('budget', 'timeout', 'shutdown')
    AND b.completed_at > ${since}
  ORDER BY b.completed_at DESC, b.id LIMIT ${limit}`

export type NewStep = Omit<TrailEntry, "seq">

export const insertStep = (branch: string, seq: number, it: NewStep): Sql => sql`
  INSERT INTO fold_trail (branch, seq, at, kind, tool, tokens, handle, text)
  VALUES (${branch}, ${seq}, ${it.at}, ${it.kind}, ${it.tool}, ${it.tokens}, ${it.handle},
    ${packText(it.text)})`

export const setSteps = (branch: string, steps: number): Sql => sql`
  UPDATE fold_branches SET steps = ${steps} WHERE id = ${branch}`

/** Moves the last step, to make room before it. */
export const moveStep = (branch: string, from: number, to: number): Sql => sql`
  UPDATE fold_trail SET seq = ${to} WHERE branch = ${branch} AND seq = ${from}`

export const selectCallTools = (branch: string): Sql => sql`
  SELECT tool FROM fold_trail WHERE branch = ${branch} AND kind = 'call' AND tool IS NOT NULL`

export const selectTrail = (branch: string): Sql => sql`
  SELECT seq, at, kind, tool, tokens, handle, text FROM fold_trail
  WHERE branch = ${branch} ORDER BY seq`

export const selectWholeTrail = (branch: string): Sql => sql`
  SELECT t.seq, t.at, t.kind, t.tool, t.tokens, t.handle, t.text, h.text AS whole
  FROM fold_trail t LEFT JOIN fold_handles h ON h.handle = t.handle
  WHERE t.branch = ${branch} ORDER BY t.seq`

export type NewHandle = BranchOwner & {
  readonly handle: string
  readonly branch: string | null
  readonly label: string
  readonly tokens: number
  readonly createdAt: number
  readonly expiresAt: number
  readonly text: string
}

export const insertHandle = (it: NewHandle): Sql => sql`
  INSERT INTO fold_handles (handle, root, principal, session, branch, label, tokens, created_at,
    expires_at, text)
  VALUES (${it.handle}, ${it.root}, ${it.principal}, ${it.session}, ${it.branch}, ${it.label},
    ${it.tokens}, ${it.createdAt}, ${it.expiresAt}, ${packText(it.text)})`

export const selectHandle = (handle: string, who: BranchOwner, now: number): Sql => sql`
  SELECT b.handle, b.label, b.tokens, b.text FROM fold_handles b
  WHERE b.handle = ${handle} AND ${bound(who)} AND b.expires_at > ${now}`

export const markUntrusted = (who: BranchOwner, at: number): Sql => sql`
  INSERT INTO fold_untrusted (root, session, at) VALUES (${who.root}, ${who.session}, ${at})
  ON CONFLICT (root, session) DO UPDATE SET at = excluded.at`

export const countUntrusted = (root: string, session: string): Sql => sql`
  SELECT count(*) AS count FROM fold_untrusted WHERE root = ${root} AND session = ${session}`

type BranchQuery = {
  readonly root: string
  readonly session: string | undefined
  readonly finishedSince: number | undefined
  readonly limit: number
}

export const selectBranches = ({ root, session, finishedSince, limit }: BranchQuery): Sql => sql`
  SELECT ${ROW} FROM fold_branches b WHERE ${join(
    [
      sql`b.root = ${root}`,
      ...(session === undefined ? [] : [sql`b.session = ${session}`]),
      ...(finishedSince === undefined
        ? []
        : [sql`(b.completed_at IS NULL OR b.completed_at >= ${finishedSince})`]),
    ],
    sql` AND `,
  )}
  ORDER BY b.created_at DESC, b.depth DESC, b.id DESC LIMIT ${limit}`

export const selectBranch = (root: string, id: string): Sql => sql`
  SELECT ${ROW} FROM fold_branches b WHERE b.id = ${id} AND b.root = ${root}`

export const countBranches = (root: string): Sql => sql`
  SELECT count(*) AS count FROM fold_branches WHERE root = ${root}`

export const countActive = (root: string): Sql => sql`
  SELECT count(*) AS count FROM fold_branches
  WHERE root = ${root} AND status IN ('created', 'active')`

type SurplusQuery = { readonly root: string; readonly kept: number; readonly limit: number }

export const selectSurplus = ({ root, kept, limit }: SurplusQuery): Sql => sql`
  SELECT id FROM fold_branches
  WHERE root = ${root} AND status NOT IN ('created', 'active')
  ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${kept}`

export const deleteCharges = (ids: readonly string[]): Sql => sql`
  DELETE FROM fold_charges WHERE branch IN ${among(ids)}`

export const deleteTrails = (ids: readonly string[]): Sql => sql`
  DELETE FROM fold_trail WHERE branch IN ${among(ids)}`

export const deleteHandlesOf = (ids: readonly string[]): Sql => sql`
  DELETE FROM fold_handles WHERE branch IN ${among(ids)}`

export const deleteBranches = (ids: readonly string[]): Sql => sql`
  DELETE FROM fold_branches WHERE id IN ${among(ids)}`

type Expiry = { readonly root: string; readonly now: number; readonly trailTextsSince: number }

/** The text of a branch's step outlives its handle: it is part of the trail. */
export const deleteExpiredHandles = ({ root, now, trailTextsSince }: Expiry): Sql => sql`
  DELETE FROM fold_handles WHERE root = ${root} AND expires_at <= ${now}
    AND (branch IS NULL OR created_at <= ${trailTextsSince})`

export const deleteUntrusted = (root: string, before: number): Sql => sql`
  DELETE FROM fold_untrusted WHERE root = ${root} AND at <= ${before}`
