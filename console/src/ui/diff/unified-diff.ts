import type { DiffLine } from "./diff.tsx"

export type FileDiff = {
  readonly path: string
  readonly added: number
  readonly removed: number
  readonly lines: readonly DiffLine[]
}

export function readUnified(text: string): readonly FileDiff[] {
  const files: DiffFileDraft[] = []
  let file: DiffFileDraft | undefined
  for (const line of text.split(/\r?\n/)) {
    const isHead = line.startsWith("--- ") && !(file?.isInside === true && file.left > 0)
    if (isHead) {
      file = begin(pathIn(line))
      files.push(file)
      continue
    }
    // Some hosts omit the header if only one file changed.
    if (file === undefined && line.startsWith("@@")) {
      file = begin("")
      files.push(file)
    }
    if (file !== undefined) readLine(file, line)
  }
  return files.map(({ path, added, removed, lines }) => ({ path, added, removed, lines }))
}

type DiffFileDraft = {
  path: string
  added: number
  removed: number
  readonly lines: DiffLine[]
  before: number
  after: number
  left: number
  isInside: boolean
}

function begin(path: string): DiffFileDraft {
  return { path, added: 0, removed: 0, lines: [], before: 0, after: 0, left: 0, isInside: false }
}

function pathIn(line: string): string {
  const [path = ""] = line.slice(4).split("\t", 1)
  return path.replace(/^[ab]\//, "")
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/

function readLine(file: DiffFileDraft, line: string): void {
  const hunk = HUNK.exec(line)
  if (hunk !== null) {
    file.before = Number(hunk[1])
    file.after = Number(hunk[3])
    file.left = Number(hunk[2] ?? 1) + Number(hunk[4] ?? 1)
    file.isInside = true
    return
  }
  if (!file.isInside) {
    if (line.startsWith("+++ ") && line !== "+++ /dev/null") file.path = pathIn(line)
    return
  }
  if (file.left <= 0) return
  const text = line.slice(1)
  if (line.startsWith("+")) {
    file.lines.push({ sign: "+", after: file.after++, text })
    file.added++
    file.left -= 1
  } else if (line.startsWith("-")) {
    file.lines.push({ sign: "-", before: file.before++, text })
    file.removed++
    file.left -= 1
  } else if (!line.startsWith("\\")) {
    file.lines.push({ sign: " ", before: file.before++, after: file.after++, text })
    file.left -= 2
  }
}
