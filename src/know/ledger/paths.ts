import { createHash } from "node:crypto"
import { join, posix, relative, sep } from "node:path"
import { ensureDirectory, type OpenFolder, openFolder, statFile } from "#ground/base"
import { FolderUnusable, PathUnusable } from "./errors.ts"

const LONGEST_PATH_UNITS = 4_096

/** Each folder above a path is looked up; a walk of the repository ends at 64. */
const DEEPEST_PATH_FOLDERS = 128

/**
 * Relative to the root, with slashes, without dots, NFC. Undefined when it leads outside or is no
 * path.
 */
export function plainPath(path: string): string | undefined {
  const isWild = path === "" || path.includes("\0") || path.length > LONGEST_PATH_UNITS
  if (isWild || posix.isAbsolute(path)) return undefined
  const plain = posix
    .normalize(slashed(path))
    .replace(/(?<!\/)\/+$/, "")
    .normalize("NFC")
  const isOut = plain === ".." || plain.startsWith("../")
  return isOut || plain.split("/").length > DEEPEST_PATH_FOLDERS ? undefined : plain
}

export function pathFrom(root: string, path: string): string | undefined {
  if (!posix.isAbsolute(slashed(path)) && !/^[A-Za-z]:[\\/]/.test(path)) return plainPath(path)
  const inside = relative(root, path)
  return inside === "" ? undefined : plainPath(inside)
}

export function mustBePlain(path: string): string {
  const plain = plainPath(path)
  if (plain === undefined)
    throw PathUnusable({ path, wrong: "is not a path inside the repository" })
  return plain
}

/** Nearest first; `.` is the whole repository. */
export function foldersAbove(path: string): readonly string[] {
  if (path === ".") return []
  const names = path.split("/").slice(0, -1)
  return [...names.map((_, index) => names.slice(0, names.length - index).join("/")), "."]
}

export function isBelow(path: string, folder: string): boolean {
  return folder === "." ? path !== "." : path.startsWith(`${folder}/`)
}

function slashed(path: string): string {
  return sep === "\\" ? path.replaceAll("\\", "/") : path
}

/** Step by step, without following symlinks, which may lead outside. */
export function openBelow(root: string, way: string): OpenFolder | undefined {
  const opened = openFolder(root)
  let at = opened.kind === "open" ? opened.folder : undefined
  for (const name of way.split("/")) {
    if (at === undefined) return undefined
    using above = at
    const next = above.open(name)
    at = next.kind === "open" ? next.folder : undefined
  }
  return at
}

/** Step by step, without following symlinks, which may lead outside. */
export async function makeFolders(root: string, folder: string): Promise<void> {
  let way = ""
  for (const name of folder.split("/")) {
    way = way === "" ? name : `${way}/${name}`
    const fileStat = await statFile(join(root, way))
    if (fileStat.kind === "found" && fileStat.what !== "directory")
      throw FolderUnusable({ folder: way, what: fileStat.what })
    if (fileStat.kind !== "found") await ensureDirectory(join(root, way), { mode: 0o755 })
  }
}

/** A file name for any text. Hashes UTF-16, because lone surrogates are equal in UTF-8. */
export function digest(text: string): string {
  return createHash("sha256").update(text, "utf16le").digest("hex").slice(0, 40)
}
