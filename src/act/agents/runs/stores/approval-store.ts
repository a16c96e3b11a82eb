import { createHash } from "node:crypto"
import { z } from "zod"
import { type Clock, type Ids, invariant, isAppError, parseJson } from "#ground/base"
import { type AgentEvent, Approval, type Run } from "#ground/contract"
import { type Db, databaseNow, type Sql, sql, type Tx } from "#ground/store"
import type { EmittedEvent } from "../../agent.ts"
import { ApprovalAnswered, ApprovalUnknown } from "../../errors.ts"
import { type Claim, isClaimed } from "./claim.ts"
import { insertCommand } from "./queue-store.ts"

const APPROVAL_LIFE_MS = 24 * 60 * 60 * 1_000

export type AnswerInput = {
  readonly decision: "allow" | "deny"
  readonly note?: string | undefined
  readonly by: string
}

const COLUMNS = sql`id, run_id AS "runId", tool, title, input, digest, path, cwd, status,
  requested_at AS "requestedAt", expires_at AS "expiresAt", answered_at AS "answeredAt",
  answered_by AS "answeredBy", note`

type AnswerRow = {
  readonly status: Approval["status"]
  readonly at: number
  readonly by: string
  readonly note: string | null
}

/** Only an open approval can be answered, so one of two concurrent answers wins. */
const answerApproval = (id: string, answer: AnswerRow): Sql => sql`
  UPDATE run_approvals SET status = ${answer.status}, answered_at = ${answer.at},
    answered_by = ${answer.by}, note = ${answer.note}
  WHERE id = ${id} AND status = 'open'`

const markUsed = (id: string, at: number): Sql => sql`
  UPDATE run_approvals SET used_at = ${at} WHERE id = ${id} AND used_at IS NULL`

export const expireApprovals = (runId: string, at: number): Sql => sql`
  UPDATE run_approvals SET status = 'expired', answered_at = ${at}, answered_by = 'the run ended'
  WHERE run_id = ${runId} AND status = 'open'`

type Deps = { readonly db: Db<"agents">; readonly clock: Clock; readonly ids: Ids }

export type ApprovalStore = ReturnType<typeof createApprovalStore>

export function createApprovalStore({ db, clock, ids }: Deps) {
  async function find(id: string): Promise<Approval> {
    const approval = await db.get(
      Approval,
      sql`SELECT ${COLUMNS} FROM run_approvals WHERE id = ${id}`,
    )
    if (approval === undefined) throw ApprovalUnknown({ id })
    return approval
  }
  const findUnused = (runId: string, condition: Sql = sql`1 = 1`): Promise<Approval | undefined> =>
    db.get(
      Approval,
      sql`SELECT ${COLUMNS} FROM run_approvals WHERE run_id = ${runId} AND ${condition}
        AND expires_at > ${databaseNow(db, clock)} AND status IN ('allowed', 'denied') AND used_at IS NULL
        ORDER BY answered_at LIMIT 1`,
    )
  async function isOverdue(id: string): Promise<boolean> {
    const row = await db.get(
      z.object({ id: z.string() }),
      sql`SELECT id FROM run_approvals
        WHERE id = ${id} AND expires_at <= ${databaseNow(db, clock)}`,
    )
    return row !== undefined
  }
  async function answer(
    id: string,
    input: AnswerInput,
    status: Approval["status"] = input.decision === "allow" ? "allowed" : "denied",
  ): Promise<Approval> {
    const approval = await find(id)
    const at = clock.now()
    const mayBeLate = approval.status === "open" && status !== "expired"
    if (mayBeLate && (await isOverdue(id))) await answer(id, BY_CLOCK, "expired")
    const { runId } = approval
    const isFirst = await db.transaction(async (tx) => {
      const row = { status, at, by: input.by, note: input.note ?? null }
      const { changes } = await tx.run(answerApproval(id, row))
      if (changes === 0) return false
      const body = JSON.stringify({ approvalId: id, ...input })
      await tx.run(insertCommand({ id: ids.next("cmd"), runId, kind: "answer", body, at }))
      tx.emit("agents.answered", { id: runId, approvalId: id, status })
      return true
    })
    const answered = await find(id)
    if (isFirst) return answered
    const { status: first, answeredBy } = answered
    invariant(first !== "open", "an approval that could not be answered is not open")
    throw ApprovalAnswered({ id, status: first, by: answeredBy ?? "somebody" })
  }
  return {
    find,
    answer,
    list: (runId?: string): Promise<Approval[]> =>
      db.all(
        Approval,
        runId === undefined
          ? sql`SELECT ${COLUMNS} FROM run_approvals WHERE status = 'open'
              ORDER BY requested_at, id LIMIT 500`
          : sql`SELECT ${COLUMNS} FROM run_approvals WHERE run_id = ${runId}
              ORDER BY requested_at, id LIMIT 5000`,
      ),
    async expireOverdue(): Promise<void> {
      const overdue = await db.all(
        Approval,
        sql`SELECT ${COLUMNS} FROM run_approvals
          WHERE status = 'open' AND expires_at <= ${databaseNow(db, clock)} LIMIT 100`,
      )
      for (const { id } of overdue) {
        try {
          await answer(id, BY_CLOCK, "expired")
        } catch (error) {
          if (!isAppError(error)) throw error
        }
      }
    },
    /**
     * Returns true for the first caller only: an answer is for one request. A driver that has lost
     * the run uses none.
     */
    markUsed: async (id: string, claim: Claim): Promise<boolean> =>
      (await db.run(sql`${markUsed(id, clock.now())} AND ${isClaimed(claim)}`)).changes > 0,
    findUnusedFor: (runId: string, digest: string) => findUnused(runId, sql`digest = ${digest}`),
    findUnused: (runId: string) => findUnused(runId),
  }
}

const BY_CLOCK = { decision: "deny", by: "the timeout", note: "No answer in time." } as const

export function answerPrompt({ title, status, note }: Approval): string {
  const why = note === null ? "" : ` (${note})`
  return `Before you were interrupted you requested: ${title}. The request was ${status}${why}. Continue.`
}

type ApprovalRequested = Extract<AgentEvent, { event: "approval.requested" }>
type ApprovalResolved = Extract<AgentEvent, { event: "approval.resolved" }>
type NewApproval = { readonly approval: Approval; readonly hostId: string }

export type ApprovalChanges = {
  readonly requested: readonly NewApproval[]
  readonly resolved: readonly ApprovalResolved[]
}

type TrackerDeps = { readonly clock: Clock; readonly ids: Ids; redact(text: string): string }

/**
 * Replaces the host's approval ids, which it may reuse, by ours, and maps them back for the answer.
 */
export function createApprovalTracker(run: Run, deps: TrackerDeps) {
  const ids = new Map<string, string>()
  const hostIds = new Map<string, string>()

  function request(event: ApprovalRequested): NewApproval {
    const approval = approvalOf(event, run, deps)
    // An answer to an earlier request with the same id does not apply to this one.
    hostIds.delete(ids.get(event.approvalId) ?? "")
    ids.set(event.approvalId, approval.id)
    hostIds.set(approval.id, event.approvalId)
    return { approval, hostId: event.approvalId }
  }
  return {
    track(events: readonly EmittedEvent[]): ApprovalChanges & { events: readonly EmittedEvent[] } {
      const requested: NewApproval[] = []
      const resolved: ApprovalResolved[] = []
      const renamed = events.map((emitted): EmittedEvent => {
        const { event } = emitted
        if (event.event === "approval.requested") {
          const added = request(event)
          requested.push(added)
          return { ...emitted, event: { ...event, approvalId: added.approval.id } }
        }
        if (event.event !== "approval.resolved") return emitted
        const approvalId = ids.get(event.approvalId) ?? event.approvalId
        resolved.push({ ...event, approvalId })
        return { ...emitted, event: { ...event, approvalId } }
      })
      return { events: renamed, requested, resolved }
    },
    hostIdOf: (approvalId: string): string | undefined => hostIds.get(approvalId),
  }
}

function approvalOf(event: ApprovalRequested, run: Run, deps: TrackerDeps): Approval {
  const at = deps.clock.now()
  const input = deps.redact(event.input)
  const { file_path, path } = Paths.safeParse(parseJson(input)).data ?? {}
  return {
    id: deps.ids.next("apr"),
    runId: run.id,
    tool: deps.redact(event.tool),
    title: deps.redact(event.title),
    input,
    digest: digestOf(event, run.cwd),
    path: file_path ?? path ?? null,
    cwd: run.cwd,
    status: "open",
    requestedAt: at,
    expiresAt: at + APPROVAL_LIFE_MS,
    answeredAt: null,
    answeredBy: null,
    note: null,
  }
}

const Paths = z.object({ file_path: z.string(), path: z.string() }).partial()

/** An answer applies to the same tool with the same input in the same directory. */
export function digestOf({ tool, input }: Pick<Approval, "tool" | "input">, cwd: string): string {
  return createHash("sha256")
    .update(JSON.stringify([tool, input, cwd]))
    .digest("hex")
}

const STATUS = { allow: "allowed", deny: "denied", expired: "expired" } as const

export async function saveApprovals(
  tx: Tx<"agents">,
  { requested, resolved }: ApprovalChanges,
  it: { readonly runId: string; readonly at: number; readonly clock: Clock },
): Promise<void> {
  const { runId, at } = it
  const expiresAt = sql`${databaseNow(tx, it.clock)} + ${APPROVAL_LIFE_MS}`
  for (const { approval, hostId } of requested) {
    // A request repeated after an interruption reuses its row, so it is answered once.
    await tx.run(sql`
      UPDATE run_approvals SET status = 'expired', answered_at = ${at},
        answered_by = 'asked again', used_at = ${at}
      WHERE run_id = ${approval.runId} AND digest = ${approval.digest} AND status = 'open'`)
    await tx.run(sql`
      INSERT INTO run_approvals (id, run_id, host_id, tool, title, input, digest, path, cwd,
        status, requested_at, expires_at, answered_at, answered_by, note, used_at)
      VALUES (${approval.id}, ${approval.runId}, ${hostId}, ${approval.tool}, ${approval.title}, ${approval.input},
        ${approval.digest}, ${approval.path}, ${approval.cwd}, 'open', ${approval.requestedAt}, ${expiresAt},
        NULL, NULL, NULL, NULL)`)
    tx.emit("agents.asked", { id: runId, approvalId: approval.id, title: approval.title })
  }
  for (const { approvalId, decision, by } of resolved) {
    const status = STATUS[decision]
    const { changes } = await tx.run(answerApproval(approvalId, { status, at, by, note: null }))
    await tx.run(markUsed(approvalId, at))
    if (changes > 0) tx.emit("agents.answered", { id: runId, approvalId, status })
  }
}
