import { createHash } from "node:crypto"
import { type Content, type IndexedTree, segmentsOf, signatureLine } from "#know/map"
import {
  type Commit,
  createPostings,
  fileCounts,
  indexFile,
  prepareCorpus,
  prepareHistory,
} from "#know/search"
import { classifyPath } from "#see/repo"

/** Built by hand: fast, and can simulate a file that changed since the scan. */
export function memoryTree(
  files: Readonly<Record<string, string>>,
  options: {
    readonly count: (text: string) => number
    readonly commits?: readonly Commit[]
    readonly changed?: ReadonlySet<string>
  },
): IndexedTree {
  const paths = Object.keys(files).toSorted()
  const postings = createPostings(2)
  const contents = paths.map((path, number) => contentOf(files[path] ?? "", number, options.count))
  const indexed = paths.map((path, content) => {
    const terms = indexFile(files[path] ?? "")
    postings.put(content, fileCounts(terms))
    return fileOf(path, { made: contents[content], content, bodyLength: terms.bodyLength })
  })
  const corpus = prepareCorpus(indexed)
  const { commits } = options
  return {
    revision: 1,
    digest: blobIdOf(JSON.stringify(files)),
    gitSha: undefined,
    scannedAtMs: 0,
    files: indexed,
    unread: [{ path: "dist/app.js", fileClass: "generated", sizeBytes: 9 }],
    corpus: () => corpus,
    history: () => (commits === undefined ? undefined : prepareHistory(commits, corpus)),
    commits: commits ?? [],
    commitTimesMs: (commits ?? []).map(() => 0),
    historyProblem: commits === undefined ? "not a git repository" : undefined,
    skipped: [],
    postings: async () => postings.of,
    contents: async (numbers) =>
      new Map(
        numbers.flatMap((it) => (contents[it] === undefined ? [] : [[it, contents[it].content]])),
      ),
    definers: async (names) => linksOf(names, contents, (it) => it.symbols),
    referrers: async (names) => linksOf(names, contents, (it) => it.references),
    texts: async (requested) =>
      new Map(
        requested.map((it) => [it, options.changed?.has(it) === true ? undefined : files[it]]),
      ),
  }
}

function fileOf(
  path: string,
  it: {
    readonly made: MadeContent | undefined
    readonly content: number
    readonly bodyLength: number
  },
) {
  const { made, content, bodyLength } = it
  return {
    path,
    content,
    blobId: made?.content.blobId ?? "",
    fileClass: classifyPath(path),
    sizeBytes: 0,
    language: undefined,
    lines: made?.lines ?? 0,
    tokens: made?.tokens ?? 0,
    problemCount: 0,
    symbolCount: made?.content.symbols.length ?? 0,
    importCount: 0,
    bodyLength,
  }
}

type MadeContent = { readonly content: Content; readonly lines: number; readonly tokens: number }

function contentOf(text: string, number: number, count: (text: string) => number): MadeContent {
  const functions = functionsIn(text)
  const segments = segmentsOf(text, functions, count)
  const symbols = functions.map((it) => ({
    ...it,
    tokens: 0,
    signatureTokens: count(`${signatureLine(it)}\n`),
  }))
  const references = text
    .split("\n")
    .flatMap((line, at) =>
      [...line.matchAll(/(\w+)\(/g)].map((it) => ({ name: it[1] ?? "", line: at + 1 })),
    )
  const content: Content = {
    number,
    blobId: blobIdOf(text),
    language: undefined,
    symbols,
    segments,
    references,
    imports: [],
    packages: [],
    problems: [],
  }
  const tokens = segments.reduce((sum, it) => sum + it.tokens, 0)
  return { content, lines: segments.at(-1)?.toLine ?? 0, tokens }
}

function functionsIn(text: string) {
  const lines = text.split("\n")
  return lines.flatMap((line, at) => {
    const name = /^(?:export )?function (\w+)/.exec(line)?.[1]
    if (name === undefined) return []
    const end = lines.indexOf("}", at)
    const toLine = end < 0 ? at + 1 : end + 1
    const kind = "function" as const
    return [{ name, kind, signature: line, fromLine: at + 1, toLine, isExported: true }]
  })
}

function linksOf(
  names: readonly string[],
  contents: readonly MadeContent[],
  named: (content: Content) => readonly { readonly name: string }[],
): ReadonlyMap<string, readonly number[]> {
  return new Map(
    names.map((name) => [
      name,
      contents.flatMap(({ content }) =>
        named(content).some((it) => it.name === name) ? [content.number] : [],
      ),
    ]),
  )
}

function blobIdOf(text: string): string {
  return createHash("sha1").update(text).digest("hex")
}
