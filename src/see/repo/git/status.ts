import path from "node:path"
import { compareText, readBounded, readTextBounded, statFile, statNow } from "#ground/base"
import { isSecretBearing } from "../classify.ts"
import type { Repository } from "../repo.ts"
import { currentBranch } from "../repo.ts"
import { walkTree } from "../walk.ts"
import type { Git } from "./git.ts"
import { isPlainRefName, refCommit } from "./head.ts"
import { type IndexEntry, parseIndex } from "./index-file.ts"
import { blobId } from "./parse.ts"

/** 100,000 entries of about 150 bytes; a larger tree takes too long for a page. */
const INDEX_LIMIT_BYTES = 16 * 1024 ** 2
const CONFIG_LIMIT_BYTES = 256 * 1024
/** A file of the same size with another time is read to compare it; a larger one counts as changed. */
const LARGEST_HASHED_BYTES = 4 * 1024 ** 2
/** About a second of reading; a tree with more touched files has no list of changes. */
const MOST_HASHED_FILES = 2_000
const MOST_WALKED = 50_000
/** Each is searched in the whole config. */
const MOST_REMOTES = 50

const LINK_MODE = 0o120000
const SUBMODULE_MODE = 0o160000

export type ChangedFile = {
  readonly path: string
  readonly kind: "added" | "conflict" | "deleted" | "modified" | "untracked"
}

export type RepositoryStatus = {
  readonly branch: string | undefined
  /** For example origin/main. */
  readonly upstream: string | undefined
  /** Undefined without an upstream that was fetched. */
  readonly apart: { readonly ahead: number; readonly behind: number } | undefined
  readonly fetchedAtMs: number | undefined
  /** By path. Undefined if the index cannot be read here. */
  readonly changes: readonly ChangedFile[] | undefined
}

type StatusDeps = {
  readonly repository: Repository
  readonly git: Git
  readonly signal: AbortSignal
  readonly maxHashedFiles?: number
}

/**
 * The state of branch and working tree. Git itself never looks at the working tree, because it
 * would run filters of the repository: files are compared with the index by size and time, and
 * hashed here if these differ.
 */
export async function readStatus(deps: StatusDeps): Promise<RepositoryStatus> {
  const { repository, git } = deps
  const branch = await currentBranch(repository)
  const upstream = branch === undefined ? undefined : await upstreamOf(repository, branch)
  const [head, other] = [
    await git.headCommit(),
    upstream && (await refCommit(repository, upstream.ref)),
  ]
  const common = repository.gitCommonDirectory ?? ""
  const fetched = await statFile(path.join(common, "FETCH_HEAD"))
  return {
    branch,
    upstream: upstream?.name,
    apart: head && other ? await git.countApart(head, other) : undefined,
    fetchedAtMs: fetched.kind === "found" ? fetched.stat.modifiedAtMs : undefined,
    changes: head === undefined ? undefined : await changesSince(head, deps),
  }
}

async function changesSince(
  head: string,
  { repository, git, signal, maxHashedFiles = MOST_HASHED_FILES }: StatusDeps,
): Promise<readonly ChangedFile[] | undefined> {
  const file = path.join(repository.gitDirectory ?? "", "index")
  const written = await statFile(file)
  const outcome = await readBounded(file, { maxBytes: INDEX_LIMIT_BYTES })
  if (outcome.kind !== "read" || written.kind !== "found") return undefined
  const entries = parseIndex(outcome.bytes, git.format)
  if (entries === undefined) return undefined
  const committed = new Map((await git.listTree(head)).entries.map((it) => [it.path, it.id]))
  const changes = new Map<string, ChangedFile["kind"]>()
  const look = { root: repository.root, indexMs: written.stat.modifiedAtMs, format: git.format }
  let hashed = 0
  for (const entry of entries) {
    signal.throwIfAborted()
    let state = compareStats(entry, look)
    if (state === "uncertain") {
      if (++hashed > maxHashedFiles) return undefined
      state = await compareContent(entry, look)
    }
    const kind = kindOf(entry, committed.get(entry.path), state)
    if (kind !== undefined) changes.set(entry.path, kind)
  }
  const tracked = new Set(entries.map((it) => it.path))
  for (const it of committed.keys()) if (!tracked.has(it)) changes.set(it, "deleted")
  const walk = await walkTree(repository, { signal, maxFiles: MOST_WALKED })
  const isListed = (it: string) => tracked.has(it) || committed.has(it)
  for (const it of walk.files) if (!isListed(it.path)) changes.set(it.path, "untracked")
  return [...changes]
    .map(([at, kind]) => ({ path: at, kind }))
    .toSorted((a, b) => compareText(a.path, b.path))
}

function kindOf(
  entry: IndexEntry,
  committedId: string | undefined,
  onDisk: DiskState,
): ChangedFile["kind"] | undefined {
  if (entry.isConflict) return "conflict"
  if (onDisk === "missing") return "deleted"
  if (committedId === undefined) return "added"
  return onDisk === "changed" || committedId !== entry.id ? "modified" : undefined
}

type DiskState = "changed" | "missing" | "same"

type Look = {
  readonly root: string
  readonly indexMs: number
  readonly format: Git["format"]
}

function compareStats(entry: IndexEntry, { root, indexMs }: Look): DiskState | "uncertain" {
  if (entry.isSkipped || entry.mode === SUBMODULE_MODE) return "same"
  const stat = statNow(path.join(root, entry.path))
  if (stat === undefined) return "missing"
  const isSameTime = isTimeOf(entry, stat.modifiedAtMs)
  // A file written after the index may have changed within the same millisecond.
  const isSettled = stat.modifiedAtMs < indexMs
  if (isSameTime && isSettled && stat.sizeBytes === entry.sizeBytes) return "same"
  const isReadable = entry.mode !== LINK_MODE && !isSecretBearing(entry.path)
  if (isReadable) return "uncertain"
  return isSameTime ? "same" : "changed"
}

async function compareContent(entry: IndexEntry, { root, format }: Look): Promise<DiskState> {
  const file = path.join(root, entry.path)
  const outcome = await readBounded(file, { maxBytes: LARGEST_HASHED_BYTES, root })
  const isSame = outcome.kind === "read" && blobId(outcome.bytes, format) === entry.id
  return isSame ? "same" : "changed"
}

/** A stat has whole milliseconds. */
function isTimeOf({ modifiedSeconds, modifiedNanoseconds }: IndexEntry, atMs: number): boolean {
  if (modifiedNanoseconds === 0) return Math.floor(atMs / 1_000) === modifiedSeconds
  return modifiedSeconds * 1_000 + Math.floor(modifiedNanoseconds / 1e6) === atMs
}

type Upstream = { readonly remote: string; readonly name: string; readonly ref: string }

/** `remote` and `merge` of the branch in the repository's own config; includes are not followed. */
export async function upstreamOf(
  repository: Pick<Repository, "gitCommonDirectory">,
  branch: string,
): Promise<Upstream | undefined> {
  const values = readSection(await readConfig(repository), "branch", branch)
  const [remote, merge] = [values.get("remote"), values.get("merge")?.replace(/^refs\/heads\//, "")]
  if (remote === undefined || merge === undefined) return undefined
  const name = remote === "." ? merge : `${remote}/${merge}`
  const ref = remote === "." ? `refs/heads/${merge}` : `refs/remotes/${name}`
  return isPlainRefName(ref) ? { remote, name, ref } : undefined
}

/** Name and address of the remotes in the repository's own config. */
export async function listRemotes(
  repository: Pick<Repository, "gitCommonDirectory">,
): Promise<ReadonlyMap<string, string>> {
  const config = await readConfig(repository)
  const remotes = new Map<string, string>()
  for (const line of config.split("\n")) {
    const [, written] = REMOTE_SECTION.exec(line.trim()) ?? []
    const name = written?.replaceAll(/\\(.)/g, "$1") ?? ""
    if (name === "" || remotes.has(name) || !isPlainRefName(`refs/remotes/${name}`)) continue
    const url = readSection(config, "remote", name).get("url")
    if (url !== undefined) remotes.set(name, url)
    if (remotes.size >= MOST_REMOTES) break
  }
  return remotes
}

const REMOTE_SECTION = /^\[remote "((?:[^"\\]|\\.)*)"\]/i

async function readConfig({
  gitCommonDirectory: common,
}: Pick<Repository, "gitCommonDirectory">): Promise<string> {
  if (common === undefined) return ""
  const outcome = await readTextBounded(path.join(common, "config"), {
    maxBytes: CONFIG_LIMIT_BYTES,
    root: common,
  })
  return outcome.kind === "read" ? outcome.text : ""
}

export function readSection(
  config: string,
  kind: string,
  name: string,
): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  let isOwn = false
  for (const line of config.split("\n")) {
    const [, section, written] = /^\s*\[([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\]/.exec(line) ?? []
    if (section !== undefined) {
      isOwn = section.toLowerCase() === kind && written?.replaceAll(/\\(.)/g, "$1") === name
      continue
    }
    const [, key, setting = ""] = /^\s*(\w+)\s*=(.*)$/.exec(line) ?? []
    const value = (setting.split(/[#;]/, 1)[0] ?? "").trim().replaceAll(/^"|"$/g, "")
    if (isOwn && key !== undefined && !value.includes('"')) values.set(key.toLowerCase(), value)
  }
  return values
}
