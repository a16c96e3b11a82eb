import path from "node:path"
import {
  type Environment,
  ensureDirectory,
  makeTemporaryDirectory,
  readBounded,
  writeFileAtomic,
} from "#ground/base"
import { LARGEST_ATTRIBUTES_BYTES } from "./limits.ts"
import { askUserGit, type UserGit } from "./user-git.ts"

export type Forecast =
  | { readonly kind: "clean" }
  | { readonly kind: "conflicts"; readonly files: readonly string[] }
  | { readonly kind: "unknown"; readonly why: string }

/**
 * How a merge of two commits would end. It is tried in a git folder of our own, which borrows the
 * objects and knows no config: no merge driver of a repository is started, nothing is written
 * into it. Files that such a driver would merge are left out, since nobody knows what it does.
 */
export async function forecastMerge(
  git: UserGit,
  commits: { readonly ours: string; readonly theirs: string },
): Promise<Forecast> {
  const common = git.repository.gitCommonDirectory
  if (common === undefined) return { kind: "unknown", why: "outside git" }
  await using temporary = await makeTemporaryDirectory()
  const place = { directory: temporary.path, common, commit: commits.ours }
  const view = { directory: temporary.path, env: await makeView(git, place) }
  const ask = (...args: readonly string[]) => askUserGit(git, { args, view })
  const { theirs, ours } = commits
  const names = ["--name-only", "--no-messages", "-z"]
  const merged = await ask("merge-tree", "--write-tree", ...names, theirs, ours)
  if (merged?.code === 0) return { kind: "clean" }
  // Above 1 it could not be tried: histories without a common commit, missing objects, an old git.
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
  place: { readonly directory: string; readonly common: string; readonly commit: string },
): Promise<Environment> {
  const { directory, common, commit } = place
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

/** A list divided by colons; quotes keep a path with one together. */
function quoted(folder: string): string {
  return `"${folder.replace(/["\\]/g, "\\$&")}"`
}

/** How files are merged, as the top of the tree and the clone's own file say; the latter wins. */
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

/** `file NUL merge NUL value NUL` each; values that name no driver are git's own. */
function withoutDrivers(files: readonly string[], attributes: string): readonly string[] {
  const fields = attributes.split("\0")
  const valueOf = new Map<string, string>()
  for (let at = 0; at + 2 < fields.length; at += 3) {
    valueOf.set(fields[at] ?? "", fields[at + 2] ?? "")
  }
  return files.filter((it) => GIT_OWN.includes(valueOf.get(it) ?? "unspecified"))
}

const GIT_OWN = ["unspecified", "set", "unset", "text", "binary", "union"]
