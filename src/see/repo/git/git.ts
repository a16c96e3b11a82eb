import path from "node:path"
import { invariant, pickEnvironment } from "#ground/base"
import { GitAnswerTooLarge, GitFailed } from "../errors.ts"
import { BLOBS_A_ROUND_BYTES, GIT_OUTPUT_LIMIT_BYTES, MOST_WALKED_FILES } from "../limits.ts"
import type { Repository } from "../repo.ts"
import { askGit, findGitProgram, type GitProgram, type Question } from "./ask.ts"
import { type Change, compareTrees } from "./changes.ts"
import { headCommit, isPlainRefName, listTags, refCommit } from "./head.ts"
import { type BlobOutcome, describeObjects, readBlobs, readHeaders } from "./objects.ts"
import {
  type CommitHeader,
  formatOf,
  isObjectId,
  type ObjectFormat,
  parseTree,
  type TreeList,
} from "./parse.ts"
import { makeGitView, objectsProblem } from "./view.ts"

/** Older commits say little about which files belong together today. */
const MOST_COMMITS = 50_000

/** A larger commit says nothing about which files belong together. */
const MOST_CHANGES_A_COMMIT = 5_000

/** Commits whose trees are compared together: starting git costs more than reading a thousand. */
const COMMITS_A_ROUND = 4_096

/** Enough for a cold disk and the Linux kernel's history. */
const GIT_TIMEOUT_MS = 60_000

export type Commit = CommitHeader & {
  readonly changes: readonly Change[] | undefined
}

type HistoryQuery = {
  readonly from: string
  readonly limit: number
  readonly since?: string
}

export type Git = {
  readonly format: ObjectFormat
  headCommit(): Promise<string | undefined>
  listTree(commit: string): Promise<TreeList>
  readBlobs(
    ids: readonly string[],
    limits: { readonly maxBlobBytes: number },
  ): AsyncGenerator<BlobOutcome>
  /** The blob of each path in a commit; undefined where there is none. */
  blobsAt(
    places: readonly { readonly commit: string; readonly path: string }[],
  ): Promise<readonly (string | undefined)[]>
  commitIds(wanted: HistoryQuery): Promise<readonly string[]>
  readCommits(ids: readonly string[]): Promise<readonly Commit[]>
  history(wanted: HistoryQuery): Promise<readonly Commit[]>
  diffNames(from: string, to: string): Promise<readonly Change[]>
  isAncestor(ancestor: string, commit: string): Promise<boolean>
  /** A tag, branch, remote branch, id or start of one, or HEAD, each with `~n` and `^`. */
  resolve(name: string): Promise<string | undefined>
  tags(): Promise<readonly string[]>
  /** Commits that only `own` has, and that only `other` has. */
  countApart(
    own: string,
    other: string,
  ): Promise<{ readonly ahead: number; readonly behind: number }>
}

export type OpenedGit =
  | { readonly kind: "ready"; readonly git: Git }
  | { readonly kind: "without"; readonly reason: string }

export async function openGit(options: {
  readonly repository: Repository
  /** Used for the PATH only; nothing of it is passed to git. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  readonly timeoutMs?: number
  readonly roundBytes?: number
}): Promise<OpenedGit> {
  const { repository, environment, signal } = options
  const { gitCommonDirectory: common, root, stateDirectory } = repository
  if (common === undefined) return without("this folder is not in a git repository")
  const head = await headCommit(repository)
  if (head === undefined) return without("the repository has no readable commit")
  const file = await findGitProgram({ environment, outside: root })
  if (file === undefined) return without("git was not found on the PATH")
  const problem = objectsProblem(path.join(common, "objects"))
  if (problem !== undefined) return without(problem)

  const view = await makeGitView({ common, stateDirectory }, formatOf(head))
  const system = pickEnvironment(environment, ["SystemRoot"])
  const { timeoutMs = GIT_TIMEOUT_MS, roundBytes = BLOBS_A_ROUND_BYTES } = options
  const program = { file, view, signal, system, timeoutMs, roundBytes }
  return { kind: "ready", git: createGit(program, repository, formatOf(head)) }
}

function without(reason: string): OpenedGit {
  return { kind: "without", reason }
}

function createGit(program: GitProgram, repository: Repository, format: ObjectFormat): Git {
  return {
    format,
    headCommit: () => headCommit(repository),
    async listTree(commit) {
      const args = ["-r", "-z", "--full-tree", checkedId(commit)]
      return parseTree(await askWhole(program, { command: "ls-tree", args }))
    },
    readBlobs: (ids, limits) => readBlobs(program, ids.map(checkedId), limits),
    blobsAt: (places) => blobsAt(program, places),
    commitIds: (query) => commitIds(program, query),
    readCommits: (ids) => readCommits(program, ids.map(checkedId)),
    history: async (query) => readCommits(program, await commitIds(program, query)),
    diffNames: (from, to) => diffNames(program, checkedId(from), checkedId(to)),
    countApart: (own, other) => countApart(program, checkedId(own), checkedId(other)),
    isAncestor: (ancestor, commit) => isAncestor(program, checkedId(ancestor), checkedId(commit)),
    resolve: (name) => resolveCommit(program, repository, name),
    tags: () => listTags(repository),
  }
}

async function blobsAt(
  program: GitProgram,
  places: Parameters<Git["blobsAt"]>[0],
): Promise<readonly (string | undefined)[]> {
  if (places.length === 0) return []
  // A line break would end the question; such a path is answered as missing.
  const questions = places.map(({ commit, path: file }) =>
    file.includes("\n") ? checkedId(commit) : `${checkedId(commit)}:${file}`,
  )
  const described = await describeObjects(program, questions)
  return described.map(({ id, type }) => (type === "blob" && isObjectId(id) ? id : undefined))
}

/** Names are read from files, because git sees no refs here; git follows parents and tag objects. */
async function resolveCommit(
  program: GitProgram,
  repository: Repository,
  name: string,
): Promise<string | undefined> {
  const [, base = "", suffix = ""] = /^([^~^]+)((?:~\d{0,6}|\^)*)$/.exec(name.trim()) ?? []
  const id = base === "HEAD" ? await headCommit(repository) : await findNamed(repository, base)
  if (id === undefined) return undefined
  const [object] = await describeObjects(program, [`${id}${suffix}^{commit}`])
  return object?.type === "commit" && isObjectId(object.id) ? object.id : undefined
}

async function findNamed(repository: Repository, base: string): Promise<string | undefined> {
  if (!isPlainRefName(base)) return undefined
  for (const folder of ["refs/tags/", "refs/heads/", "refs/remotes/"]) {
    const id = await refCommit(repository, `${folder}${base}`)
    if (id !== undefined) return id
  }
  return /^[0-9a-f]{7,64}$/.test(base) ? base : undefined
}

async function commitIds(program: GitProgram, query: HistoryQuery): Promise<readonly string[]> {
  const limit = Math.min(Math.max(0, Math.floor(query.limit)), MOST_COMMITS)
  const until = query.since === undefined ? [] : [`^${checkedId(query.since)}`]
  const args = ["--no-merges", `--max-count=${limit}`, checkedId(query.from), ...until, "--"]
  const output = await askWhole(program, { command: "rev-list", args })
  return output.toString("latin1").split("\n").filter(isObjectId)
}

async function readCommits(
  program: GitProgram,
  ids: readonly string[],
): Promise<readonly Commit[]> {
  const commits: Commit[] = []
  for (let at = 0; at < ids.length; at += COMMITS_A_ROUND) {
    commits.push(...(await commitsOfRound(program, ids.slice(at, at + COMMITS_A_ROUND))))
  }
  return commits
}

/** A parent that a shallow clone lacks counts as none, as in git. */
async function commitsOfRound(
  program: GitProgram,
  ids: readonly string[],
): Promise<readonly Commit[]> {
  const headers = await readHeaders(program, ids)
  const trees = new Map(headers.map((it) => [it.id, it.tree]))
  const others = headers.flatMap((it) => it.parents.slice(0, 1)).filter((it) => !trees.has(it))
  for (const it of await readHeaders(program, [...new Set(others)])) trees.set(it.id, it.tree)
  const pairs = headers.map((it) => ({ before: trees.get(it.parents[0] ?? ""), after: it.tree }))
  const changes = await compareTrees(program, pairs, { maxChanges: MOST_CHANGES_A_COMMIT })
  return headers.map((header, at) => ({ ...header, changes: changes[at] }))
}

async function diffNames(
  program: GitProgram,
  from: string,
  to: string,
): Promise<readonly Change[]> {
  const headers = await readHeaders(program, [from, to])
  const [before, after] = [from, to].map((id) => headers.find((it) => it.id === id)?.tree)
  if (before === undefined || after === undefined) {
    throw GitFailed({ command: "cat-file", said: "a commit is missing" })
  }
  const limits = { maxChanges: MOST_WALKED_FILES }
  const [changes] = await compareTrees(program, [{ before, after }], limits)
  if (changes !== undefined) return changes
  throw GitAnswerTooLarge({ command: "cat-file", maxBytes: GIT_OUTPUT_LIMIT_BYTES })
}

/** A is an ancestor of B if nothing reachable from A is unreachable from B. */
async function isAncestor(program: GitProgram, ancestor: string, commit: string): Promise<boolean> {
  const objects = await describeObjects(program, [ancestor, commit])
  if (objects.some((it) => it.type !== "commit")) return false
  const args = ["--max-count=1", ancestor, `^${commit}`, "--"]
  const output = await askWhole(program, { command: "rev-list", args })
  return output.length === 0
}

async function countApart(program: GitProgram, own: string, other: string) {
  const args = ["--left-right", "--count", `${own}...${other}`, "--"]
  const output = await askWhole(program, { command: "rev-list", args })
  const [ahead = 0, behind = 0] = output.toString("latin1").trim().split("\t").map(Number)
  return { ahead, behind }
}

async function askWhole(program: GitProgram, question: Question): Promise<Buffer> {
  const { output, isCut } = await askGit(program, question)
  if (!isCut) return output
  throw GitAnswerTooLarge({ command: question.command, maxBytes: GIT_OUTPUT_LIMIT_BYTES })
}

function checkedId(id: string): string {
  invariant(isObjectId(id), "git is called with full object ids only")
  return id
}
