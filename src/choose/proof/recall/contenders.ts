import type { IndexedTree } from "#know/map"
import { type Ranker, rank, readQuery } from "#know/search"
import type { PackedText } from "./metrics.ts"
import { type FileNames, rankByLeaning } from "./page-rank.ts"
import type { SetTask } from "./tasks.ts"

export type Contender = {
  readonly name: string
  run(set: SetTask): Promise<Outcome>
}

export type Outcome = {
  readonly ranked: readonly string[]
  pack(budgetTokens: number): Promise<PackedText>
}

type CountTokens = (text: string) => number

/** BM25 over whole files: k1 1.2, b 0.75, identifiers split, the path among the words. */
export function bm25(ranker: Ranker, countTokens: CountTokens): Contender {
  return {
    name: "bm25",
    async run({ task, tree }) {
      const query = readQuery(task.text)
      const postingsOf = await tree.postings(query.terms)
      // The ranker computes BM25 as one feature; without the network it is the plain score.
      const { raw } = rank(ranker, { corpus: tree.corpus(), postingsOf }, { query, head: "lex" })
      const scores = raw.bm25 ?? new Float64Array(tree.files.length)
      const order = [...tree.files.keys()].toSorted(
        (a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b,
      )
      return wholeFiles(tree, { order, countTokens })
    },
  }
}

/** Ranks files by how much others use their definitions, like tools without a word index. */
export function pageRank(countTokens: CountTokens): Contender {
  const namesByContent = new Map<number, FileNames>()
  return {
    name: "page-rank",
    async run(set) {
      await learnNames(set, namesByContent)
      const files = set.tree.files.map(({ path, content }) => ({
        path,
        ...(namesByContent.get(content) ?? { defines: [], uses: new Map() }),
      }))
      return wholeFiles(set.tree, { order: rankByLeaning(files, set.task.text), countTokens })
    },
  }
}

async function learnNames(
  { tree }: SetTask,
  namesByContent: Map<number, FileNames>,
): Promise<void> {
  const unknown = tree.files.map((it) => it.content).filter((it) => !namesByContent.has(it))
  for (const [number, { symbols, references }] of await tree.contents(unknown)) {
    const uses = new Map<string, number>()
    for (const { name } of references) uses.set(name, (uses.get(name) ?? 0) + 1)
    namesByContent.set(number, { defines: symbols.map((it) => it.name), uses })
  }
}

/** Whole files in this order, each that still fits. */
export function wholeFiles(
  tree: IndexedTree,
  { order, countTokens }: { readonly order: readonly number[]; readonly countTokens: CountTokens },
): Outcome {
  const files = order.flatMap((it) => tree.files[it] ?? [])
  return {
    ranked: files.map((it) => it.path),
    async pack(budgetTokens): Promise<PackedText> {
      const packed = new Map<string, { fromLine: number; toLine: number }[]>()
      let left = budgetTokens
      for (const { path, tokens, lines } of files.slice(0, MOST_TRIED_FILES)) {
        const needed = tokens + headingTokens(path, countTokens)
        if (needed > left) continue
        left -= needed
        packed.set(path, [{ fromLine: 1, toLine: Math.max(1, lines) }])
      }
      return { lines: packed, tokens: budgetTokens - left }
    },
  }
}

const MOST_TRIED_FILES = 50

export function headingTokens(path: string, count: (text: string) => number): number {
  return count(path) + WORDS_BESIDE_PATH_TOKENS
}

/** Measured on packages, including the line that closes the file. */
const WORDS_BESIDE_PATH_TOKENS = 25
