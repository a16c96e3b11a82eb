import path from "node:path"

/** Whether a path is a folder or lies in it. */
export function isInside(file: string, folder: string): boolean {
  const way = path.relative(folder, file)
  return way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way)
}
