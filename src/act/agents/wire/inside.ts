import path from "node:path"
import { realPath } from "#ground/base"

/**
 * Whether a change to a file is an ordinary edit of the working directory: really below it, through
 * no link that leads out, and in no dot folder, where hooks and settings would run with it.
 */
export async function checkOrdinaryFile(cwd: string, file: string): Promise<boolean> {
  const target = path.resolve(cwd, file)
  const way = path.relative(cwd, target)
  const isBelow = way !== "" && !way.startsWith("..") && !path.isAbsolute(way)
  const isHidden = way.split(path.sep).some((it) => it.startsWith("."))
  if (!isBelow || isHidden) return false
  const root = await realPath(cwd)
  const real = path.relative(root, await realAncestor(target))
  return !real.startsWith("..") && !path.isAbsolute(real)
}

/** The real path of a file, or of the nearest folder above it that is there. */
async function realAncestor(file: string): Promise<string> {
  for (let at = file; path.dirname(at) !== at; at = path.dirname(at)) {
    const real = await realPath(at).catch(() => undefined)
    if (real !== undefined) return real
  }
  return path.parse(file).root
}
