import type { TokenScale } from "#ground/contract"
import { type AssembledPack, kindsOf } from "./assemble.ts"
import { sum } from "./fit/budget-board.ts"

type ScaledBudget = { readonly budget: number; readonly scale: TokenScale | null }

/** The index has counts of its encoding, so files are fitted into a budget of such tokens. */
export function countedBudget({ budget, scale }: ScaledBudget): number {
  return scale === null ? budget : Math.max(1, Math.floor(budget / scale.factor))
}

/** Every figure in tokens of the model. Rounded down, so that the sum stays within the budget. */
export function scalePack(pack: AssembledPack, { budget, scale }: ScaledBudget): AssembledPack {
  if (scale === null) return pack
  const scaled = (tokens: number) => Math.floor(tokens * scale.factor)
  const files = pack.files.map((it) => ({
    ...it,
    tokens: scaled(it.tokens),
    wholeTokens: scaled(it.wholeTokens),
  }))
  const records = pack.records.map((it) => ({ ...it, tokens: scaled(it.tokens) }))
  const { manifest } = pack
  return {
    ...pack,
    budget,
    tokens: sum([...files, ...records].map((it) => it.tokens)),
    files,
    records,
    left: pack.left.map((it) => ({ ...it, tokens: scaled(it.tokens) })),
    manifest: {
      ...manifest,
      kinds: kindsOf(files, records),
      leftTokens: scaled(manifest.leftTokens),
    },
  }
}
