import path from "node:path"

type Standpoint = { readonly home: string; readonly workingDirectory: string }

/** The path as a person reads it: from where they stand, else from home, else whole. */
export function labelOf(file: string, from: Standpoint): string {
  const isNoFile = !path.isAbsolute(file)
  if (isNoFile) return file
  const inside = relativeInside(from.workingDirectory, file)
  if (inside !== undefined) return inside
  const fromHome = relativeInside(from.home, file)
  return fromHome === undefined ? file : path.join("~", fromHome)
}

function relativeInside(folder: string, file: string): string | undefined {
  const relative = path.relative(folder, file)
  const isAbove = relative === ".." || relative.startsWith(`..${path.sep}`)
  const isInside = relative !== "" && !isAbove && !path.isAbsolute(relative)
  return isInside ? relative : undefined
}
