import { WeightsInvalid } from "./errors.ts"
import { baseNameOf, type Corpus } from "./ranker/corpus.ts"
import { companionsOf, type History } from "./ranker/history.ts"
import type { Ranking } from "./ranker/rank.ts"

/** Added to a rank whose weight falls from 1 to 0.14. */
export type LiftWeights = Readonly<Record<Tie, number>>

const TIES = ["coChange", "folder", "stem"] as const
type Tie = (typeof TIES)[number]

/**
 * Not tuned: fitted on five repositories and evaluated on the sixth, r@10 was 0.2 points lower (95
 * % interval -0.7 to 0.1, 539 commits), because the ranker already uses co-changes
 * (docs/reference/recall.md). So the second stage is off.
 */
export const LIFT_WEIGHTS: LiftWeights = { coChange: 0.1, folder: 0.1, stem: 0.1 }

export type LiftedFile = {
  readonly position: number
  readonly rankBefore: number
  readonly ties: Readonly<Record<Tie, number>>
}

const REACH = 50
const VOUCHERS = 10

/**
 * Reorders the first fifty: a change of several files often has its best match on top and the rest
 * below the tenth.
 */
export function lift(
  ranking: Pick<Ranking, "order">,
  tree: { readonly corpus: Corpus; readonly history?: History },
  weights: LiftWeights,
): readonly LiftedFile[] {
  checkWeights(weights)
  const top = [...ranking.order.subarray(0, REACH)]
  const vouchers = top.slice(0, VOUCHERS).map((position, rank) => ({
    position,
    strength: strengthOf(rank),
    companions: tree.history === undefined ? NOBODY : companionsOf(tree.history, position),
  }))
  const stems = stemsOf(top, tree.corpus)
  const lifted = top.map((position, rankBefore) => {
    const others = vouchers.filter((it) => it.position !== position)
    const ties = {
      coChange: strongest(others, (it) => it.companions.get(position) ?? 0),
      folder: strongest(others, (it) => nearness(tree.corpus, it.position, position)),
      stem: strongest(others, (it) => (stems(it.position) === stems(position) ? 1 : 0)),
    }
    return { position, rankBefore, ties }
  })
  const worth = (it: LiftedFile) =>
    TIES.reduce((sum, tie) => sum + weights[tie] * it.ties[tie], strengthOf(it.rankBefore))
  return lifted.toSorted((a, b) => worth(b) - worth(a) || a.rankBefore - b.rankBefore)
}

const NOBODY: ReadonlyMap<number, number> = new Map()

type Voucher = { readonly position: number; readonly strength: number } & {
  readonly companions: ReadonlyMap<number, number>
}

function strengthOf(rank: number): number {
  return 1 / (1 + rank / 8)
}

function strongest(vouchers: readonly Voucher[], tie: (voucher: Voucher) => number): number {
  return vouchers.reduce((most, it) => Math.max(most, it.strength * tie(it)), 0)
}

/** A folder of hundreds of files relates none of them. */
function nearness({ folders, folderSizes }: Corpus, one: number, other: number): number {
  const folder = folders[one] ?? -1
  if (folder !== folders[other]) return 0
  return 1 / Math.sqrt(Math.max(1, (folderSizes[folder] ?? 1) - 1))
}

/**
 * `cache.h` and `cache.c` belong together; the fifty `index.ts` of a repository do not, so a stem
 * that many of the files share does not count.
 */
function stemsOf(top: readonly number[], { paths }: Corpus): (position: number) => string | number {
  const stemByPosition = new Map(top.map((it) => [it, stemOf(paths[it] ?? "")]))
  const counts = Map.groupBy(stemByPosition.values(), (stem) => stem)
  return (position) => {
    const stem = stemByPosition.get(position) ?? ""
    const isTelling = stem !== "" && (counts.get(stem)?.length ?? 0) <= MOST_NAMESAKES
    return isTelling ? stem : position
  }
}

const MOST_NAMESAKES = 4

function stemOf(path: string): string {
  return (baseNameOf(path).split(".")[0] ?? "").toLowerCase()
}

function checkWeights(weights: LiftWeights): void {
  for (const name of TIES) {
    const value = weights[name]
    if (!Number.isFinite(value) || value < 0) throw WeightsInvalid({ name, value })
  }
}
