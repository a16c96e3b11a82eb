import path from "node:path"
import { type FileType, listDirectory } from "#ground/base"

export const DEEPEST_LISTED_LEVELS = 64

/** Third-party or internal folders that users do not edit. */
const PASSED_OVER: ReadonlySet<string> = new Set([".git", "node_modules"])

export type ListedFiles = {
  readonly files: readonly string[]
  readonly isWhole: boolean
}

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
      const listed = await listFolder(root, folder)
      files.push(...listed.files)
      below.push(...listed.folders)
      isWhole &&= listed.isWhole
      if (files.length > limits.maxFiles) return { files, isWhole: false }
    }
    folders = below
  }
  return { files, isWhole }
}

type ListedTree = ListedFiles & { readonly folders: readonly string[] }

async function listFolder(root: string, folder: string): Promise<ListedTree> {
  const listed = await listDirectory(path.join(root, folder))
  if (listed.kind !== "listed") return { files: [], folders: [], isWhole: false }
  const within = (name: string) => (folder === "" ? name : `${folder}/${name}`)
  const named = (what: FileType) => listed.entries.filter((it) => it.what === what)
  return {
    files: named("regular file").map((it) => within(it.name)),
    folders: named("directory")
      .filter((it) => !PASSED_OVER.has(it.name))
      .map((it) => within(it.name)),
    isWhole: true,
  }
}
