import { KINDS } from "../base/kinds.ts"
import type { Now, NowRow } from "../contract.ts"
import { paths } from "./paths.ts"

export type Today = {
  readonly running: number
  readonly waiting: number
  readonly tokens: number | null
  readonly usd: number | null
  readonly unknownCosts: number
  readonly runs: number
}

export function sumToday({ waiting, running, ended, spend }: Now): Today {
  const rows = [...waiting, ...running, ...ended]
  return {
    running: running.filter((it) => it.state === "running").length,
    waiting: waiting.length,
    tokens: sumKnown(rows, tokensOfRow),
    usd: spend.todayUsd,
    unknownCosts: spend.unknown,
    runs: rows.length,
  }
}

export function tokensOfRow({ tokens }: NowRow): number | undefined {
  if (tokens === undefined) return undefined
  return KINDS.reduce((sum, kind) => sum + (tokens[kind] ?? 0), 0)
}

export function hrefOfRow({ id, kind }: Pick<NowRow, "id" | "kind">): string {
  return kind === "pipeline" ? paths.pipeline(id) : paths.run(id)
}

/** Unknown is not 0: a sum is known if at least one part is. */
function sumKnown(rows: readonly NowRow[], of: (row: NowRow) => number | undefined): number | null {
  const values = rows.map(of).filter((it) => it !== undefined)
  return values.length === 0 ? null : values.reduce((sum, it) => sum + it, 0)
}
