import { type CaptureBudget, CONTEXT_KINDS, type Manifest } from "#ground/contract"
import { findDuplicates, type Weighed } from "./duplicates.ts"
import { MOST_BIGGEST_SHOWN } from "./limits.ts"

type Sizes = { readonly window: number; readonly startBudget: number }

/** What the window is spent on before the first word, and what of it could be saved. */
export function analyseBudget(
  manifest: Manifest,
  texts: readonly Weighed[],
  sizes: Sizes,
): CaptureBudget {
  const { items, totals } = manifest
  const inWindow = items.filter((it) => it.tokens > 0)
  const kinds = CONTEXT_KINDS.map((kind) => {
    const ofKind = inWindow.filter((it) => it.kind === kind)
    return { kind, tokens: ofKind.reduce((total, it) => total + it.tokens, 0) }
  })
  return {
    ...sizes,
    tokens: totals.tokensInWindow,
    share: totals.tokensInWindow / sizes.window,
    kinds: kinds.filter((it) => it.tokens > 0),
    biggest: inWindow
      .toSorted((a, b) => b.tokens - a.tokens)
      .slice(0, MOST_BIGGEST_SHOWN)
      .map(({ path, label, tokens }) => ({ path, label, tokens })),
    duplicates: findDuplicates(texts),
  }
}
