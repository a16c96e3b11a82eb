import {
  analyzeTask,
  type RankedFiles,
  rankFiles,
  type SelectOptions,
  selectFiles,
} from "#choose/pack"
import type { Config } from "#ground/contract"
import type { IndexedTree } from "#know/map"
import { LIFT_WEIGHTS, type PostingsOf, type Ranker, type SemanticScores } from "#know/search"
import { type Contender, headingTokens } from "./contenders.ts"
import type { LineRange } from "./hunks.ts"
import type { PackedText } from "./metrics.ts"
import type { SetTask } from "./tasks.ts"

type OurParts = {
  readonly ranker: Ranker
  readonly meaningOf: (tree: IndexedTree) => Promise<SemanticScores>
  readonly settings: Config["pack"]
  readonly countTokens: (text: string) => number
  readonly mostTokens: number
}

type Variant = {
  readonly name: string
  readonly treeOf?: (tree: IndexedTree) => IndexedTree
  readonly withMeaning?: boolean
  readonly withSecondStage?: boolean
  readonly select?: Partial<Pick<SelectOptions, "closure" | "fill" | "truncate">>
}

export function ours(variant: Variant, parts: OurParts): Contender {
  return {
    name: variant.name,
    async run(set) {
      const tree = variant.treeOf?.(set.tree) ?? set.tree
      const prepared = await prepareFor(variant, { set, tree, parts })
      return {
        ranked: rankedBy(variant, prepared),
        pack: (budgetTokens) => packOf(tree, prepared, { parts, variant, budgetTokens }),
      }
    },
  }
}

const preparedOnce = new WeakMap<SetTask, Promise<RankedFiles>>()

type VariantInput = {
  readonly set: SetTask
  readonly tree: IndexedTree
  readonly parts: OurParts
}

function prepareFor(variant: Variant, preparing: VariantInput): Promise<RankedFiles> {
  const { treeOf, withMeaning, withSecondStage } = variant
  const isPlain = treeOf === undefined && withMeaning !== true && withSecondStage !== true
  if (!isPlain) return prepareOne(variant, preparing)
  const prepared = preparedOnce.get(preparing.set) ?? prepareOne(variant, preparing)
  preparedOnce.set(preparing.set, prepared)
  return prepared
}

async function prepareOne(
  variant: Variant,
  { set, tree, parts }: VariantInput,
): Promise<RankedFiles> {
  const { ranker, settings, mostTokens } = parts
  const task = set.task.text
  const analysis = analyzeTask(task, { domains: settings.domains })
  const request = { task, analysis, budgetTokens: mostTokens, settings }
  return rankFiles(tree, request, {
    ranker,
    ...(variant.withMeaning === true && { meaning: await parts.meaningOf(tree) }),
    ...(variant.withSecondStage === true && { lift: LIFT_WEIGHTS }),
    place: () => undefined,
  })
}

/** The second stage changes the order of files, not the scores that a package uses. */
function rankedBy({ withSecondStage }: Variant, { scored }: RankedFiles): readonly string[] {
  const placeOf = (it: (typeof scored)[number]) => it.rank ?? Number.MAX_SAFE_INTEGER
  const files =
    withSecondStage === true ? scored.toSorted((a, b) => placeOf(a) - placeOf(b)) : scored
  return files.map((it) => it.file.path)
}

async function packOf(
  tree: IndexedTree,
  prepared: RankedFiles,
  it: { readonly parts: OurParts; readonly variant: Variant; readonly budgetTokens: number },
): Promise<PackedText> {
  const selection = await selectFiles(tree, prepared, {
    budgetTokens: it.budgetTokens,
    truncate: "signatures",
    closure: true,
    fill: false,
    ...it.variant.select,
    formOf: () => undefined,
    headingTokens: ({ file }) => headingTokens(file.path, it.parts.countTokens),
    isSent: () => false,
  })
  const lines = new Map(
    selection.files.map(({ path, content, segments }) => [
      path,
      segments.flatMap((index): LineRange | readonly LineRange[] => content.segments[index] ?? []),
    ]),
  )
  const tokens = selection.files.flatMap(({ path, content, segments, signatures }) => [
    headingTokens(path, it.parts.countTokens),
    ...segments.map((index) => content.segments[index]?.tokens ?? 0),
    ...signatures.map((index) => content.symbols[index]?.signatureTokens ?? 0),
  ])
  return { lines, tokens: tokens.reduce((sum, one) => sum + one, 0) }
}

export const OURS: Variant = { name: "qm" }

export const FILLED: Variant = { name: "qm --fill", select: { fill: true } }

export const VARIANTS: readonly Variant[] = [
  { name: "qm without history", treeOf: (tree) => ({ ...tree, history: () => undefined }) },
  {
    name: "qm without definitions",
    treeOf: (tree) => ({
      ...tree,
      postings: async (terms) => withoutDefinitions(await tree.postings(terms)),
    }),
  },
  {
    name: "qm without paths",
    treeOf: (tree) => ({ ...tree, corpus: () => ({ ...tree.corpus(), pathPostings: new Map() }) }),
  },
  {
    name: "qm without names",
    treeOf: (tree) => ({
      ...tree,
      definers: async () => new Map(),
      referrers: async () => new Map(),
    }),
  },
  { name: "qm with word table", withMeaning: true },
  { name: "qm with second stage", withSecondStage: true },
  { name: "qm without closure", select: { closure: false } },
  { name: "qm of whole files", select: { truncate: "relevance", closure: false } },
]

function withoutDefinitions(postingsOf: PostingsOf): PostingsOf {
  return (term) => postingsOf(term).map((value, at) => (at % 3 === 2 ? 0 : value))
}
