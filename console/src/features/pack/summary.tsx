import { type ContextPack, formatExact, plural } from "../../contract.ts"
import type { PackParams } from "../../data/paths.ts"
import { BudgetBar } from "../../ui/budget-bar/budget-bar.tsx"
import { Figure, FigureBarSkeleton } from "../../ui/figure/figure.tsx"

type SummaryProps = {
  readonly pack: ContextPack | undefined
  readonly picked: PackParams["kind"]
  onPick(kind: PackParams["kind"]): void
}

export function Summary({ pack, picked, onPick }: SummaryProps) {
  if (pack === undefined) {
    return (
      <Figure value={undefined} says="tokens" facts={[]}>
        <FigureBarSkeleton />
      </Figure>
    )
  }
  const { tokens, budget, files, manifest } = pack
  const { kinds, leftTokens } = manifest
  const free = Math.max(0, budget - tokens)
  return (
    <Figure
      value={formatExact(tokens)}
      says={`of ${formatExact(budget)} tokens, ${plural(files.length, "file")}`}
      facts={[
        { value: formatExact(free), says: "free" },
        ...(leftTokens > 0 ? [{ value: formatExact(leftTokens), says: "left out for space" }] : []),
      ]}
      aside={`notch: budget ${formatExact(budget)}`}
    >
      <BudgetBar
        tokens={Object.fromEntries(kinds.map((it) => [it.kind, it.tokens]))}
        cut={{ files: leftTokens }}
        budget={budget}
        picked={picked}
        onPick={(kind) => onPick(kind === "files" || kind === "symbols" ? kind : null)}
      />
    </Figure>
  )
}
