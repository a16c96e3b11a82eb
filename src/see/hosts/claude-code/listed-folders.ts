import path from "node:path"
import { belongsTo } from "../belongs.ts"
import type { Scope } from "../host.ts"
import { DEEPEST_FOLDER_LEVELS } from "../limits.ts"
import type { Look, ReadFile } from "../look.ts"
import type { World } from "./instructions.ts"
import { LARGEST_INSTRUCTION_BYTES, LARGEST_LISTED_FILE_BYTES } from "./limits.ts"

/** A folder of skills, commands, agents or output styles. */
export type ListedFolder = { readonly path: string; readonly scope: Scope }

/**
 * Where the host looks for what it lists: managed, the person's, then from the working directory
 * up to the top of the repository. The home folder ends the way up and is not looked into.
 */
export async function listedFolders(
  name: string,
  world: World,
  look: Look,
): Promise<readonly ListedFolder[]> {
  const { folders } = world
  const up = await projectFolders(name, world, look)
  return [
    { path: path.join(folders.managed, ".claude", name), scope: "managed" },
    { path: path.join(folders.config, name), scope: "user" },
    ...up.map((it) => ({ path: it, scope: "project" as const })),
  ]
}

async function projectFolders(name: string, world: World, look: Look): Promise<readonly string[]> {
  const { walk, home, git } = world.folders
  const found: string[] = []
  for (const folder of walk.toReversed()) {
    if (folder === home) break
    found.push(path.join(folder, ".claude", name))
    if (folder === git.top) break
  }
  // A worktree without such a folder of its own uses that of its repository.
  const isWorktree = git.top !== undefined && git.main !== undefined && git.top !== git.main
  if (!isWorktree) return found
  const own = path.join(git.top, ".claude", name)
  const hasOwn = (await look.realPath(own)) !== undefined
  return hasOwn ? found : [...found, path.join(git.main, ".claude", name)]
}

export type ListedFile = {
  readonly path: string
  readonly folder: ListedFolder
  readonly file: ReadFile
}

/** Every `*.md` below a folder, links followed, each real folder once. */
export async function markdownBelow(
  folder: ListedFolder,
  source: string,
  look: Look,
): Promise<readonly ListedFile[]> {
  const found: ListedFile[] = []
  const visited = new Set<string>()
  async function enter(at: string, depth: number): Promise<void> {
    const entries = await look.list(at, source)
    const real = await look.realPath(at)
    if (real === undefined || visited.has(real) || depth > DEEPEST_FOLDER_LEVELS) return
    visited.add(real)
    for (const entry of entries) {
      const file = path.join(at, entry.name)
      const what = entry.what === "link" ? await look.kindOf(file) : entry.what
      if (what === "directory") await enter(file, depth + 1)
      if (what !== "file" || !entry.name.endsWith(".md")) continue
      const read = await readListed(file, source, look)
      if (read !== undefined) found.push({ path: file, folder, file: read })
    }
  }
  await enter(folder.path, 0)
  return found
}

/** Whose a listed file is. */
export function trustOfListed({ path: at, folder, file }: ListedFile, { folders }: World) {
  const reached = { realPath: file.realPath, scope: folder.scope, foundAt: at }
  return belongsTo(reached, folders.grounds)
}

export async function readListed(
  file: string,
  source: string,
  look: Look,
): Promise<ReadFile | undefined> {
  const read = await look.read(file, { source, maxBytes: LARGEST_INSTRUCTION_BYTES })
  if (read === undefined || read.bytes.length <= LARGEST_LISTED_FILE_BYTES) return read
  look.mark({
    path: file,
    source,
    outcome: "excluded",
    detail: `${read.bytes.length} bytes are more than is listed`,
  })
  return undefined
}
