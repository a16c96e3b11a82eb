type Hunk = {
  readonly oldStart: number
  readonly oldLines: number
  readonly newStart: number
  readonly newLines: number
  readonly lines: readonly string[]
}

export function hunksDiff(path: string, hunks: readonly Hunk[]): string {
  const parts = hunks.map(
    (it) =>
      `@@ -${it.oldStart},${it.oldLines} +${it.newStart},${it.newLines} @@\n${it.lines.join("\n")}\n`,
  )
  return `${header(`a/${bare(path)}`, `b/${bare(path)}`)}${parts.join("")}`
}

export function writtenDiff(path: string, hunks: string): string {
  return `${header(`a/${bare(path)}`, `b/${bare(path)}`)}${hunks.replace(/\n?$/, "\n")}`
}

export function wholeDiff(path: string, text: string, how: "added" | "deleted"): string {
  const lines = text.replace(/\n$/, "").split("\n")
  const prefix = how === "added" ? "+" : "-"
  const body = `${lines.map((it) => prefix + it).join("\n")}\n`
  return how === "added"
    ? `${header("/dev/null", `b/${bare(path)}`)}@@ -0,0 +1,${lines.length} @@\n${body}`
    : `${header(`a/${bare(path)}`, "/dev/null")}@@ -1,${lines.length} +0,0 @@\n${body}`
}

const CONTEXT_LINES = 3

/** One hunk from the first to the last changed line, for hosts that send both texts. */
export function changedDiff(path: string, before: string, after: string): string {
  if (before === "") return wholeDiff(path, after, "added")
  if (after === "") return wholeDiff(path, before, "deleted")
  const [old, now] = [before.replace(/\n$/, "").split("\n"), after.replace(/\n$/, "").split("\n")]
  const most = Math.min(old.length, now.length)
  let start = 0
  while (start < most && old[start] === now[start]) start += 1
  let end = 0
  while (end < most - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end += 1
  const first = Math.max(0, start - CONTEXT_LINES)
  const rest = Math.max(0, end - CONTEXT_LINES)
  const lines = [
    ...old.slice(first, start).map((it) => ` ${it}`),
    ...old.slice(start, old.length - end).map((it) => `-${it}`),
    ...now.slice(start, now.length - end).map((it) => `+${it}`),
    ...old.slice(old.length - end, old.length - rest).map((it) => ` ${it}`),
  ]
  const [oldLines, newLines] = [old.length - rest - first, now.length - rest - first]
  return hunksDiff(path, [{ oldStart: first + 1, oldLines, newStart: first + 1, newLines, lines }])
}

function header(from: string, to: string): string {
  return `--- ${from}\n+++ ${to}\n`
}

function bare(path: string): string {
  return path.replace(/^\/+/, "")
}

type DiffLine = {
  readonly kind: "file" | "hunk" | "added" | "removed" | "same"
  readonly text: string
}

type FileChange = {
  readonly path: string
  readonly added: number
  readonly removed: number
}

/** The numbers of a hunk decide its length: a removed line may itself begin with two dashes. */
export function* diffLines(diff: string): Generator<DiffLine> {
  let left = { old: 0, new: 0 }
  for (const text of linesOf(diff)) {
    const isInside = left.old > 0 || left.new > 0
    const hunk = isInside ? undefined : hunkOf(text)
    if (hunk !== undefined) left = hunk
    const kind = isInside ? insideKind(text) : outsideKind(text, hunk !== undefined)
    if (isInside && kind !== "added" && !isRemark(text)) left.old -= 1
    if (isInside && kind !== "removed" && !isRemark(text)) left.new -= 1
    yield { kind, text }
  }
}

export function changesIn(diff: string): readonly FileChange[] {
  const changes: { path: string; added: number; removed: number }[] = []
  let before = ""
  for (const { kind, text } of diffLines(diff)) {
    const last = changes.at(-1)
    if (text.startsWith("--- ") && kind === "file") before = nameIn(text)
    else if (text.startsWith("+++ ") && kind === "file") {
      const after = nameIn(text)
      changes.push({ path: after === NO_FILE ? before : after, added: 0, removed: 0 })
    } else if (last !== undefined && kind === "added") last.added += 1
    else if (last !== undefined && kind === "removed") last.removed += 1
  }
  return changes
}

function* linesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf("\n", from)
    const to = end === -1 ? text.length : end
    yield text.slice(from, to)
    from = to + 1
  }
}

function hunkOf(line: string): { old: number; new: number } | undefined {
  const match = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line)
  if (match === null) return undefined
  return { old: Number(match[1] ?? 1), new: Number(match[2] ?? 1) }
}

function insideKind(line: string): DiffLine["kind"] {
  if (line.startsWith("+")) return "added"
  return line.startsWith("-") ? "removed" : "same"
}

function outsideKind(line: string, isHunk: boolean): DiffLine["kind"] {
  if (isHunk) return "hunk"
  return /^(?:--- |\+\+\+ |diff --git |index |new file|deleted file|rename )/.test(line)
    ? "file"
    : "same"
}

/** "\ No newline at end of file" */
function isRemark(line: string): boolean {
  return line.startsWith("\\")
}

const NO_FILE = "/dev/null"

function nameIn(line: string): string {
  const name = line.slice(4).split("\t", 1)[0] ?? ""
  return name === NO_FILE ? name : name.replace(/^[ab]\//, "")
}
