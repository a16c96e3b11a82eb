import path from "node:path"
import {
  ensureDirectory,
  type OpenFolder,
  openFolder,
  readTextBounded,
  statFile,
  writeFileAtomic,
} from "#ground/base"
import type { Repository } from "../repo.ts"
import type { ObjectFormat } from "./parse.ts"

/** Git packs loose objects after some thousand. */
const MOST_OBJECT_ENTRIES = 1_000_000

/**
 * Our own git folder that references only the objects of a repository. Git then sees no config,
 * hook, attribute, ref or remote of the repository, and nothing that could make it execute
 * something (PROMISES, finding 2).
 */
export type GitView = {
  readonly directory: string
  readonly objects: string
  readonly shallowFile: string | undefined
  /** Objects that git reads and never writes to. */
  readonly borrowed?: string
}

export async function makeGitView(
  repository: { readonly common: string } & Pick<Repository, "stateDirectory">,
  format: ObjectFormat,
): Promise<GitView> {
  const directory = path.join(repository.stateDirectory, "git-view", format)
  await ensureDirectory(path.join(directory, "refs"))
  await ensureDirectory(path.join(directory, "objects"))
  await writeIfOther(path.join(directory, "HEAD"), "ref: refs/heads/none\n")
  await writeIfOther(path.join(directory, "config"), VIEW_CONFIG[format])
  const shallow = path.join(repository.common, "shallow")
  const stat = await statFile(shallow)
  const isShallow = stat.kind === "found" && stat.what === "regular file"
  return {
    directory,
    objects: path.join(repository.common, "objects"),
    shallowFile: isShallow ? shallow : undefined,
  }
}

export const VIEW_CONFIG: Readonly<Record<ObjectFormat, string>> = {
  sha1: "[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
  sha256:
    "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n",
}

/** A write costs two disk syncs; usually nothing has changed. */
async function writeIfOther(file: string, text: string): Promise<void> {
  const there = await readTextBounded(file, { maxBytes: text.length })
  if (there.kind === "read" && there.text === text) return
  await writeFileAtomic(file, text)
}

/**
 * Why git must not read the objects of a repository. A link among them, or a file that names
 * another store, leads out of the repository; a pipe would block.
 */
export function objectsProblem(objects: string): string | undefined {
  const opened = openFolder(objects)
  if (opened.kind !== "open") return "its objects cannot be read"
  using top = opened.folder
  return problemIn(top, { isTop: true })
}

function problemIn(folder: OpenFolder, options: { readonly isTop: boolean }): string | undefined {
  const listed = folder.list({ maxEntries: MOST_OBJECT_ENTRIES })
  if (listed.kind !== "listed") return "its objects cannot be read"
  for (const { name, what } of listed.entries) {
    if (name === "alternates") return "it uses objects of another repository (clone --shared)"
    const isFolder = what === "directory"
    if (!isFolder && what !== "regular file")
      return `its objects contain a ${what} among its objects`
    if (!isFolder || !options.isTop) continue
    const problem = problemBelow(folder, name)
    if (problem !== undefined) return problem
  }
  return undefined
}

function problemBelow(folder: OpenFolder, name: string): string | undefined {
  const opened = folder.open(name)
  if (opened.kind !== "open") return "its objects cannot be read"
  using below = opened.folder
  return problemIn(below, { isTop: false })
}
