import type { Capture, ContextKind } from "../../contract.ts"
import { formatCount, formatExact } from "../../contract.ts"
import { BudgetBar } from "../../ui/budget-bar/budget-bar.tsx"
import { Figure, FigureBarSkeleton } from "../../ui/figure/figure.tsx"
import { sayTick } from "../../ui/waterfall/axis.ts"
import { sayShare } from "./words.ts"

type SummaryProps = {
  readonly capture: Capture | undefined
  readonly picked: ContextKind | null
  onPick(kind: ContextKind | null): void
}

const SAYS = "tokens in the window before the first word"

export function Summary({ capture, picked, onPick }: SummaryProps) {
  if (capture === undefined) {
    return (
      <Figure value={undefined} says={SAYS} facts={[]}>
        <FigureBarSkeleton />
      </Figure>
    )
  }
  const { tokens, share, window, startBudget, kinds } = capture.budget
  return (
    <Figure
      value={formatExact(tokens)}
      says={SAYS}
      facts={[
        { value: sayShare(share), says: `of ${sayTick(window)}` },
        { value: formatCount(capture.manifest.totals.tokensOnDemand), says: "more on demand" },
      ]}
      aside={`notch: start budget ${sayTick(startBudget)}`}
    >
      <BudgetBar
        tokens={Object.fromEntries(kinds.map((it) => [it.kind, it.tokens]))}
        budget={startBudget}
        picked={picked}
        onPick={onPick}
      />
    </Figure>
  )
}
