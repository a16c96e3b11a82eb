import { visibleLine } from "../../base/format.ts"

/** Where in the text of a package a file is, so that a preview can be opened at it. */
export function findFile(
  lines: readonly string[],
  path: string,
): { readonly at: number | null; readonly marked: ReadonlySet<number> } {
  if (path === "") return { at: null, marked: new Set() }
  // A name that hides something is written out as what it is.
  const shown = visibleLine(path)
  const found = lines.flatMap((line, i) => (names(line, path) || names(line, shown) ? [i] : []))
  const own = found.find((i) => isHead(lines[i] ?? ""))
  return { at: own ?? found[0] ?? null, marked: new Set(found) }
}

function names(line: string, path: string): boolean {
  for (let i = line.indexOf(path); i >= 0; i = line.indexOf(path, i + 1)) {
    const before = line[i - 1] ?? ""
    const after = line[i + path.length] ?? ""
    if (!IN_A_PATH.test(before) && !IN_A_PATH.test(after)) return true
  }
  return false
}

const IN_A_PATH = /[\w/-]/

function isHead(line: string): boolean {
  return /^(#|<|\s*"path")/.test(line)
}
