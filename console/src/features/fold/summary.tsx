import { formatCount, formatExact } from "../../contract.ts"
import { Compare } from "../../ui/compare/compare.tsx"
import { Figure } from "../../ui/figure/figure.tsx"
import type { FoldSums } from "./tree-lines.ts"

export function Summary({ sums }: { readonly sums: FoldSums }) {
  const { keptOut, seen, returned, isLowerBound } = sums
  const all = seen + keptOut
  const most = Math.max(1, all)
  return (
    <Figure
      value={`${isLowerBound ? "at least " : ""}${formatExact(keptOut)}`}
      says="tokens kept out of the windows"
      facts={[{ value: formatCount(returned), says: "tokens returned" }]}
    >
      <Compare
        lines={[
          { name: "In the windows", share: seen / most, figure: formatCount(seen) },
          {
            name: "Without folds",
            share: seen / most,
            gone: keptOut / most,
            figure: formatCount(all),
          },
        ]}
      />
    </Figure>
  )
}
