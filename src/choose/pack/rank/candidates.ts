import type { TaskAnalysis } from "#ground/contract"
import type { IndexedFile, IndexedTree } from "#know/map"
import {
  filesNamedBy,
  type LiftWeights,
  lift,
  matcherOf,
  type PostingsOf,
  type Query,
  type Ranker,
  type Ranking,
  rank,
  readTask,
  reasonsFor,
  relevanceOf,
  type SearchTask,
  type SemanticScores,
  wordForms,
} from "#know/search"
import { MOST_WEIGHED_FILES } from "../limits.ts"
import type { PathFinder } from "./path-finder.ts"

export type Candidate = {
  readonly file: IndexedFile
  readonly rank: number | undefined
  /** Probability of being needed, by words, history and meaning; null when unknown. */
  readonly share: number | null
  readonly naming: "target" | "task" | undefined
  readonly defines: readonly string[]
  readonly uses: readonly string[]
  readonly reasons: readonly string[]
}

type Candidates = {
  readonly files: readonly Candidate[]
  readonly isIssue: boolean
  readonly query: Query
  readonly postingsOf: PostingsOf
  readonly signals: Signals
}

export type Signals = {
  readonly used: readonly string[]
  readonly missing: readonly { readonly signal: string; readonly why: string }[]
}

type GatherOptions = {
  readonly task: string
  readonly analysis: TaskAnalysis
  readonly targets: readonly IndexedFile[]
  readonly finder: PathFinder
  readonly ranker: Ranker
  readonly meaning?: SemanticScores | undefined
  readonly lift?: LiftWeights | undefined
}

export async function gatherCandidates(
  tree: IndexedTree,
  options: GatherOptions,
): Promise<Candidates> {
  const { analysis, finder } = options
  const task = readTask(options.task)
  const { query } = task
  const forms = task.issue === undefined ? query.terms.flatMap(wordForms) : []
  const postingsOf =
    query.terms.length === 0 ? NOWHERE : await tree.postings([...task.terms, ...forms])
  const ranked = rankTree(tree, { ...options, ...task, postingsOf, forms })
  const named = analysis.filePaths.flatMap((it) => finder.find(it) ?? [])
  const links = await namedLinks(tree, analysis.symbolNames)
  const files = collect(tree, { ranked, named, links, targets: options.targets })
  const isIssue = task.issue !== undefined
  return {
    files,
    isIssue,
    query,
    postingsOf,
    signals: signalsOf(tree, { ranked, named, links }),
  }
}

const NOWHERE: PostingsOf = () => []

type LearnedOrder = {
  readonly ranking: Ranking
  readonly shares: Float64Array
  readonly order: Int32Array
  readonly rankOf: Int32Array
  isMatch(position: number): boolean
  reasonsOf(position: number): readonly string[]
}

type RankOptions = Omit<GatherOptions, "task"> &
  SearchTask & {
    readonly postingsOf: PostingsOf
    /** Other forms of the task's words: `quote` for `quotes`. */
    readonly forms: readonly string[]
  }

function rankTree(tree: IndexedTree, options: RankOptions): LearnedOrder | undefined {
  const { query, issue, postingsOf, ranker, meaning } = options
  if (query.terms.length === 0 || tree.files.length === 0) return undefined
  const corpus = tree.corpus()
  const history = tree.history()
  const searched = {
    corpus,
    postingsOf,
    ...(history !== undefined && { history }),
    ...(meaning !== undefined && { meaning }),
  }
  const ranking = rank(ranker, searched, { query, issue })
  const lifted = options.lift === undefined ? [] : lift(ranking, searched, options.lift)
  const ties = new Map(lifted.map((it) => [it.position, it]))
  const order = Int32Array.from(ranking.order)
  order.set(lifted.map((it) => it.position))
  const rankOf = new Int32Array(order.length)
  for (let index = 0; index < order.length; index++) rankOf[order[index] ?? 0] = index
  const hasForm = filesNamedBy(options.forms, searched)
  const isInTree = (word: string) => filesNamedBy([word], searched).size > 0
  const isMatch = matcherOf(ranking)
  return {
    ranking,
    shares: weighted(tree, ranking, {
      besideSource: options.analysis.action === "test" ? 1 : SHARE_BESIDE_SOURCE,
      hasForm,
      hasOtherForm: (word) => options.forms.length > 0 && wordForms(word).some(isInTree),
    }),
    order,
    rankOf,
    isMatch: (position) => isMatch(position) || hasForm.has(position),
    reasonsOf(position) {
      const tie = ties.get(position) ?? { position, rankBefore: 0, ties: NO_TIES }
      const reasons = isMatch(position) ? reasonsFor(ranking, tie) : []
      return hasForm.has(position) ? [FORM_REASON, ...reasons].slice(0, 3) : reasons
    },
  }
}

/** A task is solved in source files; its words are often also in tests and documents. */
const SHARE_BESIDE_SOURCE = 0.5

/** A file without a word of the task is known only by its folder and its history. */
const SHARE_WITHOUT_WORD = 0.1

/** A file named by another form of a rare word of the task, as a part of the best file's share. */
const SHARE_OF_FORM = 0.4
const FORM_REASON = "name resembles the task"

type ShareOptions = {
  readonly besideSource: number
  readonly hasForm: ReadonlySet<number>
  readonly hasOtherForm: (word: string) => boolean
}

function weighted(
  tree: IndexedTree,
  ranking: Ranking,
  { besideSource, hasForm, hasOtherForm }: ShareOptions,
): Float64Array {
  const { bm25f } = ranking.raw
  const shares = relevanceOf(ranking, hasOtherForm)
  const leastOfForm = SHARE_OF_FORM * (shares[ranking.order[0] ?? 0] ?? 0)
  return shares.map((share, position) => {
    const byClass = tree.files[position]?.fileClass === "source" ? 1 : besideSource
    if (hasForm.has(position)) return byClass * Math.max(share, leastOfForm)
    return share * byClass * ((bm25f?.[position] ?? 0) > 0 ? 1 : SHARE_WITHOUT_WORD)
  })
}

const NO_TIES = { coChange: 0, folder: 0, stem: 0 }

type Links = {
  readonly defines: ReadonlyMap<number, readonly string[]>
  readonly uses: ReadonlyMap<number, readonly string[]>
}

async function namedLinks(tree: IndexedTree, names: readonly string[]): Promise<Links> {
  if (names.length === 0) return { defines: new Map(), uses: new Map() }
  const definers = await tree.definers(names)
  // A name that half the tree defines is a word, not a symbol.
  const rareNames = names.filter((name) => isTelling(definers.get(name)))
  const referrers = rareNames.length === 0 ? new Map() : await tree.referrers(rareNames)
  return { defines: byContent(rareNames, definers), uses: byContent(rareNames, referrers) }
}

function isTelling(definers: readonly number[] | undefined): boolean {
  return definers !== undefined && definers.length > 0 && definers.length <= 5
}

function byContent(
  names: readonly string[],
  contentsByName: ReadonlyMap<string, readonly number[]>,
): ReadonlyMap<number, readonly string[]> {
  const namesByContent = new Map<number, string[]>()
  for (const name of names) {
    for (const content of contentsByName.get(name) ?? []) {
      const earlier = namesByContent.get(content)
      if (earlier === undefined) namesByContent.set(content, [name])
      else earlier.push(name)
    }
  }
  return namesByContent
}

type Sources = {
  readonly ranked: LearnedOrder | undefined
  readonly named: readonly IndexedFile[]
  readonly links: Links
  readonly targets: readonly IndexedFile[]
}

function collect(
  tree: IndexedTree,
  { ranked, named, links, targets }: Sources,
): readonly Candidate[] {
  const targetPaths = new Set(targets.map((it) => it.path))
  const namedPaths = new Set(named.map((it) => it.path))
  const { positionByPath } = tree.corpus()
  const first = ranked?.order.subarray(0, MOST_WEIGHED_FILES) ?? []
  const best = [...first].filter((it) => ranked?.isMatch(it)).flatMap((it) => tree.files[it] ?? [])
  // A file that defines a named symbol is a candidate even without a matching term.
  const linked =
    links.defines.size === 0 ? [] : tree.files.filter((it) => links.defines.has(it.content))
  const all = new Map([...targets, ...named, ...linked, ...best].map((it) => [it.path, it]))
  return [...all.values()].map((file) => {
    return {
      file,
      ...learnedOf(ranked, positionByPath.get(file.path) ?? -1),
      naming: namingOf(file.path, targetPaths, namedPaths),
      defines: links.defines.get(file.content) ?? [],
      uses: links.uses.get(file.content) ?? [],
    }
  })
}

type LearnedScore = Pick<Candidate, "rank" | "share" | "reasons">

function learnedOf(ranked: LearnedOrder | undefined, position: number): LearnedScore {
  if (ranked === undefined) return { rank: undefined, share: null, reasons: [] }
  const rank = ranked.rankOf[position]
  if (!ranked.isMatch(position)) return { rank, share: 0, reasons: [] }
  return { rank, share: ranked.shares[position] ?? null, reasons: ranked.reasonsOf(position) }
}

function namingOf(
  path: string,
  targets: ReadonlySet<string>,
  named: ReadonlySet<string>,
): Candidate["naming"] {
  if (targets.has(path)) return "target"
  return named.has(path) ? "task" : undefined
}

function signalsOf(tree: IndexedTree, it: Pick<Sources, "ranked" | "named" | "links">): Signals {
  const head = it.ranked?.ranking.head
  const hasHistory = head === "lex+hist" || head === "all" || head === "issue"
  const hasMeaning = head === "lex+model" || head === "all"
  const hasStructure = it.named.length > 0 || it.links.defines.size > 0
  const missing = [
    ...(head === undefined ? [{ signal: "words", why: NO_WORDS }] : []),
    ...(hasHistory ? [] : [{ signal: "history", why: tree.historyProblem ?? "no commit found" }]),
    ...(hasStructure ? [] : [{ signal: "structure", why: "the task names no file or symbol" }]),
  ]
  const used = [
    ...(head === undefined ? [] : ["words"]),
    ...(hasHistory ? ["history"] : []),
    ...(hasMeaning ? ["meaning"] : []),
    ...(hasStructure ? ["structure"] : []),
  ]
  return { used, missing }
}

const NO_WORDS = "the task contains no searchable word"
