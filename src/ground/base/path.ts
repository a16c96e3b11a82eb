import { isAbsolute, relative, sep } from "node:path"

/** By components: `/a/bc` is not inside `/a/b`, and `/a/b/..c` is. A folder is inside itself. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
