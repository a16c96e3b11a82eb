import type { BranchCharges } from "#ground/contract"
import { CHARGE_SOURCES } from "#ground/contract"
import type { Db } from "#ground/store"
import { sumCharges } from "../queries.ts"
import { ChargesRow } from "../rows.ts"

/** Fits the parameters of one statement in every database. */
const MOST_IDS_AT_ONCE = 500

/** Sums of the ledger by branch and source, in the order of the sources. */
export async function chargesOfAll(
  db: Pick<Db<"fold">, "all">,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly BranchCharges[]>> {
  const rows: ChargesRow[] = []
  for (let from = 0; from < ids.length; from += MOST_IDS_AT_ONCE) {
    rows.push(...(await db.all(ChargesRow, sumCharges(ids.slice(from, from + MOST_IDS_AT_ONCE)))))
  }
  const order = (it: ChargesRow): number => CHARGE_SOURCES.indexOf(it.source)
  const byBranch = Map.groupBy(
    rows.toSorted((a, b) => order(a) - order(b)),
    (it) => it.branch,
  )
  const chargesIn = (it: ChargesRow): BranchCharges => ({
    source: it.source,
    charges: it.charges,
    tokens: it.tokens,
  })
  return new Map([...byBranch].map(([id, of]) => [id, of.map(chargesIn)]))
}

export async function chargesOf(
  db: Pick<Db<"fold">, "all">,
  id: string,
): Promise<readonly BranchCharges[]> {
  return (await chargesOfAll(db, [id])).get(id) ?? []
}
