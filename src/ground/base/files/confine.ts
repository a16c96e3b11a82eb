import type { FileHandle } from "node:fs/promises"
import { readlink, realpath, stat } from "node:fs/promises"
import { isInside } from "../path.ts"

/**
 * Whether an open file lies inside a directory, links resolved. It judges what was opened, not the
 * path: a directory swapped for a link between a check and the opening cannot lead outside.
 */
export async function checkOpenedInside(
  root: string,
  opened: { readonly handle: FileHandle; readonly path: string },
): Promise<boolean> {
  const [realRoot, realFile] = await Promise.all([realpath(root), realPathOf(opened)])
  return realFile !== undefined && isInside(realRoot, realFile)
}

async function realPathOf(opened: {
  readonly handle: FileHandle
  readonly path: string
}): Promise<string | undefined> {
  try {
    return await readlink(`/proc/self/fd/${opened.handle.fd}`)
  } catch {
    return realPathByInode(opened)
  }
}

/**
 * Without /proc: the path's real name, if what stands there is the file we opened. A name that is
 * moved away and back between the two looks could still deceive it; Linux does not come here.
 */
export async function realPathByInode(opened: {
  readonly handle: FileHandle
  readonly path: string
}): Promise<string | undefined> {
  const real = await realpath(opened.path)
  const [ours, there] = await Promise.all([opened.handle.stat(), stat(real)])
  return ours.dev === there.dev && ours.ino === there.ino ? real : undefined
}
