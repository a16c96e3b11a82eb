import { compareText } from "#ground/base"
import type { CallContext, ParsedInput, TestPlan } from "#ground/contract"
import type { Content, IndexedFile, IndexedTree } from "#know/map"
import { dependentsOf, type ReportDeps, requireCommit, requireGit } from "../deps.ts"
import { factsAt } from "./api.ts"
import { casesOf, plainSignature } from "./signature.ts"

const MOST_COMPARED_FILES = 500

type Row = TestPlan["rows"][number]

/** The symbols that the working tree adds or changes, with the tests that reach them and the cases. */
export async function planTests(
  { from, limit }: ParsedInput<"audit.tests">,
  context: CallContext,
  deps: ReportDeps,
): Promise<TestPlan> {
  const git = await requireGit(deps, context.signal)
  const start = await requireCommit(git, from)
  const tree = await deps.tree(context)
  const sources = tree.files.filter((it) => it.fileClass === "source" && it.language !== undefined)
  const { entries } = await git.listTree(start)
  const idAt = new Map(entries.map((it) => [it.path, it.id]))
  const changed = sources.filter((it) => idAt.get(it.path) !== it.blobId)
  const compared = changed.slice(0, MOST_COMPARED_FILES)
  await using parser = deps.parser()
  const reading = { git, parser, signal: context.signal }
  const before = await factsAt(
    start,
    compared.map((it) => it.path),
    reading,
  )
  const dependents = await dependentsOf(deps.graphOf(tree))
  const texts = await tree.texts(compared.map((it) => it.path))
  const contents = await tree.contents([...new Set(compared.map((it) => it.content))])
  const rows = compared.flatMap((file) => {
    const text = texts.get(file.path) ?? ""
    const old = before.get(file.path)
    const bodies = new Set((old?.symbols ?? []).map((it) => bodyKey(it, old?.text ?? "")))
    const names = new Set((old?.symbols ?? []).map((it) => it.name))
    const { tests, others: users } = dependents(file.path)
    return changedSymbols(file, { contents, text, bodies }).map(
      ({ symbol, body }): Row => ({
        path: file.path,
        symbol: symbol.parent === undefined ? symbol.name : `${symbol.parent}.${symbol.name}`,
        line: symbol.fromLine,
        change: names.has(symbol.name) ? "changed" : "added",
        tests,
        users,
        cases: [...casesOf(symbol.name, symbol.signature, body)],
      }),
    )
  })
  const sorted = rows.toSorted(
    (a, b) =>
      Number(a.tests.length > 0) - Number(b.tests.length > 0) ||
      b.users - a.users ||
      compareText(a.path, b.path) ||
      a.line - b.line,
  )
  const left = changed.length - compared.length
  return {
    from: start,
    to: "working tree",
    rows: sorted.slice(0, limit),
    uncovered: rows.filter((it) => it.tests.length === 0).length,
    notes: [
      ...(left > 0 ? [`${left} changed files were not compared`] : []),
      ...(rows.length > limit ? [`${rows.length - limit} more symbols; raise --limit`] : []),
    ],
  }
}

type ContentSymbol = Content["symbols"][number]

type ChangedInput = {
  readonly contents: Awaited<ReturnType<IndexedTree["contents"]>>
  readonly text: string
  readonly bodies: ReadonlySet<string>
}

/** Functions and methods whose text differs, wherever they moved in the file. */
function changedSymbols(
  { content }: IndexedFile,
  { contents, text, bodies }: ChangedInput,
): readonly { readonly symbol: ContentSymbol; readonly body: string }[] {
  const symbols = contents.get(content)?.symbols ?? []
  return symbols
    .filter((it) => it.kind === "function" || it.kind === "method")
    .filter((it) => !bodies.has(bodyKey(it, text)))
    .map((symbol) => ({ symbol, body: bodyOf(symbol, text) }))
}

type Spanned = Pick<ContentSymbol, "name" | "fromLine" | "toLine">

function bodyKey(symbol: Spanned, text: string): string {
  return `${symbol.name}\n${plainSignature(bodyOf(symbol, text))}`
}

function bodyOf({ fromLine, toLine }: Spanned, text: string): string {
  return text
    .split("\n")
    .slice(fromLine - 1, toLine)
    .join("\n")
}
