import type { ReactNode } from "react"
import { formatExact, type TokenCount } from "../../contract.ts"
import { BudgetBar } from "../budget-bar/budget-bar.tsx"
import { Meter } from "../meter/meter.tsx"
import { Path } from "../path/path.tsx"
import { Text } from "../text/text.tsx"
import styles from "./command.module.css"

export function CommandResult({ children }: { readonly children: ReactNode }) {
  return <div className={styles.result}>{children}</div>
}

export function TokenCountResult({ count }: { readonly count: TokenCount }) {
  const { total, files, budget } = count
  return (
    <CommandResult>
      <div className={styles.figure}>
        <p>
          <Text size="title-md">{formatExact(total.tokens)}</Text>
          <Text tone="2">
            tokens, {(total.share * 100).toFixed(1)} % of {formatExact(budget)}
          </Text>
        </p>
        <BudgetBar tokens={{ files: total.tokens }} budget={budget} />
      </div>
      <ul className={styles.counted}>
        {files.map((it) => (
          <li key={it.path ?? "text"}>
            {it.path === undefined ? <span>The text</span> : <Path path={it.path} />}
            <Meter share={it.share} label={`${it.path ?? "The text"}, share of the budget`} />
            <Text mono align="end">
              {formatExact(it.tokens)}
            </Text>
          </li>
        ))}
      </ul>
    </CommandResult>
  )
}
