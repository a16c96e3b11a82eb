import { join } from "node:path"
import { ensureDirectory, statFile } from "#ground/base"
import { FolderUnusable } from "./errors.ts"

/** One step after the other: a link on the way would lead out. */
export async function makeFolders(root: string, folder: string): Promise<void> {
  let way = ""
  for (const name of folder.split("/")) {
    way = way === "" ? name : `${way}/${name}`
    const looked = await statFile(join(root, way))
    if (looked.kind === "found" && looked.what !== "directory")
      throw FolderUnusable({ folder: way, what: looked.what })
    if (looked.kind !== "found") await ensureDirectory(join(root, way), { mode: 0o755 })
  }
}
