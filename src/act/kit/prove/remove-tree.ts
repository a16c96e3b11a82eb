import path from "node:path"
import { listDirectory, removeEmptyDirectory, removeFile } from "#ground/base"
import { DEEPEST_LEFTOVERS, MOST_LEFTOVERS } from "./limits.ts"

/** Takes a small folder away with all in it; one that is deeper or larger than ours stays. */
export async function removeTree(folder: string, depth = 0): Promise<void> {
  if (depth > DEEPEST_LEFTOVERS) return
  const listed = await listDirectory(folder, { maxEntries: MOST_LEFTOVERS })
  if (listed.kind !== "listed") return
  for (const { name, what } of listed.entries) {
    const entry = path.join(folder, name)
    if (what === "directory") await removeTree(entry, depth + 1)
    else await removeFile(entry)
  }
  await removeEmptyDirectory(folder)
}
