import { posix, relative, sep } from "node:path"
import { PathUnusable } from "./errors.ts"
import { LONGEST_PATH_UNITS } from "./limits.ts"

/**
 * A path from the root of the repository in its one spelling, so that two spellings of one file meet:
 * with slashes, without dots, composed. Undefined when it leads out, or is no path.
 */
export function plainPath(path: string): string | undefined {
  const isWild = path === "" || path.includes("\0") || path.length > LONGEST_PATH_UNITS
  if (isWild || posix.isAbsolute(path)) return undefined
  const plain = posix.normalize(slashed(path)).replace(/\/+$/, "").normalize("NFC")
  const isOut = plain === ".." || plain.startsWith("../")
  return isOut ? undefined : plain
}

/** The same for a path as hosts give it: absolute, or from the folder they run in. */
export function pathFrom(root: string, path: string): string | undefined {
  if (!posix.isAbsolute(slashed(path)) && !/^[A-Za-z]:[\\/]/.test(path)) return plainPath(path)
  const inside = relative(root, path)
  return inside === "" ? undefined : plainPath(inside)
}

export function mustBePlain(path: string): string {
  const plain = plainPath(path)
  if (plain === undefined)
    throw PathUnusable({ path, wrong: "is no path inside of the repository" })
  return plain
}

/** The folders above a path, nearest first; `.` is the whole repository. */
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
