import { z } from "zod"
import {
  AgentMode,
  AgentType,
  Approval,
  Message,
  MessageType,
  RUN_ORIGINS,
  type Run,
  RunConfiguration,
  RunCost,
  RunStatus,
} from "#ground/contract"

const json = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(schema)

/** A process by number and start time, so that a later one with the same number is not it. */
export const Identity = z.object({ pid: z.int(), startedAt: z.string().optional() })
export type Identity = z.infer<typeof Identity>

/** Who runs a run: this machine's process, or another one's. */
export const Owner = Identity.extend({
  machine: z.string(),
  /** One process may have opened the store twice; each is an owner of its own. */
  instance: z.string().default(""),
})
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
  origin: z.enum(RUN_ORIGINS),
  read_from: z.string().nullable(),
  read_until: z.int(),
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
    origin: row.origin,
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
    readFrom: row.read_from,
    readUntil: row.read_until,
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
    path: z.string().nullable(),
    cwd: z.string(),
    used_at: z.int().nullable(),
  })
  .transform((row) => ({
    hostId: row.host_id,
    isUsed: row.used_at !== null,
    approval: {
      id: row.id,
      runId: row.run_id,
      tool: row.tool,
      title: row.title,
      input: row.input,
      digest: row.digest,
      path: row.path,
      cwd: row.cwd,
      status: row.status,
      requestedAt: row.requested_at,
      expiresAt: row.expires_at,
      answeredAt: row.answered_at,
      answeredBy: row.answered_by,
      note: row.note,
    } satisfies Approval,
  }))

export const TurnRow = z
  .object({ id: z.string(), run_id: z.string(), body: z.string(), at: z.int() })
  .transform((row) => ({ id: row.id, runId: row.run_id, text: row.body, queuedAt: row.at }))

export const CountRow = z.object({ count: z.int() })

export const FenceRow = z.object({ fence: z.int() })

export const CommandRow = z.object({
  id: z.string(),
  run_id: z.string(),
  kind: z.string(),
  body: z.string(),
})

export const LastSeqRow = z.object({ last_seq: z.int() })
