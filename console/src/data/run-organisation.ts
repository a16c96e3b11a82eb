import type { Organising } from "../contract.ts"
import { useOperation } from "./queries.tsx"

const NOTHING: Organising = { states: [], areStatesOwn: false, labels: [], views: [] }

/** Workflow states, labels and saved views, the same in every browser. */
export function useOrganising(): Organising {
  return useOperation("organise.show", {}).data ?? NOTHING
}

/** Defined labels below their parents, each with its depth, then the other names. */
export function labelTree(
  labels: Organising["labels"],
  others: readonly string[],
): readonly { readonly name: string; readonly depth: number }[] {
  const below = (parent: string | null, depth: number): { name: string; depth: number }[] =>
    labels
      .filter((it) => it.parent === parent && depth < labels.length)
      .flatMap((it) => [{ name: it.name, depth }, ...below(it.name, depth + 1)])
  const defined = below(null, 0)
  const rest = others.filter((name) => !defined.some((it) => it.name === name))
  return [...defined, ...rest.map((name) => ({ name, depth: 0 }))]
}
