import { join, type Sql, sql } from "#ground/store"

const ROW = sql`b.*, (SELECT count(*) FROM fold_branches c WHERE c.parent = b.id) AS children`

type Wanted = {
  readonly root: string
  readonly session: string | undefined
  /** Finished before it, a branch is left out; undefined for all. */
  readonly finishedSince: number | undefined
  readonly limit: number
}

/** Newest first, of all sessions of a repository unless one is named. */
export const selectBranches = ({ root, session, finishedSince, limit }: Wanted): Sql => sql`
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

type Surplus = { readonly root: string; readonly kept: number; readonly limit: number }

/** The oldest finished ones beyond what is kept. */
export const selectSurplus = ({ root, kept, limit }: Surplus): Sql => sql`
  SELECT id FROM fold_branches
  WHERE root = ${root} AND status NOT IN ('created', 'active')
  ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${kept}`

const among = (ids: readonly string[]): Sql => sql`(${join(ids.map((it) => sql`${it}`))})`

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
