import path from "node:path"
import { DEEPEST_ANCESTOR_LEVELS } from "./walk-limits.ts"

/** A folder and all above it, the nearest first. */
export function foldersUp(start: string): readonly string[] {
  const folders = [start]
  for (let at = start; folders.length < DEEPEST_ANCESTOR_LEVELS; ) {
    const parent = path.dirname(at)
    if (parent === at) break
    folders.push(parent)
    at = parent
  }
  return folders
}

/** From a folder down to one below it, both included; only the lower one when it is not below. */
export function foldersDown(top: string, bottom: string): readonly string[] {
  const up = foldersUp(bottom)
  const end = up.indexOf(top)
  return end === -1 ? [bottom] : up.slice(0, end + 1).toReversed()
}

/** The nearest folder, from here upwards, of which something is true. */
export async function findUp(
  start: string,
  isIt: (folder: string) => Promise<boolean>,
): Promise<string | undefined> {
  for (const folder of foldersUp(start)) if (await isIt(folder)) return folder
  return undefined
}
