import type { AgentMode, Message, Run, RunConfiguration, RunStatus } from "#ground/contract"
import { join, type Sql, sql } from "#ground/store"
import type { Progress } from "../work/progress.ts"
import type { Identity, Owner } from "./rows.ts"
import { conditionOf, type RunFilter } from "./search.ts"

const RUN = sql`runs.*,
  (SELECT count(*) FROM run_approvals a WHERE a.run_id = runs.id AND a.status = 'open')
    AS open_approvals,
  (SELECT count(*) FROM run_commands c WHERE c.run_id = runs.id AND c.kind = 'turn'
    AND c.done_at IS NULL) AS queued_turns`

export const selectRun = (id: string): Sql => sql`SELECT ${RUN} FROM runs WHERE id = ${id}`

export const selectRuns = (filter: RunFilter): Sql => sql`
  SELECT ${RUN} FROM runs WHERE ${conditionOf(filter)}
  ORDER BY created_at DESC, id DESC LIMIT ${filter.limit}`

/** The run into which a session of a host was read, or which began it. */
export const selectRunOfSession = (sessionId: string): Sql => sql`
  SELECT ${RUN} FROM runs WHERE session_id = ${sessionId} ORDER BY created_at LIMIT 1`

export const selectUnfinished = (): Sql => sql`
  SELECT ${RUN} FROM runs WHERE status IN ('queued', 'starting', 'running', 'waiting', 'paused')
  ORDER BY created_at, id`

export const selectMessages = (runId: string, after: number, limit: number): Sql => sql`
  SELECT id, seq, type, role, content, at, metadata, raw FROM run_messages
  WHERE run_id = ${runId} AND seq > ${after} ORDER BY seq LIMIT ${limit}`

/** The newest before a number, newest first. */
export const selectMessagesBefore = (runId: string, before: number, limit: number): Sql => sql`
  SELECT id, seq, type, role, content, at, metadata, raw FROM run_messages
  WHERE run_id = ${runId} AND seq < ${before} ORDER BY seq DESC LIMIT ${limit}`

export const selectMessage = (runId: string, seq: number): Sql => sql`
  SELECT id, seq, type, role, content, at, metadata, raw FROM run_messages
  WHERE run_id = ${runId} AND seq = ${seq}`

/** Whether a turn carried a package: what is in front of a turn stands in its metadata. */
export const countPackTurns = (runId: string): Sql => sql`
  SELECT count(*) AS count FROM (SELECT seq FROM run_messages
    WHERE run_id = ${runId} AND type = 'user' AND metadata LIKE '%"pack":%' LIMIT 1) AS carried`

/** Takes the next numbers, if this process still is the one that may write. */
export const advance = (runId: string, fence: number, by: number): Sql => sql`
  UPDATE runs SET last_seq = last_seq + ${by} WHERE id = ${runId} AND fence = ${fence}
  RETURNING last_seq`

export const insertMessages = (runId: string, messages: readonly Message[]): Sql => sql`
  INSERT INTO run_messages (run_id, seq, id, type, role, content, at, metadata, raw) VALUES ${join(
    messages.map(
      (it) => sql`(${runId}, ${it.seq}, ${it.id}, ${it.type}, ${it.role}, ${it.content},
        ${it.timestamp}, ${JSON.stringify(it.metadata)}, ${it.raw ?? null})`,
    ),
  )}`

/** What stands beside a new run and is nobody else's business. */
export type NewRow = {
  readonly configuration: RunConfiguration
  /** The process that will work on it; null leaves it to whichever has room. */
  readonly owner: Owner | null
  readonly leaseUntil: number
}

export const insertRun = (run: Run, row: NewRow): Sql => sql`
  INSERT INTO runs (id, type, title, is_title_own, prompt, status, cwd, model, mode, session_id,
    host_version, created_at, started_at, ended_at, updated_at, last_seq, turns, error, cost,
    budget_usd, budget_tokens, context_used, context_window, labels, workflow, is_archived,
    configuration, owner, fence, lease_until, child, origin)
  VALUES (${run.id}, ${run.type}, ${run.title}, ${run.isTitleOwn ? 1 : 0}, ${run.prompt},
    ${run.status}, ${run.cwd}, ${run.model}, ${run.mode}, ${run.sessionId}, ${run.hostVersion},
    ${run.createdAt}, ${run.startedAt}, ${run.endedAt}, ${run.updatedAt}, 0, ${run.turns},
    ${run.error}, ${JSON.stringify(run.cost)}, ${run.budgetUsd}, ${run.budgetTokens},
    ${run.contextUsed}, ${run.contextWindow}, ${JSON.stringify(run.labels)}, ${run.workflow},
    ${run.isArchived ? 1 : 0}, ${JSON.stringify(row.configuration)}, ${ownerText(row.owner)}, 0,
    ${row.leaseUntil}, NULL, ${run.origin})`

const ownerText = (owner: Owner | null): string | null =>
  owner === null ? null : JSON.stringify(owner)

/**
 * The run is ours from now on: whoever wrote to it before has an older fence. It must still be as
 * it was read, so that of two processes that want it one gets it.
 */
export const claimRun = (
  id: string,
  claim: { owner: Owner; until: number; seen: number },
): Sql => sql`
  UPDATE runs SET fence = fence + 1, owner = ${JSON.stringify(claim.owner)},
    lease_until = ${claim.until}
  WHERE id = ${id} AND fence = ${claim.seen} RETURNING fence`

/** From now on it is being started, and what it was before is over. */
export const beginRun = (id: string, fence: number, at: number): Sql => sql`
  UPDATE runs SET status = 'starting', ended_at = NULL, error = NULL, updated_at = ${at},
    started_at = coalesce(started_at, ${at}),
    origin = CASE WHEN origin = 'read' THEN 'started' ELSE origin END
  WHERE id = ${id} AND fence = ${fence}`

/** It goes on in the same process as soon as there is room. */
export const waitAgain = (id: string, fence: number): Sql => sql`
  UPDATE runs SET status = 'queued', ended_at = NULL WHERE id = ${id} AND fence = ${fence}`

export const queueRun = (
  id: string,
  it: { readonly owner: Owner | null; readonly seen: number; readonly at: number },
): Sql => sql`
  UPDATE runs SET status = 'queued', ended_at = NULL, fence = fence + 1, updated_at = ${it.at},
    owner = ${ownerText(it.owner)}
  WHERE id = ${id} AND fence = ${it.seen}`

/** Nobody works on it: whichever process has room may take it. */
export const releaseRun = (id: string, seen: number): Sql => sql`
  UPDATE runs SET fence = fence + 1, owner = NULL, lease_until = 0
  WHERE id = ${id} AND fence = ${seen}`

export const renewLease = (claim: { runId: string; fence: number }, until: number): Sql => sql`
  UPDATE runs SET lease_until = ${until} WHERE id = ${claim.runId} AND fence = ${claim.fence}`

export type RunChange = {
  readonly title?: string | undefined
  readonly isTitleOwn?: boolean | undefined
  readonly labels?: readonly string[] | undefined
  readonly workflow?: string | undefined
  readonly isArchived?: boolean | undefined
}

/** What people say of a run; its writer is not asked. */
export const editRun = (id: string, change: RunChange, at: number): Sql => sql`
  UPDATE runs SET ${join([
    sql`updated_at = ${at}`,
    ...(change.title === undefined ? [] : [sql`title = ${change.title}`]),
    ...(change.isTitleOwn === undefined ? [] : [sql`is_title_own = ${change.isTitleOwn ? 1 : 0}`]),
    ...(change.labels === undefined ? [] : [sql`labels = ${JSON.stringify(change.labels)}`]),
    ...(change.workflow === undefined ? [] : [sql`workflow = ${change.workflow}`]),
    ...(change.isArchived === undefined ? [] : [sql`is_archived = ${change.isArchived ? 1 : 0}`]),
  ])} WHERE id = ${id}`

/** A proposed title stands only where no person has given one. */
export const proposeRunTitle = (id: string, title: string, at: number): Sql => sql`
  UPDATE runs SET title = ${title}, updated_at = ${at} WHERE id = ${id} AND is_title_own = 0`

/** The host's session cannot be gone on with. */
export const forgetSession = (id: string): Sql => sql`
  UPDATE runs SET session_id = NULL WHERE id = ${id}`

/** How far a host's transcript was read into a run, and what it says of its session. */
export const noteReading = (
  id: string,
  it: {
    readonly from: string
    readonly until: number
    readonly cost: string
    readonly model: string | null
    readonly version: string | null
  },
): Sql => sql`
  UPDATE runs SET read_from = ${it.from}, read_until = ${it.until}, cost = ${it.cost},
    model = ${it.model}, host_version = ${it.version} WHERE id = ${id}`

export const setLastSeq = (id: string, lastSeq: number): Sql => sql`
  UPDATE runs SET last_seq = ${lastSeq} WHERE id = ${id}`

export const setChild = (id: string, fence: number, child: Identity | null): Sql => sql`
  UPDATE runs SET child = ${child === null ? null : JSON.stringify(child)}
  WHERE id = ${id} AND fence = ${fence}`

export const updateRun = (id: string, change: Omit<Progress, "open">, at: number): Sql => sql`
  UPDATE runs SET status = ${change.status}, session_id = ${change.sessionId},
    model = ${change.model}, host_version = ${change.hostVersion}, mode = ${change.mode},
    turns = ${change.turns}, error = ${change.error}, cost = ${JSON.stringify(change.cost)},
    context_used = ${change.contextUsed}, context_window = ${change.contextWindow},
    updated_at = ${at},
    started_at = coalesce(started_at, ${change.status === "queued" ? null : at}),
    ended_at = ${isOver(change.status) ? at : null}
  WHERE id = ${id}`

/** Before it is begun; the process that works on a run tells its mode itself. */
export const setRunMode = (id: string, mode: AgentMode): Sql => sql`
  UPDATE runs SET mode = ${mode} WHERE id = ${id} AND status = 'queued'`

/** Nothing was left to be said to it. */
export const endIdle = (id: string, status: RunStatus, at: number): Sql => sql`
  UPDATE runs SET status = ${status}, ended_at = coalesce(ended_at, ${at}), updated_at = ${at}
  WHERE id = ${id}`

export const failRun = (id: string, error: string, at: number): Sql => sql`
  UPDATE runs SET status = 'failed', error = ${error}, updated_at = ${at}, ended_at = ${at}
  WHERE id = ${id}`

function isOver(status: RunStatus): boolean {
  return ["completed", "failed", "stopped", "interrupted"].includes(status)
}

export const deleteRun = (id: string): readonly Sql[] => [
  sql`DELETE FROM run_messages WHERE run_id = ${id}`,
  sql`DELETE FROM run_approvals WHERE run_id = ${id}`,
  sql`DELETE FROM run_commands WHERE run_id = ${id}`,
  sql`DELETE FROM runs WHERE id = ${id}`,
]
