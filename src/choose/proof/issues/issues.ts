import type { BenchIssues, CallContext, Config, IssueRanker } from "#ground/contract"
import type { TokenCounter } from "#ground/tokens"
import { createMeanings } from "#know/map"
import type { Ranker } from "#know/search"
import { bm25, type Contender } from "../recall/contenders.ts"
import { mean, pairedDifference } from "../recall/metrics.ts"
import { OURS, ours, VARIANTS } from "../recall/qm-variants.ts"
import { type IssueDeps, type IssueInput, visitIssues } from "./issue-runs.ts"

const RANKS = [1, 3, 5, 10] as const

export type IssueParts = {
  readonly ranker: Ranker
  readonly counter: TokenCounter
  readonly settings: Config["pack"]
  readonly deps: IssueDeps
}

type Measured = {
  readonly accuracy: readonly number[]
  readonly recall: readonly number[]
  readonly mrr: number
}

type Column = { readonly contender: Contender; readonly measured: Measured[] }

export async function measureIssues(
  input: IssueInput & { readonly ablation: boolean },
  parts: IssueParts,
  context: CallContext,
): Promise<BenchIssues> {
  const columns = contendersFor(input.ablation, parts).map(
    (contender): Column => ({ contender, measured: [] }),
  )
  const run = await visitIssues(input, parts.deps, {
    ...context,
    async visit(set) {
      for (const { contender, measured } of columns) {
        measured.push(measureOrder((await contender.run(set)).ranked, set.truth))
      }
    },
  })
  return { ...run, rankers: rankersOf(columns) }
}

function contendersFor(
  ablation: boolean,
  { ranker, counter, settings }: IssueParts,
): readonly Contender[] {
  const ourParts = {
    ranker,
    settings,
    countTokens: counter.count,
    mostTokens: 1,
    meaningOf: createMeanings(ranker),
  }
  const variants = ablation ? VARIANTS.filter((it) => it.select === undefined) : []
  const wordOnly = variants.filter((it) => it.withMeaning !== true)
  return [bm25(ranker, counter.count), ...[OURS, ...wordOnly].map((it) => ours(it, ourParts))]
}

export function measureOrder(ranked: readonly string[], truth: ReadonlySet<string>): Measured {
  const inFirst = (most: number) => ranked.slice(0, most).filter((it) => truth.has(it)).length
  const first = ranked.findIndex((it) => truth.has(it))
  return {
    accuracy: RANKS.map((it) => (inFirst(it) === truth.size ? 1 : 0)),
    recall: RANKS.map((it) => inFirst(it) / truth.size),
    mrr: first < 0 ? 0 : 1 / (first + 1),
  }
}

function rankersOf(columns: readonly Column[]): IssueRanker[] {
  const base = columns[0]?.measured ?? []
  return columns.map(({ contender, measured }, index) => {
    const values = (of: "accuracy" | "recall") =>
      RANKS.map((rank, at) => ({ rank, value: mean(measured.map((it) => it[of][at] ?? 0)) }))
    const differences = (of: "accuracy" | "recall") =>
      RANKS.map((rank, at) => ({
        rank,
        difference: pairedDifference(
          measured.map((it) => it[of][at] ?? 0),
          base.map((it) => it[of][at] ?? 0),
        ),
      }))
    return {
      ranker: contender.name,
      accuracy: values("accuracy"),
      recall: values("recall"),
      mrr: mean(measured.map((it) => it.mrr)),
      overBm25:
        index === 0 ? null : { accuracy: differences("accuracy"), recall: differences("recall") },
    }
  })
}
