import type { z } from "zod"
import { type Clock, type Ids, invariant, isAppError } from "#ground/base"
import type { Approval } from "#ground/contract"
import type { Db } from "#ground/store"
import { ApprovalAnswered, ApprovalUnknown } from "../../errors.ts"
import {
  answerApproval,
  selectApproval,
  selectApprovalsOf,
  selectOpenApprovals,
  selectOverdue,
  selectUnused,
  selectUnusedOf,
  useAnswer,
} from "./approval-queries.ts"
import { insertCommand } from "./command-queries.ts"
import { ApprovalRow } from "./rows.ts"

type Deps = { readonly db: Db<"agents">; readonly clock: Clock; readonly ids: Ids }

export type AnswerInput = {
  readonly decision: "allow" | "deny"
  readonly note?: string | undefined
  readonly by: string
}

export type Approvals = ReturnType<typeof createApprovals>

/** Questions of agents, each answered once, from any process. */
export function createApprovals({ db, clock, ids }: Deps) {
  const find = async (id: string) => {
    const found = await db.get(ApprovalRow, selectApproval(id))
    if (found === undefined) throw ApprovalUnknown({ id })
    return found
  }
  const answerOnce = createAnswering({ db, clock, ids }, find)
  return {
    find,
    async list(runId?: string): Promise<Approval[]> {
      const query = runId === undefined ? selectOpenApprovals() : selectApprovalsOf(runId)
      return (await db.all(ApprovalRow, query)).map((it) => it.approval)
    },
    /** Those that nobody answered in time; one answered at the last moment is left alone. */
    async expireOverdue(): Promise<void> {
      for (const { approval } of await db.all(ApprovalRow, selectOverdue(clock.now()))) {
        try {
          await answerOnce(approval.id, BY_CLOCK, "expired")
        } catch (error) {
          if (!isAppError(error)) throw error
        }
      }
    },
    answerOnce,
    /** An answer is for one question: true for whoever takes it first. */
    use: async (id: string): Promise<boolean> =>
      (await db.run(useAnswer(id, clock.now()))).changes > 0,
    /** An answer to the same question that its agent never got. */
    unused: async (runId: string, digest: string) =>
      (await db.get(ApprovalRow, selectUnused(runId, digest, clock.now())))?.approval,
    /** Whether somebody answered and no agent was told. */
    anyUnused: async (runId: string): Promise<Approval | undefined> =>
      (await db.get(ApprovalRow, selectUnusedOf(runId, clock.now())))?.approval,
  }
}

type Find = (id: string) => Promise<z.output<typeof ApprovalRow>>

function createAnswering({ db, clock, ids }: Deps, find: Find) {
  /** The first answer, and the word to the process that waits for it; a second is told whose. */
  async function answerOnce(id: string, answer: AnswerInput, status = statusOf(answer)) {
    const { approval } = await find(id)
    const at = clock.now()
    const isLate = approval.status === "open" && approval.expiresAt <= at && status !== "expired"
    if (isLate) await answerOnce(id, BY_CLOCK, "expired")
    const given = { status, at, by: answer.by, note: answer.note ?? null }
    const { runId } = approval
    const { changes } = await db.transaction(async (tx) => {
      const result = await tx.run(answerApproval(id, given))
      if (result.changes === 0) return result
      const body = JSON.stringify({ approvalId: id, ...answer })
      await tx.run(insertCommand({ id: ids.next("cmd"), runId, kind: "answer", body, at }))
      tx.emit("agents.answered", { id: runId, approvalId: id, status })
      return result
    })
    const now = await find(id)
    if (changes > 0) return now
    const { status: first, answeredBy } = now.approval
    invariant(first !== "open", "an approval that could not be answered is not open")
    throw ApprovalAnswered({ id, status: first, by: answeredBy ?? "somebody" })
  }
  return answerOnce
}

/** Nobody answered in time: the answer is no, and it is the clock's. */
const BY_CLOCK = { decision: "deny", by: "the clock", note: "Nobody answered in time." } as const

function statusOf({ decision }: AnswerInput): Approval["status"] {
  return decision === "allow" ? "allowed" : "denied"
}
