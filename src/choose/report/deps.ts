import type { Clock } from "#ground/base"
import type { CallContext } from "#ground/contract"
import type { RedactedText } from "#ground/secrets"
import type { BoardRoom } from "#know/board"
import type { Claims } from "#know/ledger"
import type { IndexedFile, IndexedTree, RepoMap, TreeGraph } from "#know/map"
import type { MemoryRoom } from "#know/memory"
import type { Git, Repository } from "#see/repo"
import { CommitUnknown, HistoryUnreadable, PathUnknown } from "./errors.ts"

export type ReportDeps = {
  readonly clock: Pick<Clock, "now">
  readonly repository: Repository
  tree(context: CallContext): Promise<IndexedTree>
  graphOf(tree: IndexedTree): TreeGraph
  /** Threads that parse; closed after one report. */
  parser(): RepoMap
  git(signal: AbortSignal): Promise<Git | { readonly problem: string }>
  redact(): Promise<(text: string) => RedactedText>
  highRiskPaths(): readonly string[]
  /** Relative to the root; throws for a path outside. */
  place(path: string): string
  board(): Promise<BoardRoom>
  claims(): Claims
  memory(): Promise<Pick<MemoryRoom, "list">>
}

export async function requireGit(deps: ReportDeps, signal: AbortSignal): Promise<Git> {
  const git = await deps.git(signal)
  if ("problem" in git) throw HistoryUnreadable({ reason: git.problem })
  return git
}

export async function requireCommit(git: Git, name: string): Promise<string> {
  const commit = await git.resolve(name)
  if (commit === undefined) throw CommitUnknown({ name })
  return commit
}

const VERSION = /^(?:[\w.@/-]*[@/-])?v?(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?$/

/** The highest version tag that is an ancestor of the commit. */
export async function lastVersion(
  git: Git,
  head: string,
): Promise<{ readonly tag: string; readonly commit: string } | undefined> {
  const versions = (await git.tags()).flatMap((tag) => {
    const [, major, minor, patch = "0"] = VERSION.exec(tag) ?? []
    return major === undefined ? [] : [{ tag, parts: [major, minor, patch].map(Number) }]
  })
  const newestFirst = versions.toSorted((a, b) => {
    const at = a.parts.findIndex((part, place) => part !== b.parts[place])
    return (b.parts[at] ?? 0) - (a.parts[at] ?? 0)
  })
  for (const { tag } of newestFirst.slice(0, MOST_TRIED_TAGS)) {
    const commit = await git.resolve(tag)
    const isBefore = commit !== undefined && commit !== head && (await git.isAncestor(commit, head))
    if (isBefore) return { tag, commit }
  }
  return undefined
}

/** Each costs two calls of git. */
const MOST_TRIED_TAGS = 20

/** The files at or below the paths; all without paths. Throws for a path without files. */
export function filesAt(
  { files }: Pick<IndexedTree, "files">,
  paths: readonly string[],
): readonly IndexedFile[] {
  if (paths.length === 0) return files
  const chosen = new Set<IndexedFile>()
  for (const path of paths) {
    const below = `${path.replace(/\/$/, "")}/`
    const matching = files.filter((it) => it.path === path || it.path.startsWith(below))
    if (matching.length === 0) throw PathUnknown({ path })
    for (const file of matching) chosen.add(file)
  }
  return files.filter((it) => chosen.has(it))
}

/** The importers of each file, split into tests and others; a test over one file counts. */
export async function dependentsOf(graph: TreeGraph) {
  const { importers } = await graph.whole()
  const { files } = graph.tree
  const isTest = (position: number) => files[position]?.fileClass === "test"
  return (path: string) => {
    const position = graph.positionOf(path)
    const near = position === undefined ? [] : (importers[position] ?? [])
    const far = near.filter((it) => !isTest(it)).flatMap((it) => importers[it] ?? [])
    const tests = new Set([...near, ...far].filter(isTest))
    return {
      tests: [...tests].map((it) => files[it]?.path ?? "").toSorted(),
      others: near.filter((it) => !isTest(it)).length,
    }
  }
}
