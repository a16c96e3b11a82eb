import type { ContextPack, PackFormat, PackSummaryItem } from "#ground/contract"
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
  selectSentBodies,
  selectSummaries,
} from "../queries.ts"
import { cleanLine } from "../render/clean.ts"

/** The newest packages of a repository; a store may hold those of others beside them. */
export function createKept(db: Db<"pack">, { root }: { readonly root: string }) {
  return {
    /** By id; `last` is the newest. */
    async find(id: string): Promise<ContextPack> {
      const row = await db.get(
        BodyRow,
        id === "last" ? selectNewestBody(root) : selectBody(root, id),
      )
      if (row === undefined) throw PackUnknown({ id })
      return row.body
    },
    list: (limit: number): Promise<PackSummaryItem[]> =>
      db.all(SummaryRow, selectSummaries(root, limit)),
    /** Those of a session that went out with their text: a summary has sent no line of a file. */
    async sentIn(session: string): Promise<readonly ContextPack[]> {
      const asked = { root, session, limit: MOST_SESSION_PACKS }
      const rows = await db.all(BodyRow, selectSentBodies(asked))
      return rows.map((it) => it.body)
    },
    /** With the format it went out in; null is the summary. */
    keep: (pack: ContextPack, format: PackFormat | null): Promise<void> =>
      db.transaction(async (tx) => {
        await tx.run(insertPack(summaryOf(pack), { root, format, pack }))
        await tx.run(deleteSurplus(root, MOST_PACKS_KEPT))
        tx.emit("pack.built", { id: pack.id, tokens: pack.tokens, files: pack.files.length })
      }),
  }
}

export function summaryOf(pack: ContextPack): PackSummaryItem {
  const { id, role, budget, tokens, session, builtAt } = pack
  const task = cleanLine(pack.task, LONGEST_SHOWN_TASK_UNITS)
  return { id, task, role, budget, tokens, files: pack.files.length, session, builtAt }
}
