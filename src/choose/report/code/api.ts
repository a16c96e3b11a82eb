import { compareText } from "#ground/base"
import type { ApiChange, ApiReport, CallContext, ParsedInput } from "#ground/contract"
import type { FileFacts, RepoMap, SymbolFact } from "#know/map"
import { type Change, classifyPath, type Git } from "#see/repo"
import { dependentsOf, lastVersion, type ReportDeps, requireCommit, requireGit } from "../deps.ts"
import { isBreakingChange, plainSignature } from "./signature.ts"

const LARGEST_SOURCE_BYTES = 1024 ** 2

/** Two versions of each are parsed. */
const MOST_COMPARED_FILES = 2_000

/** Exported symbols of the changed source files, at both ends of the range. */
export async function auditApi(
  input: ParsedInput<"audit.api">,
  context: CallContext,
  deps: ReportDeps,
): Promise<ApiReport> {
  const git = await requireGit(deps, context.signal)
  const to = await requireCommit(git, input.to ?? "HEAD")
  const from = await startOf(git, { name: input.from, to })
  const changes = (await git.diffNames(from, to)).filter(isSource)
  const compared = changes.slice(0, MOST_COMPARED_FILES)
  await using parser = deps.parser()
  const reading = { git, parser, signal: context.signal }
  const before = await exportsAt(from, compared.map(oldPath), reading)
  const after = await exportsAt(
    to,
    compared.map((it) => it.path),
    reading,
  )
  const users = await dependentsOf(deps.graphOf(await deps.tree(context)))
  const differences = compared.flatMap((change) => {
    const symbols = {
      before: before.get(oldPath(change)) ?? new Map(),
      after: after.get(change.path) ?? new Map(),
    }
    return compareSymbols(change.path, symbols, users(change.path).others)
  })
  const sorted = differences.toSorted(
    (a, b) => Number(b.isBreaking) - Number(a.isBreaking) || compareText(a.path, b.path),
  )
  const left = changes.length - compared.length
  return {
    from,
    to,
    changes: sorted,
    bump: bumpOf(sorted, changes.length),
    filesCompared: compared.length,
    notes: left > 0 ? [`${left} changed files were not compared`] : [],
  }
}

/** The named commit, the last version, or the first commit. */
async function startOf(
  git: Git,
  { name, to }: { readonly name: string | undefined; readonly to: string },
): Promise<string> {
  if (name !== undefined) return requireCommit(git, name)
  const version = await lastVersion(git, to)
  if (version !== undefined) return version.commit
  const ids = await git.commitIds({ from: to, limit: Number.MAX_SAFE_INTEGER })
  return ids.at(-1) ?? to
}

function isSource(change: Change): boolean {
  return [change.path, oldPath(change)].every((it) => classifyPath(it) === "source")
}

function oldPath(change: Change): string {
  return change.kind === "renamed" ? change.from : change.path
}

type Exports = ReadonlyMap<string, SymbolFact>

type ReadingDeps = {
  readonly git: Git
  readonly parser: RepoMap
  readonly signal: AbortSignal
}

async function exportsAt(
  commit: string,
  paths: readonly string[],
  deps: ReadingDeps,
): Promise<ReadonlyMap<string, Exports>> {
  const facts = await factsAt(commit, paths, deps)
  return new Map([...facts].map(([path, it]) => [path, exportsOf(it)]))
}

function exportsOf({ symbols }: Pick<FileFacts, "symbols">): Exports {
  const exported = new Set(symbols.filter((it) => it.isExported).map((it) => it.name))
  const isPublic = ({ isExported, parent, name }: SymbolFact) =>
    isExported && (parent === undefined || exported.has(parent)) && !/^[_#]/.test(name)
  return new Map(
    symbols
      .filter(isPublic)
      .map((it) => [it.parent === undefined ? it.name : `${it.parent}.${it.name}`, it]),
  )
}

/** Symbols of files as a commit has them. */
export async function factsAt(
  commit: string,
  paths: readonly string[],
  { git, parser, signal }: ReadingDeps,
): Promise<ReadonlyMap<string, FileFacts & { readonly text: string }>> {
  const code = paths.flatMap((path) => {
    const language = parser.languageOf(path)
    return language === undefined ? [] : [{ path, language }]
  })
  const blobs = await git.blobsAt(code.map(({ path }) => ({ commit, path })))
  const texts = new Map<string, string>()
  const ids = [...new Set(blobs.filter((it) => it !== undefined))]
  for await (const blob of git.readBlobs(ids, { maxBlobBytes: LARGEST_SOURCE_BYTES })) {
    if (blob.kind === "read") texts.set(blob.id, blob.bytes.toString("utf8"))
  }
  const files = code.flatMap((it, at) => {
    const text = texts.get(blobs[at] ?? "")
    return text === undefined ? [] : [{ ...it, text }]
  })
  const parsed = await parser.parseMany(files, { signal })
  return new Map(
    parsed.map(({ path, facts }, at) => [path, { ...facts, text: files[at]?.text ?? "" }]),
  )
}

function compareSymbols(
  path: string,
  { before, after }: { readonly before: Exports; readonly after: Exports },
  users: number,
): readonly ApiChange[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].toSorted(compareText)
  return names.flatMap((symbol): readonly ApiChange[] => {
    const [old, now] = [before.get(symbol), after.get(symbol)]
    const base = { path, symbol, users }
    const [was, is] = [old, now].map((it) =>
      it === undefined ? null : plainSignature(it.signature),
    )
    const texts = { before: was ?? null, after: is ?? null }
    if (old === undefined) return [{ ...base, ...texts, kind: "added", isBreaking: false }]
    if (now === undefined) return [{ ...base, ...texts, kind: "removed", isBreaking: true }]
    if (was === is) return []
    const isBreaking = isBreakingChange(old.signature, now.signature)
    return [{ ...base, ...texts, kind: "changed", isBreaking }]
  })
}

function bumpOf(changes: readonly ApiChange[], changedFiles: number): ApiReport["bump"] {
  if (changes.some((it) => it.isBreaking)) return "major"
  if (changes.length > 0) return "minor"
  return changedFiles > 0 ? "patch" : "none"
}
