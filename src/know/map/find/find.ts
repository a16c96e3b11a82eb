import type { SearchFind } from "#ground/contract"
import {
  type FileGroup,
  type FoundFile,
  type FoundFiles,
  NothingToSearch,
  type PostingsOf,
  rarityIn,
  readTask,
  type Search,
  type SearchedFile,
  type SearchTask,
  scoreFileSymbols,
} from "#know/search"
import type { FileClass } from "#see/repo"
import { LONGEST_NAME_UNITS } from "../limits.ts"
import { inside } from "../resolve.ts"
import { indexStateOf } from "../tree/indexed-tree.ts"
import type { Content, ContentSymbol, IndexedTree } from "../tree/types.ts"
import { describeSymbol, type Redact } from "./describe.ts"

const MOST_NAMED_WORDS = 512

const MOST_FOUND_REASONS = 3

const MOST_FOUND_SYMBOLS = 5

const MOST_WEIGHED_FILES = 50

type FindInput = {
  readonly words: string
  readonly limit: number
  readonly redact: Redact
  readonly search: Pick<Search, "files">
}

export async function find(tree: IndexedTree, finding: FindInput): Promise<SearchFind> {
  const task = readTask(finding.words)
  const { terms } = task.query
  const postingsOf = await tree.postings(task.terms)
  const isKnown = terms.some((term) => isInTree(tree, term, postingsOf))
  // The ranker orders all files, also those without a match, so it is not called here.
  if (!isKnown) return findNamed(tree, finding, { hasTerms: terms.length > 0 })
  const history = tree.history()
  const searched = { corpus: tree.corpus(), postingsOf, ...(history !== undefined && { history }) }
  const groupOf = groupsFor(tree, task)
  const ranked = finding.search.files(finding.words, searched, { most: finding.limit, groupOf })
  const matching = (group: FileGroup) => ranked[group].filter((it) => it.isMatch)
  const files = withNamed(
    tree,
    { ...finding, isIssue: task.issue !== undefined },
    matching("files"),
  )
  const listed = new Set(files.map((it) => it.path))
  const beside = (group: FileGroup) => matching(group).filter((it) => !listed.has(it.path))
  const [tests, documents] = [beside("tests"), beside("documents")]
  const all = [...files, ...tests, ...documents]
  const contents = await tree.contents(all.map((it) => contentAt(tree, it.position)))
  const scores = await scoreBest(tree, { task, found: all, contents, postingsOf })
  const describe = (file: FoundFile) => {
    const { symbols = [] } = contents.get(contentAt(tree, file.position)) ?? {}
    const best = (scores.get(file.path) ?? []).slice(0, MOST_FOUND_SYMBOLS)
    const scored = best.flatMap(({ symbol, score }) => {
      const fact = symbols[symbol]
      return fact === undefined ? [] : [{ fact, score }]
    })
    return describeFile(tree, file, { scored, redact: finding.redact })
  }
  return {
    files: files.map(describe),
    tests: tests.map(describe),
    documents: documents.map(describe),
    signals: signalsOf(ranked.head),
    state: indexStateOf(tree),
  }
}

const TEST_WORDS = new Set(["test", "tests", "testing", "spec", "specs", "fixture", "fixtures"])
const DOCUMENT_WORDS = new Set([
  "doc",
  "docs",
  "document",
  "documents",
  "documentation",
  "readme",
  "changelog",
  "guide",
])

/** A short task that names tests or documents gets them among the other files. */
function groupsFor(tree: IndexedTree, { query, issue }: SearchTask) {
  const isAskedFor = (words: ReadonlySet<string>) =>
    issue === undefined && query.terms.some((it) => words.has(it))
  const groups: Partial<Record<FileClass, FileGroup>> = {
    ...(isAskedFor(TEST_WORDS) ? {} : { test: "tests" }),
    ...(isAskedFor(DOCUMENT_WORDS) ? {} : { docs: "documents" }),
  }
  return (position: number): FileGroup =>
    groups[tree.files[position]?.fileClass ?? "source"] ?? "files"
}

function isInTree(tree: IndexedTree, term: string, postingsOf: PostingsOf): boolean {
  const corpus = tree.corpus()
  return corpus.pathPostings.has(term) || rarityIn(corpus, postingsOf).documentFrequency(term) > 0
}

async function findNamed(
  tree: IndexedTree,
  { words, limit, redact }: FindInput,
  { hasTerms }: { readonly hasTerms: boolean },
): Promise<SearchFind> {
  const paths = namedPaths(tree, words)
  const symbols = await namedSymbols(tree, words)
  const isPartOfName = !hasTerms && /[\p{L}\p{N}]/u.test(words)
  const similar = isPartOfName ? pathsContaining(tree, words) : []
  const positions = [...new Set([...paths, ...symbols.keys(), ...similar])].slice(0, limit)
  if (positions.length === 0 && !hasTerms && !isPartOfName) throw NothingToSearch({})
  const contents = await tree.contents(positions.map((it) => contentAt(tree, it)))
  const files = positions.map((position) => {
    const names = symbols.get(position)
    const named = [
      ...(paths.includes(position) ? [NAMED_BY_PATH] : []),
      ...(names === undefined ? [] : [NAMED_BY_SYMBOL]),
    ]
    const reasons = named.length > 0 ? named : [NAMED_IN_PART]
    const own = contents.get(contentAt(tree, position))?.symbols ?? []
    const scored = own
      .filter((it) => names?.has(it.name) === true)
      .slice(0, MOST_FOUND_SYMBOLS)
      .map((fact) => ({ fact, score: 1 }))
    return describeFile(tree, foundAt(tree, position, reasons), { scored, redact })
  })
  const signals = files.length === 0 ? [] : ["names"]
  return { files, tests: [], documents: [], signals, state: indexStateOf(tree) }
}

const NAMED_BY_PATH = "named by its path"
const NAMED_BY_SYMBOL = "defines a symbol of this name"
const NAMED_IN_PART = "its name contains this text"

/** For one letter and for common words, which no index has: names that start with it first. */
function pathsContaining({ files }: IndexedTree, words: string): readonly number[] {
  const text = words.trim().toLowerCase()
  if (text.length > LONGEST_NAME_UNITS) return []
  return files
    .map(({ path }, position) => ({
      position,
      at: path
        .slice(path.lastIndexOf("/") + 1)
        .toLowerCase()
        .indexOf(text),
    }))
    .filter((it) => it.at >= 0)
    .toSorted((a, b) => Number(a.at > 0) - Number(b.at > 0) || a.position - b.position)
    .map((it) => it.position)
}

/**
 * The other words of a written path may be too common to search by. An issue contains paths of
 * stack frames and logs, which its ranker weighs: with named files first, the first place was right
 * 1.2 points less often (95 % interval 0.2 to 2.4, 410 issues).
 */
function withNamed(
  tree: IndexedTree,
  { words, limit, isIssue }: FindInput & { readonly isIssue: boolean },
  files: readonly FoundFile[],
): readonly FoundFile[] {
  const paths = namedPaths(tree, words)
  const isListed = (position: number) => isIssue && files.some((it) => it.position === position)
  const named = paths.flatMap((position) => {
    if (isListed(position)) return []
    const reasons = files.find((it) => it.position === position)?.reasons ?? []
    return foundAt(tree, position, [NAMED_BY_PATH, ...reasons].slice(0, MOST_FOUND_REASONS))
  })
  if (!isIssue) {
    return [...named, ...files.filter((it) => !paths.includes(it.position))].slice(0, limit)
  }
  const ranked = files.slice(0, Math.max(1, limit - named.length)).map((it) => {
    const isNamed = paths.includes(it.position)
    const reasons = [NAMED_BY_PATH, ...it.reasons].slice(0, MOST_FOUND_REASONS)
    return isNamed ? { ...it, reasons } : it
  })
  return [...ranked, ...named].slice(0, limit)
}

function foundAt(tree: IndexedTree, position: number, reasons: readonly string[]): FoundFile {
  const { path = "" } = tree.files[position] ?? {}
  return { position, path, score: 1, share: 1, reasons, isMatch: true }
}

type ScoredFact = { readonly fact: ContentSymbol; readonly score: number }

function describeFile(
  tree: IndexedTree,
  { path, position, share, reasons }: FoundFile,
  { scored, redact }: { readonly scored: readonly ScoredFact[]; readonly redact: Redact },
): SearchFind["files"][number] {
  const file = tree.files[position]
  return {
    path,
    score: share,
    language: file?.language ?? null,
    tokens: file?.tokens ?? 0,
    reasons: [...reasons],
    symbols: scored.map(({ fact, score }) => ({ ...describeSymbol(path, fact, redact), score })),
  }
}

type SymbolScore = { readonly symbol: number; readonly score: number }

async function scoreBest(
  tree: IndexedTree,
  it: {
    readonly task: SearchTask
    readonly found: readonly FoundFile[]
    readonly contents: ReadonlyMap<number, Content>
    readonly postingsOf: PostingsOf
  },
): Promise<ReadonlyMap<string, readonly SymbolScore[]>> {
  const first = it.found.slice(0, MOST_WEIGHED_FILES)
  const texts = await tree.texts(first.map(({ path }) => path))
  const files = first.map(({ path, position }): SearchedFile => {
    const { symbols = [], segments = [] } = it.contents.get(contentAt(tree, position)) ?? {}
    return { path, text: texts.get(path) ?? "", symbols, segments }
  })
  const rarity = rarityIn(tree.corpus(), it.postingsOf)
  const scores = await scoreFileSymbols(it.task.query, files, rarity)
  const bySymbol = files.map((file, index) => bestBySymbol(file, scores[index] ?? []))
  const most = Math.max(...bySymbol.map(([best]) => best?.score ?? 0), Number.MIN_VALUE)
  return new Map(
    files.map(({ path }, index) => [
      path,
      (bySymbol[index] ?? []).map(({ symbol, score }) => ({ symbol, score: score / most })),
    ]),
  )
}

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
  const hasHistory = head === "lex+hist" || head === "all" || head === "issue"
  const hasMeaning = head === "lex+model" || head === "all"
  return ["words", ...(hasHistory ? ["history"] : []), ...(hasMeaning ? ["meaning"] : [])]
}

function namedPaths(tree: IndexedTree, words: string): readonly number[] {
  const { positionByPath } = tree.corpus()
  const positionOf = (path: string) =>
    positionByPath.get(path) ?? positionByPath.get(inside(path) ?? "")
  return [...new Set(writtenIn(words).flatMap((it) => positionOf(it) ?? []))]
}

/**
 * Also names of one letter, in another script, or common words such as `close`, which the word
 * index does not have.
 */
async function namedSymbols(
  tree: IndexedTree,
  words: string,
): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  const names = writtenIn(words).filter((it) => it.length <= LONGEST_NAME_UNITS)
  const definers = await tree.definers(names)
  const { firstByContent, nextByPosition } = tree.corpus()
  const symbolsByContent = new Map<number, Set<string>>()
  for (const [name, contents] of definers) {
    for (const content of contents) {
      let position = firstByContent[content] ?? -1
      for (; position >= 0; position = nextByPosition[position] ?? -1) {
        symbolsByContent.set(position, (symbolsByContent.get(position) ?? new Set()).add(name))
      }
    }
  }
  return symbolsByContent
}

function writtenIn(words: string): readonly string[] {
  const parts = words.trim().split(/\s+/, MOST_NAMED_WORDS)
  const whole = words.length <= LONGEST_PATH_UNITS ? [words.trim()] : []
  const written = [...whole, ...parts].filter((it) => it.length <= LONGEST_PATH_UNITS)
  return [...new Set(written.flatMap((it) => [it, bare(it)]))].filter((it) => it !== "")
}

const LONGEST_PATH_UNITS = 4_096

/** By hand, because the regular expression takes quadratic time on a text of punctuation. */
function bare(word: string): string {
  let start = 0
  let end = word.length
  while (start < end && MARKS.has(word[start] ?? "")) start++
  while (end > start && (MARKS.has(word[end - 1] ?? "") || word[end - 1] === ".")) end--
  return word.slice(start, end)
}

const MARKS = new Set("`'\"“”‘’()[]{}<>,;:?!")
