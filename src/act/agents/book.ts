import { type Clock, type Ids, invariant } from "#ground/base"
import type { Approval, Message, Run, RunConfiguration } from "#ground/contract"
import type { Db } from "#ground/store"
import { ApprovalAnswered, ApprovalUnknown, RunUnknown, TooManyQueued } from "./errors.ts"
import { MOST_QUEUED_TURNS } from "./limits.ts"
import {
  ApprovalRow,
  answerApproval,
  CountRow,
  claimRun,
  countTurns,
  deleteRun,
  FenceRow,
  finishTurn,
  insertRun,
  insertTurn,
  MessageRow,
  type Owner,
  RunRow,
  selectApproval,
  selectMessages,
  selectOpenApprovals,
  selectRun,
  selectRuns,
  selectTurns,
  selectUnfinished,
  TurnRow,
} from "./queries.ts"
import type { Claim } from "./writer.ts"

type Deps = {
  readonly db: Db<"agents">
  readonly clock: Clock
  readonly ids: Ids
  readonly owner: Owner
}

export type AnswerInput = {
  readonly decision: "allow" | "deny"
  readonly note?: string | undefined
  readonly by: string
}

export type Book = ReturnType<typeof createBook>

/** The runs as they are kept; nothing here knows whether an agent is at work. */
export function createBook(deps: Deps) {
  const { db } = deps
  const find = async (id: string): Promise<RunRow> => {
    const row = await db.get(RunRow, selectRun(id))
    if (row === undefined) throw RunUnknown({ id })
    return row
  }
  return {
    find,
    list: async (limit: number): Promise<Run[]> =>
      (await db.all(RunRow, selectRuns(limit))).map((it) => it.run),
    unfinished: (): Promise<RunRow[]> => db.all(RunRow, selectUnfinished()),
    async messages(id: string, after: number, limit: number): Promise<Message[]> {
      await find(id)
      return db.all(MessageRow, selectMessages(id, after, limit))
    },
    async add(run: Run, configuration: RunConfiguration): Promise<void> {
      await db.transaction(async (tx) => {
        await tx.run(insertRun(run, configuration))
        tx.emit("agents.created", { id: run.id, type: run.type, title: run.title })
      })
    },
    /** The right to write from now on; undefined when the run was deleted meanwhile. */
    async claim(runId: string): Promise<Claim | undefined> {
      const query = claimRun(runId, deps.owner, 0)
      const claimed = await db.transaction((tx) => tx.get(FenceRow, query))
      return claimed === undefined ? undefined : { runId, fence: claimed.fence }
    },
    async remove(id: string): Promise<void> {
      await db.transaction(async (tx) => {
        for (const query of deleteRun(id)) await tx.run(query)
        tx.emit("agents.deleted", { id })
      })
    },
    ...createQueue(deps),
    ...createApprovals(deps),
  }
}

/** Turns that wait behind the running one. */
function createQueue({ db, ids, clock }: Deps) {
  return {
    async queueTurn(runId: string, text: string): Promise<void> {
      const waiting = await db.get(CountRow, countTurns(runId))
      if ((waiting?.count ?? 0) >= MOST_QUEUED_TURNS) {
        throw TooManyQueued({ id: runId, most: MOST_QUEUED_TURNS })
      }
      await db.run(insertTurn({ id: ids.next("trn"), runId, text, at: clock.now() }))
    },
    async takeTurn(runId: string): Promise<string | undefined> {
      const [turn] = await db.all(TurnRow, selectTurns(runId))
      if (turn === undefined) return undefined
      await db.run(finishTurn(turn.id, clock.now()))
      return turn.text
    },
  }
}

function createApprovals({ db, clock }: Deps) {
  const findApproval = async (id: string) => {
    const found = await db.get(ApprovalRow, selectApproval(id))
    if (found === undefined) throw ApprovalUnknown({ id })
    return found
  }
  return {
    approvals: async (): Promise<Approval[]> =>
      (await db.all(ApprovalRow, selectOpenApprovals())).map((it) => it.approval),
    /** Gives the first answer; a second one is told whose the first was. */
    async answerOnce(id: string, answer: AnswerInput) {
      const { approval } = await findApproval(id)
      const status = answer.decision === "allow" ? "allowed" : "denied"
      const given = { status, at: clock.now(), by: answer.by, note: answer.note ?? null }
      const { changes } = await db.transaction(async (tx) => {
        const result = await tx.run(answerApproval(id, given))
        const told = { id: approval.runId, approvalId: id, status }
        if (result.changes > 0) tx.emit("agents.answered", told)
        return result
      })
      const now = await findApproval(id)
      if (changes > 0) return now
      const { status: first, answeredBy } = now.approval
      invariant(first !== "open", "an approval that could not be answered is not open")
      throw ApprovalAnswered({ id, status: first, by: answeredBy ?? "somebody" })
    },
  }
}
