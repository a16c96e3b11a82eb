import { Meter } from "../meter/meter.tsx"
import styles from "./budget-lines.module.css"

export type BudgetLine = {
  readonly key: string
  readonly name: string
  readonly spent: string
  readonly budget: string
  /** Share of the budget; null without a limit. */
  readonly share: number | null
  readonly isAhead: boolean
}

type BudgetLinesProps = {
  readonly lines: readonly BudgetLine[]
  readonly total: Pick<BudgetLine, "name" | "spent" | "budget">
}

export function BudgetLines({ lines, total }: BudgetLinesProps) {
  const hasLimit = [...lines, total].some((it) => it.budget !== "")
  return (
    <>
      <div className={styles.heads} aria-hidden="true">
        <span>Spent</span>
        <span>{hasLimit ? "Limit" : ""}</span>
      </div>
      <ul className={styles.spend}>
        {lines.map((it) => (
          <li key={it.key} data-ahead={it.isAhead || undefined}>
            <span title={it.name}>{it.name}</span>
            <b>{it.spent}</b>
            <em>{it.budget}</em>
            <Meter share={it.share ?? 0} label={describeLine(it)} />
          </li>
        ))}
      </ul>
      <div className={styles.total}>
        <b>{total.name}</b>
        <b>{total.spent}</b>
        <em>{total.budget}</em>
      </div>
    </>
  )
}

function describeLine({ name, spent, budget }: BudgetLine): string {
  const used = spent === "" ? "nothing" : spent
  return budget === "" ? `${name}: ${used}` : `${name}: ${used} of ${budget}`
}
