import type { BenchIssues, CallContext, Config, IssueRanker } from "#ground/contract"
import type { TokenCounter } from "#ground/tokens"
import { createMeanings } from "#know/map"
import type { Ranker } from "#know/search"
import { bm25, type Contender } from "../recall/contenders.ts"
import { mean, pairedDifference } from "../recall/metrics.ts"
import { NO_PEERS, openPeers, type Peers } from "../recall/peer-contenders.ts"
import { OURS, ours, VARIANTS } from "../recall/qm-variants.ts"
import { type IssueDeps, type IssueInput, visitIssues } from "./issue-runs.ts"

const RANKS = [1, 3, 5, 10] as const

export type IssueParts = {
  readonly ranker: Ranker
  readonly counter: TokenCounter
  readonly settings: Config["pack"]
  readonly deps: IssueDeps
}

export type MeasuredOrder = {
  readonly accuracy: readonly number[]
  readonly recall: readonly number[]
  readonly mrr: number
}

type Column = { readonly contender: Contender; readonly measured: MeasuredOrder[] }

export async function measureIssues(
  input: IssueInput & { readonly ablation: boolean; readonly peers: boolean },
  parts: IssueParts,
  context: CallContext,
): Promise<BenchIssues> {
  await using peers = input.peers ? await peersFor(input, parts, context) : NO_PEERS
  const contenders = [...contendersFor(input.ablation, parts), ...peers.contenders]
  const columns = contenders.map((contender): Column => ({ contender, measured: [] }))
  const run = await visitIssues(input, parts.deps, {
    ...context,
    async visit(set) {
      for (const { contender, measured } of columns) {
        measured.push(measureOrder((await contender.run(set)).ranked, set.truth))
      }
    },
  })
  const rows = columns.map(({ contender, measured }) => ({ name: contender.name, measured }))
  return { ...run, rankers: rankersOf(rows), missingPeers: [...peers.missing] }
}

export function peersFor(
  { repos }: IssueInput,
  { deps, counter }: IssueParts,
  { signal }: CallContext,
): Promise<Peers> {
  return openPeers({
    searchPath: deps.environment["PATH"] ?? "",
    without: deps.resolve(repos),
    countTokens: counter.count,
    signal,
  })
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

export function measureOrder(ranked: readonly string[], truth: ReadonlySet<string>): MeasuredOrder {
  const inFirst = (most: number) => ranked.slice(0, most).filter((it) => truth.has(it)).length
  const first = ranked.findIndex((it) => truth.has(it))
  return {
    accuracy: RANKS.map((it) => (inFirst(it) === truth.size ? 1 : 0)),
    recall: RANKS.map((it) => inFirst(it) / truth.size),
    mrr: first < 0 ? 0 : 1 / (first + 1),
  }
}

type MeasuredRanker = { readonly name: string; readonly measured: readonly MeasuredOrder[] }

/** The first ranker is BM25, which the others are compared with. */
export function rankersOf(columns: readonly MeasuredRanker[]): IssueRanker[] {
  const base = columns[0]?.measured ?? []
  return columns.map(({ name, measured }, index) => {
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
      ranker: name,
      accuracy: values("accuracy"),
      recall: values("recall"),
      mrr: mean(measured.map((it) => it.mrr)),
      overBm25:
        index === 0 ? null : { accuracy: differences("accuracy"), recall: differences("recall") },
    }
  })
}
