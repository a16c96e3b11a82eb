import type { Approval } from "#ground/contract"
import { type Sql, sql } from "#ground/store"

export const insertApproval = (it: Approval, hostId: string): Sql => sql`
  INSERT INTO run_approvals (id, run_id, host_id, tool, title, input, digest, path, cwd, status,
    requested_at, expires_at, answered_at, answered_by, note, used_at)
  VALUES (${it.id}, ${it.runId}, ${hostId}, ${it.tool}, ${it.title}, ${it.input}, ${it.digest},
    ${it.path}, ${it.cwd}, 'open', ${it.requestedAt}, ${it.expiresAt}, NULL, NULL, NULL, NULL)`

export const selectApproval = (id: string): Sql => sql`
  SELECT * FROM run_approvals WHERE id = ${id}`

export const selectOpenApprovals = (): Sql => sql`
  SELECT * FROM run_approvals WHERE status = 'open' ORDER BY requested_at, id LIMIT 500`

export const selectApprovalsOf = (runId: string): Sql => sql`
  SELECT * FROM run_approvals WHERE run_id = ${runId} ORDER BY requested_at, id LIMIT 5000`

export const selectOverdue = (now: number): Sql => sql`
  SELECT * FROM run_approvals WHERE status = 'open' AND expires_at <= ${now} LIMIT 100`

/** An answer that its agent never got, because the process in between ended. */
export const selectUnused = (runId: string, digest: string, now: number): Sql => sql`
  SELECT * FROM run_approvals WHERE run_id = ${runId} AND digest = ${digest}
    AND expires_at > ${now} AND status IN ('allowed', 'denied') AND used_at IS NULL ORDER BY answered_at LIMIT 1`

/** True once: an answer is for one question. */
export const useAnswer = (id: string, at: number): Sql => sql`
  UPDATE run_approvals SET used_at = ${at} WHERE id = ${id} AND used_at IS NULL`

type Given = {
  readonly status: Approval["status"]
  readonly at: number
  readonly by: string
  readonly note: string | null
}

/** Only an open one can be answered, so two answers at once leave one. */
export const answerApproval = (id: string, answer: Given): Sql => sql`
  UPDATE run_approvals SET status = ${answer.status}, answered_at = ${answer.at},
    answered_by = ${answer.by}, note = ${answer.note}
  WHERE id = ${id} AND status = 'open'`

/** The same question of before an interruption: it is asked anew, and answered once. */
export const replaceApprovals = (it: Approval, at: number): Sql => sql`
  UPDATE run_approvals SET status = 'expired', answered_at = ${at}, answered_by = 'asked again',
    used_at = ${at}
  WHERE run_id = ${it.runId} AND digest = ${it.digest} AND status = 'open'`

/** Answers of which no agent knows: the process between died. */
export const selectUnusedOf = (runId: string, now: number): Sql => sql`
  SELECT * FROM run_approvals WHERE run_id = ${runId} AND used_at IS NULL AND expires_at > ${now}
    AND status IN ('allowed', 'denied') ORDER BY answered_at LIMIT 1`

export const expireApprovals = (runId: string, at: number): Sql => sql`
  UPDATE run_approvals SET status = 'expired', answered_at = ${at}, answered_by = 'the run ended'
  WHERE run_id = ${runId} AND status = 'open'`
