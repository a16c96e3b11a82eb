import type { SearchFind } from "#ground/contract"
import {
  cleanMessage,
  type FoundFiles,
  type PostingsOf,
  rarityIn,
  readQuery,
  type Search,
  type SearchedFile,
  scoreFileSymbols,
} from "#know/search"
import { MOST_FOUND_SYMBOLS, MOST_WEIGHED_FILES } from "../limits.ts"
import type { Content, IndexedTree } from "../tree/types.ts"
import { describeSymbol, type Redact, stateOf } from "./described.ts"

export type Finding = {
  readonly words: string
  readonly limit: number
  readonly redact: Redact
  readonly search: Pick<Search, "files">
}

/** The best files for some words, each with why and with its best symbols. */
export async function find(tree: IndexedTree, finding: Finding): Promise<SearchFind> {
  // Words that are only an address are still somebody's question.
  const task = cleanMessage(finding.words) || finding.words
  const query = readQuery(task)
  const postingsOf = await tree.postings(query.terms)
  const history = tree.history()
  const searched = { corpus: tree.corpus(), postingsOf, ...(history !== undefined && { history }) }
  const found = finding.search.files(task, searched, { most: finding.limit })
  const contents = await tree.contents(found.files.map((it) => contentAt(tree, it.position)))
  const scores = await scoreBest(tree, { task, found, contents, postingsOf })
  const files = found.files.map(({ path, position, share, reasons }) => {
    const content = contents.get(contentAt(tree, position))
    const best = (scores.get(path) ?? []).slice(0, MOST_FOUND_SYMBOLS)
    return {
      path,
      score: share,
      language: tree.files[position]?.language ?? null,
      tokens: tree.files[position]?.tokens ?? 0,
      reasons: [...reasons],
      symbols: best.flatMap(({ symbol, score }) => {
        const fact = content?.symbols[symbol]
        return fact === undefined ? [] : [{ ...describeSymbol(path, fact, finding.redact), score }]
      }),
    }
  })
  return { files, signals: signalsOf(found.head), state: stateOf(tree) }
}

type SymbolScore = { readonly symbol: number; readonly score: number }

/** Scores of symbols by path, best first; the best of all has 1. */
async function scoreBest(
  tree: IndexedTree,
  it: {
    readonly task: string
    readonly found: FoundFiles
    readonly contents: ReadonlyMap<number, Content>
    readonly postingsOf: PostingsOf
  },
): Promise<ReadonlyMap<string, readonly SymbolScore[]>> {
  const first = it.found.files.slice(0, MOST_WEIGHED_FILES)
  const texts = await tree.texts(first.map(({ path }) => path))
  const files = first.map(({ path, position }): SearchedFile => {
    const { symbols = [], segments = [] } = it.contents.get(contentAt(tree, position)) ?? {}
    // Of a file that changed since, names and signatures are still known.
    return { path, text: texts.get(path) ?? "", symbols, segments }
  })
  const rarity = rarityIn(tree.corpus(), it.postingsOf)
  const scores = scoreFileSymbols(readQuery(it.task), files, rarity)
  const bySymbol = files.map((file, index) => bestBySymbol(file, scores[index] ?? []))
  const most = Math.max(...bySymbol.map(([best]) => best?.score ?? 0), Number.MIN_VALUE)
  return new Map(
    files.map(({ path }, index) => [
      path,
      (bySymbol[index] ?? []).map(({ symbol, score }) => ({ symbol, score: score / most })),
    ]),
  )
}

/** A symbol is as good as its best segment. */
function bestBySymbol(
  { segments }: SearchedFile,
  scores: readonly number[],
): readonly SymbolScore[] {
  const best = new Map<number, number>()
  for (const [index, { symbol }] of segments.entries()) {
    const score = scores[index] ?? 0
    if (symbol !== undefined && score > 0) best.set(symbol, Math.max(best.get(symbol) ?? 0, score))
  }
  return [...best]
    .map(([symbol, score]) => ({ symbol, score }))
    .toSorted((a, b) => b.score - a.score || a.symbol - b.symbol)
}

function contentAt(tree: IndexedTree, position: number): number {
  return tree.files[position]?.content ?? -1
}

function signalsOf(head: FoundFiles["head"]): string[] {
  const hasHistory = head === "lex+hist" || head === "all"
  const hasMeaning = head === "lex+model" || head === "all"
  return ["words", ...(hasHistory ? ["history"] : []), ...(hasMeaning ? ["meaning"] : [])]
}
