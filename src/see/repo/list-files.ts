import path from "node:path"
import { listDirectory } from "#ground/base"
import { DEEPEST_LISTED_LEVELS } from "./limits.ts"

/** Folders that hold what others wrote, or nothing a person edits. */
const PASSED_OVER: ReadonlySet<string> = new Set([".git", "node_modules"])

export type ListedFiles = {
  /** From the root, with forward slashes. */
  readonly files: readonly string[]
  /** False when there were more than asked for, or a folder could not be listed. */
  readonly isWhole: boolean
}

/** The files below a folder, nearest first. Links are not followed, and nothing is opened. */
export async function listFiles(
  root: string,
  limits: { readonly maxFiles: number; readonly signal: AbortSignal },
): Promise<ListedFiles> {
  const files: string[] = []
  let isWhole = true
  let folders = [""]
  for (let level = 0; folders.length > 0; level++) {
    if (level === DEEPEST_LISTED_LEVELS) return { files, isWhole: false }
    const below: string[] = []
    for (const folder of folders) {
      limits.signal.throwIfAborted()
      const listed = await listDirectory(path.join(root, folder))
      if (listed.kind !== "listed") {
        isWhole = false
        continue
      }
      for (const { name, what } of listed.entries) {
        const inside = folder === "" ? name : `${folder}/${name}`
        if (what === "regular file") files.push(inside)
        if (what === "directory" && !PASSED_OVER.has(name)) below.push(inside)
      }
      if (files.length > limits.maxFiles) return { files, isWhole: false }
    }
    folders = below
  }
  return { files, isWhole }
}
