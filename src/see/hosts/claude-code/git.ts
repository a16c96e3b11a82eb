import path from "node:path"
import { isInside } from "../inside.ts"
import type { Look } from "../look.ts"

/** Where a folder stands in git: its own top, and the top of the repository it is a worktree of. */
export type GitTops = {
  readonly top: string | undefined
  /** The same as `top`, except in a linked worktree. */
  readonly main: string | undefined
  /** Whether the repository knows of the worktree too; a pointer file alone can name any folder. */
  readonly isMainProven: boolean
}

/** A pointer file is one line; anything longer is none. */
const POINTER_LIMIT_BYTES = 16 * 1024

/** The nearest `.git` above decides, as it does for the host; no git is started. */
export async function findGit(walk: readonly string[], look: Look): Promise<GitTops> {
  for (const folder of walk.toReversed()) {
    const dotGit = path.join(folder, ".git")
    const found = await look.peek(dotGit, POINTER_LIMIT_BYTES)
    if (found.kind === "directory") return { top: folder, main: folder, isMainProven: true }
    if (found.kind === "file") {
      const pointed = await mainOf(found.bytes.toString(), dotGit, look)
      return { top: folder, main: folder, isMainProven: true, ...pointed }
    }
  }
  return { top: undefined, main: undefined, isMainProven: false }
}

/** A worktree's folder names the common folder, and points back at the worktree it belongs to. */
async function mainOf(
  pointer: string,
  dotGit: string,
  look: Look,
): Promise<Pick<GitTops, "main" | "isMainProven"> | undefined> {
  const [, named] = /^gitdir: (.+)$/m.exec(pointer) ?? []
  if (named === undefined) return undefined
  const own = path.resolve(path.dirname(dotGit), named.trim())
  const back = await readLine(path.join(own, "gitdir"), look)
  const common = await readLine(path.join(own, "commondir"), look)
  if (back === undefined || common === undefined) return undefined
  const pointsBack = (await look.realPath(path.resolve(own, back))) === dotGit
  const shared = path.resolve(own, common)
  if (!pointsBack || path.basename(shared) !== ".git") return undefined
  const [realOwn, realShared] = [await look.realPath(own), await look.realPath(shared)]
  const isKnown = realOwn !== undefined && realShared !== undefined && isInside(realOwn, realShared)
  return { main: path.dirname(shared), isMainProven: isKnown }
}

async function readLine(file: string, look: Look): Promise<string | undefined> {
  const found = await look.peek(file, POINTER_LIMIT_BYTES)
  return found.kind === "file" ? found.bytes.toString().trim() : undefined
}
