import { z } from "zod"
import {
  AgentMode,
  AgentType,
  Approval,
  Message,
  MessageType,
  type Run,
  RunConfiguration,
  RunCost,
  RunStatus,
} from "#ground/contract"
import { join, type Sql, sql } from "#ground/store"
import type { Progress } from "./progress.ts"

const json = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(schema)

/** A process by number and start time, so that a later one with the same number is not it. */
export const Identity = z.object({ pid: z.int(), startedAt: z.string().optional() })
export type Identity = z.infer<typeof Identity>

/** Who runs a run: this machine's process, or another one's. */
export const Owner = Identity.extend({ machine: z.string() })
export type Owner = z.infer<typeof Owner>

const RunColumns = z.object({
  id: z.string(),
  type: AgentType,
  title: z.string(),
  is_title_own: z.int(),
  prompt: z.string(),
  status: RunStatus,
  cwd: z.string(),
  model: z.string().nullable(),
  mode: AgentMode,
  session_id: z.string().nullable(),
  host_version: z.string().nullable(),
  created_at: z.int(),
  started_at: z.int().nullable(),
  ended_at: z.int().nullable(),
  updated_at: z.int(),
  last_seq: z.int(),
  turns: z.int(),
  error: z.string().nullable(),
  cost: json(RunCost),
  budget_usd: z.number().nullable(),
  budget_tokens: z.int().nullable(),
  context_used: z.int().nullable(),
  context_window: z.int().nullable(),
  labels: json(z.array(z.string())),
  workflow: z.string(),
  is_archived: z.int(),
  configuration: json(RunConfiguration),
  owner: json(Owner).nullable(),
  fence: z.int(),
  lease_until: z.int(),
  child: json(Identity).nullable(),
  open_approvals: z.int(),
  queued_turns: z.int(),
})
type Columns = z.output<typeof RunColumns>

/** A run, with what only the room needs to know beside it. */
export const RunRow = RunColumns.transform((row) => ({ run: runOf(row), hidden: hiddenOf(row) }))
export type RunRow = z.infer<typeof RunRow>

function runOf(row: Columns): Run {
  return {
    id: row.id,
    type: row.type,
    title: row.title,
    isTitleOwn: row.is_title_own === 1,
    prompt: row.prompt,
    status: row.status,
    cwd: row.cwd,
    model: row.model,
    mode: row.mode,
    sessionId: row.session_id,
    hostVersion: row.host_version,
    createdAt: row.created_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    updatedAt: row.updated_at,
    lastSeq: row.last_seq,
    turns: row.turns,
    error: row.error,
    cost: row.cost,
    budgetUsd: row.budget_usd,
    budgetTokens: row.budget_tokens,
    contextUsed: row.context_used,
    contextWindow: row.context_window,
    labels: row.labels,
    workflow: row.workflow,
    isArchived: row.is_archived === 1,
    openApprovals: row.open_approvals,
    queuedTurns: row.queued_turns,
  }
}

function hiddenOf(row: Columns) {
  return {
    configuration: row.configuration,
    owner: row.owner,
    fence: row.fence,
    leaseUntil: row.lease_until,
    child: row.child,
  }
}

export const MessageRow = z
  .object({
    id: z.string(),
    seq: z.int(),
    type: MessageType,
    role: Message.shape.role,
    content: z.string(),
    at: z.int(),
    metadata: json(z.record(z.string(), z.unknown())),
    raw: z.string().nullable(),
  })
  .transform(
    ({ at, raw, ...row }): Message => ({
      ...row,
      timestamp: at,
      ...(raw === null ? {} : { raw }),
    }),
  )

export const ApprovalRow = z
  .object({
    id: z.string(),
    run_id: z.string(),
    host_id: z.string(),
    tool: z.string(),
    title: z.string(),
    input: z.string(),
    digest: z.string(),
    status: Approval.shape.status,
    requested_at: z.int(),
    expires_at: z.int(),
    answered_at: z.int().nullable(),
    answered_by: z.string().nullable(),
    note: z.string().nullable(),
  })
  .transform((row) => ({
    hostId: row.host_id,
    approval: {
      id: row.id,
      runId: row.run_id,
      tool: row.tool,
      title: row.title,
      input: row.input,
      digest: row.digest,
      status: row.status,
      requestedAt: row.requested_at,
      expiresAt: row.expires_at,
      answeredAt: row.answered_at,
      answeredBy: row.answered_by,
      note: row.note,
    } satisfies Approval,
  }))

const RUN = sql`runs.*,
  (SELECT count(*) FROM run_approvals a WHERE a.run_id = runs.id AND a.status = 'open')
    AS open_approvals,
  (SELECT count(*) FROM run_commands c WHERE c.run_id = runs.id AND c.kind = 'turn'
    AND c.done_at IS NULL) AS queued_turns`

export const selectRun = (id: string): Sql => sql`SELECT ${RUN} FROM runs WHERE id = ${id}`

export const selectRuns = (limit: number): Sql => sql`
  SELECT ${RUN} FROM runs ORDER BY created_at DESC, id DESC LIMIT ${limit}`

export const selectUnfinished = (): Sql => sql`
  SELECT ${RUN} FROM runs WHERE status IN ('queued', 'starting', 'running', 'waiting', 'paused')
  ORDER BY created_at, id`

export const selectMessages = (runId: string, after: number, limit: number): Sql => sql`
  SELECT id, seq, type, role, content, at, metadata, raw FROM run_messages
  WHERE run_id = ${runId} AND seq > ${after} ORDER BY seq LIMIT ${limit}`

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

export const insertRun = (run: Run, configuration: RunConfiguration): Sql => sql`
  INSERT INTO runs (id, type, title, is_title_own, prompt, status, cwd, model, mode, session_id,
    host_version, created_at, started_at, ended_at, updated_at, last_seq, turns, error, cost,
    budget_usd, budget_tokens, context_used, context_window, labels, workflow, is_archived,
    configuration, owner, fence, lease_until, child)
  VALUES (${run.id}, ${run.type}, ${run.title}, 0, ${run.prompt}, ${run.status}, ${run.cwd},
    ${run.model}, ${run.mode}, ${run.sessionId}, NULL, ${run.createdAt}, NULL, NULL,
    ${run.updatedAt}, 0, 0, NULL, ${JSON.stringify(run.cost)}, ${run.budgetUsd},
    ${run.budgetTokens}, NULL, NULL, ${JSON.stringify(run.labels)}, ${run.workflow}, 0,
    ${JSON.stringify(configuration)}, NULL, 0, 0, NULL)`

/** The run is ours from now on: whoever wrote to it before has an older fence. */
export const claimRun = (id: string, owner: Owner, until: number): Sql => sql`
  UPDATE runs SET fence = fence + 1, owner = ${JSON.stringify(owner)}, lease_until = ${until}
  WHERE id = ${id} RETURNING fence`

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

function isOver(status: RunStatus): boolean {
  return ["completed", "failed", "stopped", "interrupted"].includes(status)
}

export const deleteRun = (id: string): readonly Sql[] => [
  sql`DELETE FROM run_messages WHERE run_id = ${id}`,
  sql`DELETE FROM run_approvals WHERE run_id = ${id}`,
  sql`DELETE FROM run_commands WHERE run_id = ${id}`,
  sql`DELETE FROM runs WHERE id = ${id}`,
]

export const insertApproval = (it: Approval, hostId: string): Sql => sql`
  INSERT INTO run_approvals (id, run_id, host_id, tool, title, input, digest, status, requested_at,
    expires_at, answered_at, answered_by, note)
  VALUES (${it.id}, ${it.runId}, ${hostId}, ${it.tool}, ${it.title}, ${it.input}, ${it.digest},
    'open', ${it.requestedAt}, ${it.expiresAt}, NULL, NULL, NULL)`

export const selectApproval = (id: string): Sql => sql`
  SELECT * FROM run_approvals WHERE id = ${id}`

export const selectOpenApprovals = (): Sql => sql`
  SELECT * FROM run_approvals WHERE status = 'open' ORDER BY requested_at, id LIMIT 500`

/** Only an open one can be answered, so two answers at once leave one. */
export const answerApproval = (
  id: string,
  answer: { status: string; at: number; by: string; note: string | null },
): Sql => sql`
  UPDATE run_approvals SET status = ${answer.status}, answered_at = ${answer.at},
    answered_by = ${answer.by}, note = ${answer.note}
  WHERE id = ${id} AND status = 'open'`

export const expireApprovals = (runId: string, at: number): Sql => sql`
  UPDATE run_approvals SET status = 'expired', answered_at = ${at}, answered_by = 'the run ended'
  WHERE run_id = ${runId} AND status = 'open'`

export const TurnRow = z
  .object({ id: z.string(), run_id: z.string(), body: z.string(), at: z.int() })
  .transform((row) => ({ id: row.id, runId: row.run_id, text: row.body, queuedAt: row.at }))

export const CountRow = z.object({ count: z.int() })

export const countTurns = (runId: string): Sql => sql`
  SELECT count(*) AS count FROM run_commands
  WHERE run_id = ${runId} AND kind = 'turn' AND done_at IS NULL`

export const insertTurn = (turn: {
  readonly id: string
  readonly runId: string
  readonly text: string
  readonly at: number
}): Sql => sql`
  INSERT INTO run_commands (run_id, seq, id, kind, body, at, done_at)
  VALUES (${turn.runId},
    (SELECT coalesce(max(c.seq), 0) + 1 FROM run_commands c WHERE c.run_id = ${turn.runId}),
    ${turn.id}, 'turn', ${turn.text}, ${turn.at}, NULL)`

export const selectTurns = (runId: string): Sql => sql`
  SELECT id, run_id, body, at FROM run_commands
  WHERE run_id = ${runId} AND kind = 'turn' AND done_at IS NULL ORDER BY seq`

/** Its words are in the transcript from now on, redacted; here they were as the agent needs them. */
export const finishTurn = (id: string, at: number): Sql => sql`
  UPDATE run_commands SET done_at = ${at}, body = '' WHERE id = ${id} AND done_at IS NULL`

export const FenceRow = z.object({ fence: z.int() })
