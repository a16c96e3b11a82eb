import path from "node:path"
import {
  type Environment,
  ensureDirectory,
  makeTemporaryDirectory,
  readBounded,
  statFile,
  visibleLine,
  writeFileAtomic,
} from "#ground/base"
import { PushConflicts } from "./errors.ts"
import { askLine, askUserGit, type UserGit } from "./user-git.ts"

const LARGEST_ATTRIBUTES_BYTES = 1_048_576

const MOST_NAMED_FILES = 20

/** `git push --all` of a large clone may push thousands of branches while the user waits. */
const MOST_CHECKED_BRANCHES = 50

/**
 * Throws if a pushed branch would conflict with its base as last fetched. Git
 * itself checks the pushed branch on the remote: fast-forward or forced.
 */
export async function prePush(
  git: UserGit,
  pushed: { readonly remote: string; readonly stdin: string },
): Promise<string | undefined> {
  const { gitCommonDirectory: common } = git.repository
  if (common === undefined) return "outside git"
  // In a shallow clone the common ancestor may be missing.
  const shallow = await statFile(path.join(common, "shallow"))
  if (shallow.kind === "found") return "a shallow clone has no common history to compare"
  const notes: string[] = []
  for (const branch of parsePushed(pushed.stdin).slice(0, MOST_CHECKED_BRANCHES)) {
    const note = await checkBranch(git, branch, pushed.remote)
    if (note !== undefined) notes.push(`${shortName(branch.remoteRef)}: ${note}`)
  }
  return notes.length === 0 ? undefined : notes.join("; ")
}

type PushedRef = {
  readonly localRef: string
  readonly commit: string
  readonly remoteRef: string
}

function parsePushed(stdin: string): readonly PushedRef[] {
  return stdin.split("\n").flatMap((line) => {
    const [localRef = "", commit = "", remoteRef = ""] = line.split(" ")
    const isMoved = /^(?!0+$)[0-9a-f]{40,64}$/.test(commit)
    return isMoved && remoteRef.startsWith(BRANCHES) ? [{ localRef, commit, remoteRef }] : []
  })
}

const BRANCHES = "refs/heads/"

async function checkBranch(
  git: UserGit,
  pushed: PushedRef,
  remote: string,
): Promise<string | undefined> {
  const base = await baseOf(git, pushed, remote)
  if (base === undefined) return "it has no base branch to compare with"
  const theirs = await askLine(git, "rev-parse", "--verify", "--quiet", `${base}^{commit}`)
  if (theirs === undefined) return `${base} does not exist`
  const forecast = await forecastMerge(git, { ours: pushed.commit, theirs })
  if (forecast.kind !== "conflicts") {
    return forecast.kind === "unknown" ? forecast.why : undefined
  }
  const files = forecast.files.slice(0, MOST_NAMED_FILES).map((it) => visibleLine(it))
  const names = { branch: shortName(pushed.remoteRef), base: shortName(base) }
  throw PushConflicts({ ...names, files, count: forecast.files.length })
}

/** The upstream if it is another branch, else the remote's main branch if it is another one. */
async function baseOf(
  git: UserGit,
  { localRef, remoteRef }: PushedRef,
  remote: string,
): Promise<string | undefined> {
  const upstream = await upstreamOf(git, localRef)
  const isItself = upstream?.remote === remote && upstream.remoteRef === remoteRef
  if (upstream !== undefined && !isItself) return upstream.ref
  const main = await mainBranch(git, remote)
  return main === `refs/remotes/${remote}/${shortName(remoteRef)}` ? undefined : main
}

async function upstreamOf(git: UserGit, localRef: string) {
  if (!localRef.startsWith(BRANCHES)) return undefined
  const format = "--format=%(upstream)%00%(upstream:remotename)%00%(upstream:remoteref)"
  const line = await askLine(git, "for-each-ref", "--count=1", format, localRef)
  const [ref = "", remote = "", remoteRef = ""] = line?.split("\0") ?? []
  return ref === "" ? undefined : { ref, remote, remoteRef }
}

async function mainBranch(git: UserGit, remote: string): Promise<string | undefined> {
  const tracked = `refs/remotes/${remote}`
  const head = await askLine(git, "symbolic-ref", "--quiet", `${tracked}/HEAD`)
  if (head !== undefined) return head
  for (const ref of [`${tracked}/main`, `${tracked}/master`]) {
    const commit = await askLine(git, "rev-parse", "--verify", "--quiet", ref)
    if (commit !== undefined) return ref
  }
  return undefined
}

function shortName(ref: string): string {
  return visibleLine(ref.replace(/^refs\/(?:heads|remotes)\//, ""))
}

type Forecast =
  | { readonly kind: "clean" }
  | { readonly kind: "conflicts"; readonly files: readonly string[] }
  | { readonly kind: "unknown"; readonly why: string }

/**
 * Tries a merge in a temporary git folder that borrows the objects and has no config, so no merge
 * driver of the repository runs and nothing is written to it. Files with a merge driver are left
 * out, because its result is unknown.
 */
async function forecastMerge(
  git: UserGit,
  commits: { readonly ours: string; readonly theirs: string },
): Promise<Forecast> {
  const common = git.repository.gitCommonDirectory
  if (common === undefined) return { kind: "unknown", why: "outside git" }
  await using temporary = await makeTemporaryDirectory()
  const location = { directory: temporary.path, common, commit: commits.ours }
  const view = { directory: temporary.path, env: await makeView(git, location) }
  const ask = (...args: readonly string[]) => askUserGit(git, { args, view })
  const { theirs, ours } = commits
  const names = ["--name-only", "--no-messages", "-z"]
  const merged = await ask("merge-tree", "--write-tree", ...names, theirs, ours)
  if (merged?.code === 0) return { kind: "clean" }
  // Above 1 the merge could not be tried: no common history, missing objects, or an old git.
  if (merged?.code !== 1) return { kind: "unknown", why: "git could not try the merge" }
  const [, ...files] = merged.output
    .toString()
    .split("\0")
    .filter((it) => it !== "")
  const attributes = await ask("check-attr", "-z", "merge", "--", ...files)
  const real = withoutDrivers(files, attributes?.output.toString() ?? "")
  return real.length === 0 ? { kind: "clean" } : { kind: "conflicts", files: real }
}

async function makeView(
  git: UserGit,
  location: { readonly directory: string; readonly common: string; readonly commit: string },
): Promise<Environment> {
  const { directory, common, commit } = location
  for (const it of ["refs", "objects", "info"]) await ensureDirectory(path.join(directory, it))
  const isSha1 = commit.length === 40
  const version = `[core]\n\trepositoryformatversion = ${isSha1 ? 0 : 1}\n\tbare = true\n`
  const extension = isSha1 ? "" : "[extensions]\n\tobjectformat = sha256\n"
  await writeFileAtomic(path.join(directory, "config"), version + extension)
  await writeFileAtomic(path.join(directory, "HEAD"), "ref: refs/heads/none\n")
  const attributes = await attributesOf(git, { common, commit })
  await writeFileAtomic(path.join(directory, "info", "attributes"), attributes)
  return {
    GIT_DIR: directory,
    GIT_OBJECT_DIRECTORY: path.join(directory, "objects"),
    GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(path.join(common, "objects")),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_SYSTEM: "/dev/null",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    HOME: directory,
    XDG_CONFIG_HOME: directory,
  }
}

/** The list is separated by colons; quotes protect a path that contains one. */
function quoted(folder: string): string {
  return `"${folder.replace(/["\\]/g, "\\$&")}"`
}

/** From the top of the tree and from `info/attributes`, which wins. */
async function attributesOf(
  git: UserGit,
  { common, commit }: { readonly common: string; readonly commit: string },
): Promise<string> {
  const args = ["cat-file", "blob", `${commit}:.gitattributes`]
  const tracked = await askUserGit(git, { args })
  const limits = { maxBytes: LARGEST_ATTRIBUTES_BYTES, root: common }
  const own = await readBounded(path.join(common, "info", "attributes"), limits)
  const isFit = tracked?.code === 0 && tracked.output.length <= LARGEST_ATTRIBUTES_BYTES
  const parts = [isFit ? tracked.output : "", own.kind === "read" ? own.bytes : ""]
  return parts.map((it) => it.toString()).join("\n")
}

/** Parses `file NUL merge NUL value NUL`; values that name no driver are git's own. */
function withoutDrivers(files: readonly string[], attributes: string): readonly string[] {
  const fields = attributes.split("\0")
  const valueOf = new Map<string, string>()
  for (let at = 0; at + 2 < fields.length; at += 3) {
    valueOf.set(fields[at] ?? "", fields[at + 2] ?? "")
  }
  return files.filter((it) => GIT_OWN.includes(valueOf.get(it) ?? "unspecified"))
}

const GIT_OWN = ["unspecified", "set", "unset", "text", "binary", "union"]
