import type { ContextPack, PackSummaryItem } from "#ground/contract"
import type { Db } from "#ground/store"
import { PackUnknown } from "../errors.ts"
import { LONGEST_SHOWN_TASK_UNITS, MOST_PACKS_KEPT, MOST_SESSION_PACKS } from "../limits.ts"
import {
  BodyRow,
  deleteSurplus,
  insertPack,
  SummaryRow,
  selectBody,
  selectNewestBody,
  selectSessionBodies,
  selectSummaries,
} from "../queries.ts"
import { cleanLine } from "../render/clean.ts"

/** The packages of a repository, the newest of them. */
export function createKept(db: Db<"pack">) {
  return {
    /** By id; `last` is the newest. */
    async find(id: string): Promise<ContextPack> {
      const row = await db.get(BodyRow, id === "last" ? selectNewestBody() : selectBody(id))
      if (row === undefined) throw PackUnknown({ id })
      return row.body
    },
    list: (limit: number): Promise<PackSummaryItem[]> => db.all(SummaryRow, selectSummaries(limit)),
    async ofSession(session: string): Promise<readonly ContextPack[]> {
      const rows = await db.all(BodyRow, selectSessionBodies(session, MOST_SESSION_PACKS))
      return rows.map((it) => it.body)
    },
    keep: (pack: ContextPack): Promise<void> =>
      db.transaction(async (tx) => {
        await tx.run(insertPack(summaryOf(pack), pack))
        await tx.run(deleteSurplus(MOST_PACKS_KEPT))
        tx.emit("pack.built", { id: pack.id, tokens: pack.tokens, files: pack.files.length })
      }),
  }
}

export function summaryOf(pack: ContextPack): PackSummaryItem {
  const { id, role, budget, tokens, session, builtAt } = pack
  const task = cleanLine(pack.task, LONGEST_SHOWN_TASK_UNITS)
  return { id, task, role, budget, tokens, files: pack.files.length, session, builtAt }
}
