import { z } from "zod"
import { type Clock, sliceText } from "#ground/base"
import { type AgentMode, Run, RunConfiguration, RunCost, type RunStatus } from "#ground/contract"
import { type Db, join, jsonColumn, type Sql, sql } from "#ground/store"
import { RunUnknown } from "../../errors.ts"
import { isEnded, type Progress } from "../run-progress.ts"
import { insertCommand, type NewCommand } from "./queue-store.ts"
import { conditionOf, type RunFilter } from "./run-search.ts"

/**
 * After this time without a renewal another process may take over. Long enough for several late
 * renewals.
 */
export const LEASE_MS = 30_000

const Identity = z.object({ pid: z.int(), startedAt: z.string().optional() })
export type Identity = z.infer<typeof Identity>

/** The process that works on a run; one process may open the store twice. */
const Owner = Identity.extend({ machine: z.string(), instance: z.string().default("") })
export type Owner = z.infer<typeof Owner>

/** The right to write a run: a later claim has a higher fence and invalidates this one. */
export type Claim = { readonly runId: string; readonly fence: number }

const flag = z.int().transform((it) => it === 1)

export const RunRow = Run.extend({
  isTitleOwn: flag,
  cost: jsonColumn(RunCost),
  labels: jsonColumn(Run.shape.labels),
  isArchived: flag,
  configuration: jsonColumn(RunConfiguration),
  owner: jsonColumn(Owner).nullable(),
  fence: z.int(),
  leaseUntil: z.int(),
  child: jsonColumn(Identity).nullable(),
  readFrom: z.string().nullable(),
  readUntil: z.int(),
}).transform((row) => {
  const { configuration, owner, fence, leaseUntil, child, readFrom, readUntil, ...run } = row
  return { run, hidden: { configuration, owner, fence, leaseUntil, child, readFrom, readUntil } }
})
export type RunRow = z.infer<typeof RunRow>

const COLUMNS = sql`id, type, title, is_title_own AS "isTitleOwn", prompt, status, cwd, model, mode,
  session_id AS "sessionId", host_version AS "hostVersion", created_at AS "createdAt",
  started_at AS "startedAt", ended_at AS "endedAt", updated_at AS "updatedAt",
  last_seq AS "lastSeq", turns, error, cost, budget_usd AS "budgetUsd",
  budget_tokens AS "budgetTokens", context_used AS "contextUsed",
  context_window AS "contextWindow", labels, workflow, is_archived AS "isArchived", origin,
  started_by AS "startedBy",
  read_from AS "readFrom", read_until AS "readUntil", configuration, owner, fence,
  lease_until AS "leaseUntil", child,
  (SELECT count(*) FROM run_approvals a WHERE a.run_id = runs.id AND a.status = 'open')
    AS "openApprovals",
  (SELECT count(*) FROM run_commands c WHERE c.run_id = runs.id AND c.kind = 'turn'
    AND c.done_at IS NULL) AS "queuedTurns"`

const selectRun = (id: string): Sql => sql`SELECT ${COLUMNS} FROM runs WHERE id = ${id}`

export const selectRuns = (filter: RunFilter): Sql => sql`
  SELECT ${COLUMNS} FROM runs WHERE ${conditionOf(filter)}
  ORDER BY created_at DESC, id DESC LIMIT ${filter.limit}`

type NewRunRow = {
  readonly configuration: RunConfiguration
  readonly owner: Owner | null
  readonly leaseUntil: number
}

export const insertRun = (run: Run, row: NewRunRow): Sql => sql`
  INSERT INTO runs (id, type, title, is_title_own, prompt, status, cwd, model, mode, session_id,
    host_version, created_at, started_at, ended_at, updated_at, last_seq, turns, error, cost,
    budget_usd, budget_tokens, context_used, context_window, labels, workflow, is_archived,
    configuration, owner, fence, lease_until, child, origin, started_by)
  VALUES (${run.id}, ${run.type}, ${run.title}, ${run.isTitleOwn ? 1 : 0}, ${run.prompt},
    ${run.status}, ${run.cwd}, ${run.model}, ${run.mode}, ${run.sessionId}, ${run.hostVersion},
    ${run.createdAt}, ${run.startedAt}, ${run.endedAt}, ${run.updatedAt}, 0, ${run.turns},
    ${run.error}, ${JSON.stringify(run.cost)}, ${run.budgetUsd}, ${run.budgetTokens},
    ${run.contextUsed}, ${run.contextWindow}, ${JSON.stringify(run.labels)}, ${run.workflow},
    ${run.isArchived ? 1 : 0}, ${JSON.stringify(row.configuration)}, ${jsonOrNull(row.owner)}, 0,
    ${row.leaseUntil}, NULL, ${run.origin}, ${run.startedBy})`

function jsonOrNull(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value)
}

export const setLastSeq = (id: string, lastSeq: number): Sql => sql`
  UPDATE runs SET last_seq = ${lastSeq} WHERE id = ${id}`

/** Stored so that a later process of ours can end the agent's process. */
export const setChild = ({ runId, fence }: Claim, child: Identity | null): Sql => sql`
  UPDATE runs SET child = ${jsonOrNull(child)} WHERE id = ${runId} AND fence = ${fence}`

export const updateRun = (id: string, change: Omit<Progress, "open">, at: number): Sql => sql`
  UPDATE runs SET status = ${change.status}, session_id = ${change.sessionId},
    model = ${change.model}, host_version = ${change.hostVersion}, mode = ${change.mode},
    turns = ${change.turns}, error = ${change.error}, cost = ${JSON.stringify(change.cost)},
    context_used = ${change.contextUsed}, context_window = ${change.contextWindow},
    updated_at = ${at},
    started_at = coalesce(started_at, ${change.status === "queued" ? null : at}),
    ended_at = ${isEnded(change.status) ? at : null}
  WHERE id = ${id}`

export const requeueRun = ({ runId, fence }: Claim): Sql => sql`
  UPDATE runs SET status = 'queued', ended_at = NULL WHERE id = ${runId} AND fence = ${fence}`

export const endIdleRun = (id: string, status: RunStatus, at: number): Sql => sql`
  UPDATE runs SET status = ${status}, ended_at = coalesce(ended_at, ${at}), updated_at = ${at}
  WHERE id = ${id}`

export const failRun = (id: string, error: string, at: number): Sql => sql`
  UPDATE runs SET status = 'failed', error = ${error}, updated_at = ${at}, ended_at = ${at}
  WHERE id = ${id}`

export const noteReading = (
  id: string,
  it: {
    readonly from: string
    readonly until: number
    readonly cost: RunCost
    readonly model: string | null
    readonly version: string | null
    readonly context: { readonly used: number; readonly window: number } | null
  },
): Sql => sql`
  UPDATE runs SET read_from = ${it.from}, read_until = ${it.until},
    cost = ${JSON.stringify(it.cost)}, model = ${it.model}, host_version = ${it.version},
    context_used = ${it.context?.used ?? null}, context_window = ${it.context?.window ?? null}
  WHERE id = ${id}`

export type RunChange = {
  readonly title?: string | undefined
  readonly isTitleOwn?: boolean | undefined
  readonly labels?: readonly string[] | undefined
  readonly workflow?: string | undefined
  readonly isArchived?: boolean | undefined
}

const editRun = (id: string, change: RunChange, at: number): Sql => sql`
  UPDATE runs SET ${join([
    sql`updated_at = ${at}`,
    ...(change.title === undefined ? [] : [sql`title = ${change.title}`]),
    ...(change.isTitleOwn === undefined ? [] : [sql`is_title_own = ${change.isTitleOwn ? 1 : 0}`]),
    ...(change.labels === undefined ? [] : [sql`labels = ${JSON.stringify(change.labels)}`]),
    ...(change.workflow === undefined ? [] : [sql`workflow = ${change.workflow}`]),
    ...(change.isArchived === undefined ? [] : [sql`is_archived = ${change.isArchived ? 1 : 0}`]),
  ])} WHERE id = ${id}`

type Deps = { readonly db: Db<"agents">; readonly clock: Clock; readonly owner: Owner }

export type RunStore = ReturnType<typeof createRunStore>

export function createRunStore(deps: Deps) {
  const { db, clock } = deps

  async function find(id: string): Promise<RunRow> {
    const row = await db.get(RunRow, selectRun(id))
    if (row === undefined) throw RunUnknown({ id })
    return row
  }
  return {
    find,
    list: async (filter: RunFilter): Promise<Run[]> =>
      (await db.all(RunRow, selectRuns(filter))).map(({ run }) => ({
        ...run,
        // A prompt may be a megabyte.
        prompt: sliceText(run.prompt, 500),
      })),
    unfinished: (): Promise<RunRow[]> =>
      db.all(
        RunRow,
        sql`SELECT ${COLUMNS} FROM runs
          WHERE status IN ('queued', 'starting', 'running', 'waiting', 'paused')
          ORDER BY created_at, id`,
      ),
    findBySession: (sessionId: string): Promise<RunRow | undefined> =>
      db.get(
        RunRow,
        sql`SELECT ${COLUMNS} FROM runs WHERE session_id = ${sessionId}
          ORDER BY created_at LIMIT 1`,
      ),
    /** Adds the first turn in the same transaction: the process that claims the run finds it. */
    async add(run: Run, row: NewRunRow, firstTurn?: NewCommand): Promise<void> {
      await db.transaction(async (tx) => {
        await tx.run(insertRun(run, row))
        if (firstTurn !== undefined) await tx.run(insertCommand(firstTurn))
        tx.emit("agents.created", { id: run.id, type: run.type, title: run.title })
      })
    },
    async edit(id: string, change: RunChange): Promise<Run> {
      const { run } = await find(id)
      await db.transaction(async (tx) => {
        await tx.run(editRun(id, change, clock.now()))
        tx.emit("agents.updated", { id, status: run.status })
      })
      return (await find(id)).run
    },
    /** A generated title never replaces one that the user has set. */
    async proposeTitle(id: string, title: string): Promise<void> {
      await db.transaction(async (tx) => {
        const { changes } = await tx.run(sql`UPDATE runs SET title = ${title},
          updated_at = ${clock.now()} WHERE id = ${id} AND is_title_own = 0`)
        const row = await tx.get(RunRow, selectRun(id))
        if (changes > 0 && row !== undefined) {
          tx.emit("agents.updated", { id, status: row.run.status })
        }
      })
    },
    async setMode(id: string, mode: AgentMode): Promise<void> {
      await db.transaction(async (tx) => {
        await tx.run(sql`UPDATE runs SET mode = ${mode} WHERE id = ${id} AND status = 'queued'`)
        tx.emit("agents.updated", { id, status: "queued" })
      })
    },
    async forgetSession(id: string): Promise<void> {
      await db.run(sql`UPDATE runs SET session_id = NULL WHERE id = ${id}`)
    },
    async remove(id: string): Promise<void> {
      await db.transaction(async (tx) => {
        await tx.run(sql`DELETE FROM run_messages WHERE run_id = ${id}`)
        await tx.run(sql`DELETE FROM run_approvals WHERE run_id = ${id}`)
        await tx.run(sql`DELETE FROM run_commands WHERE run_id = ${id}`)
        await tx.run(sql`DELETE FROM runs WHERE id = ${id}`)
        tx.emit("agents.deleted", { id })
      })
    },
    ...createClaims(deps),
  }
}

function createClaims({ db, clock, owner }: Deps) {
  /** Only while the run is as it was read, so that one of two processes gets it. */
  const claimRun = (id: string, fence: number): Sql => sql`
    UPDATE runs SET fence = fence + 1, owner = ${JSON.stringify(owner)},
      lease_until = ${clock.now() + LEASE_MS}
    WHERE id = ${id} AND fence = ${fence} RETURNING id AS "runId", fence`
  const ClaimRow = z.object({ runId: z.string(), fence: z.int() })
  return {
    claim: ({ run, hidden }: RunRow): Promise<Claim | undefined> =>
      db.transaction((tx) => tx.get(ClaimRow, claimRun(run.id, hidden.fence))),
    begin: ({ run, hidden }: RunRow): Promise<Claim | undefined> =>
      db.transaction(async (tx) => {
        const at = clock.now()
        const claim = await tx.get(ClaimRow, claimRun(run.id, hidden.fence))
        if (claim === undefined) return undefined
        await tx.run(sql`
          UPDATE runs SET status = 'starting', ended_at = NULL, error = NULL, updated_at = ${at},
            started_at = coalesce(started_at, ${at}),
            origin = CASE WHEN origin = 'read' THEN 'started' ELSE origin END
          WHERE id = ${run.id} AND fence = ${claim.fence}`)
        tx.emit("agents.updated", { id: run.id, status: "starting" })
        return claim
      }),
    async queueAgain({ run, hidden }: RunRow, by: Owner | null): Promise<void> {
      await db.transaction(async (tx) => {
        await tx.run(sql`
          UPDATE runs SET status = 'queued', ended_at = NULL, fence = fence + 1,
            updated_at = ${clock.now()}, owner = ${jsonOrNull(by)}
          WHERE id = ${run.id} AND fence = ${hidden.fence}`)
        tx.emit("agents.updated", { id: run.id, status: "queued" })
      })
    },
    async release({ run, hidden }: RunRow): Promise<void> {
      await db.run(sql`UPDATE runs SET fence = fence + 1, owner = NULL, lease_until = 0
        WHERE id = ${run.id} AND fence = ${hidden.fence}`)
    },
    async renewLeases(claims: readonly Claim[]): Promise<Claim[]> {
      const until = clock.now() + LEASE_MS
      const lost: Claim[] = []
      for (const claim of claims) {
        const { changes } = await db.run(sql`UPDATE runs SET lease_until = ${until}
          WHERE id = ${claim.runId} AND fence = ${claim.fence}`)
        if (changes === 0) lost.push(claim)
      }
      return lost
    },
  }
}
