import { createPause, invariant } from "#ground/base"
import { type IndexState } from "#ground/contract"
import type { Db } from "#ground/store"
import { type Corpus, type History, prepareCorpus, prepareHistory } from "#know/search"
import { blobId } from "#see/repo"
import { VALUES_A_STATEMENT } from "../limits.ts"
import { STRIDE } from "./store/blocks.ts"
import { decodeFacts } from "./store/facts-codec.ts"
import { type PostingsStore, roundsOf } from "./store/postings-store.ts"
import { FactsRow, selectFacts } from "./store/queries.ts"
import type { StoredTreeState } from "./store/tree-store.ts"
import type { Content, IndexedFile, IndexedTree, TreeSource } from "./types.ts"

type TreeParts = {
  readonly db: Db<"map">
  readonly postings: PostingsStore
  readonly source: TreeSource
  readonly kept: StoredTreeState
}

export function createIndexedTree(parts: TreeParts): IndexedTree {
  const { db, postings, source, kept: stored } = parts
  const { files, unread, skipped, refused } = stored.tree
  const { gitSha, past } = stored.past
  const commits = "problem" in past ? [] : past.commits
  let corpus: Corpus | undefined
  let history: History | undefined
  let own: ReadonlySet<number> | undefined
  let byPath: ReadonlyMap<string, IndexedFile> | undefined
  const corpusOf = () => (corpus ??= prepareCorpus(files))
  const historyOf = () => (history ??= prepareHistory(commits, corpusOf()))

  async function having(names: readonly string[], count: 1 | 2) {
    own ??= new Set(files.map((it) => it.content))
    const rows = await postings.rows("names", [...new Set(names)])
    const contentsByName = new Map<string, readonly number[]>()
    for (const name of names)
      contentsByName.set(name, contentsIn(rows.get(name) ?? [], { own, count }))
    return contentsByName
  }

  const tree: IndexedTree = {
    digest: stored.digest,
    revision: stored.revision,
    gitSha,
    scannedAtMs: stored.scannedAtMs,
    files,
    unread,
    corpus: corpusOf,
    history: () => ("problem" in past ? undefined : historyOf()),
    commits,
    commitTimesMs: "problem" in past ? [] : past.timesMs,
    historyProblem: "problem" in past ? past.problem : undefined,
    skipped: [...skipped, ...refused.map(({ path, reason }) => ({ path, reason }))],
    async postings(terms) {
      const rows = await postings.rows("words", [...new Set(terms)])
      return (term) => rows.get(term) ?? NOWHERE
    },
    contents: (numbers) => readContents(db, numbers),
    definers: (names) => having(names, 1),
    referrers: (names) => having(names, 2),
    texts(paths) {
      byPath ??= new Map(files.map((it) => [it.path, it]))
      return readTexts(source, byPath, paths)
    },
  }
  storeOfTree.set(tree, postings)
  return tree
}

const storeOfTree = new WeakMap<IndexedTree, PostingsStore>()

export function allRows(tree: IndexedTree): ReturnType<PostingsStore["all"]> {
  const postings = storeOfTree.get(tree)
  invariant(postings !== undefined, "the tree was made by an index")
  return postings.all()
}

const NOWHERE: readonly number[] = []

function contentsIn(
  row: readonly number[],
  { own, count }: { readonly own: ReadonlySet<number>; readonly count: 1 | 2 },
): readonly number[] {
  const contents: number[] = []
  for (let at = 0; at < row.length; at += STRIDE) {
    const number = row[at] ?? 0
    if ((row[at + count] ?? 0) > 0 && own.has(number)) contents.push(number)
  }
  return contents
}

async function readContents(
  db: Db<"map">,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, Content>> {
  const contents = new Map<number, Content>()
  const pause = createPause()
  for (const round of roundsOf([...new Set(numbers)], VALUES_A_STATEMENT)) {
    for (const { blob_id, ...row } of await db.all(FactsRow, selectFacts(round))) {
      contents.set(row.number, decodeFacts({ ...row, blobId: blob_id }))
      await pause()
    }
  }
  return contents
}

async function readTexts(
  source: TreeSource,
  files: ReadonlyMap<string, IndexedFile>,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string | undefined>> {
  const entries = [...new Set(paths)].flatMap((path) => files.get(path) ?? [])
  const texts = new Map<string, string | undefined>(paths.map((path) => [path, undefined]))
  const { signal } = new AbortController()
  const pause = createPause()
  for await (const read of source.read(entries, signal)) {
    await pause()
    if ("skip" in read) continue
    const isSame = blobId(read.bytes, source.format) === files.get(read.path)?.blobId
    if (isSame) texts.set(read.path, textOf(read.bytes))
  }
  return texts
}

/** Keeps a byte-order mark, because counts and lines refer to the file. */
export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8")
}

export function indexStateOf(tree: IndexedTree): IndexState {
  return {
    digest: tree.digest,
    gitSha: tree.gitSha ?? null,
    scannedAt: tree.scannedAtMs,
    files: tree.files.length,
    commits: tree.commits.length,
    historyProblem: tree.historyProblem ?? null,
  }
}
