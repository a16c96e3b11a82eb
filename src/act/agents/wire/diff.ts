export type Hunk = {
  readonly oldStart: number
  readonly oldLines: number
  readonly newStart: number
  readonly newLines: number
  readonly lines: readonly string[]
}

/** A unified diff of one file from its hunks. */
export function hunksDiff(path: string, hunks: readonly Hunk[]): string {
  const parts = hunks.map(
    (it) =>
      `@@ -${it.oldStart},${it.oldLines} +${it.newStart},${it.newLines} @@\n${it.lines.join("\n")}\n`,
  )
  return `${header(`a/${bare(path)}`, `b/${bare(path)}`)}${parts.join("")}`
}

/** A unified diff whose hunks are written already. */
export function writtenDiff(path: string, hunks: string): string {
  return `${header(`a/${bare(path)}`, `b/${bare(path)}`)}${endWithNewline(hunks)}`
}

/** A file that was not there before, or is not there any more. */
export function wholeDiff(path: string, text: string, how: "added" | "deleted"): string {
  const lines = text.replace(/\n$/, "").split("\n")
  const sign = how === "added" ? "+" : "-"
  const body = `${lines.map((it) => sign + it).join("\n")}\n`
  return how === "added"
    ? `${header("/dev/null", `b/${bare(path)}`)}@@ -0,0 +1,${lines.length} @@\n${body}`
    : `${header(`a/${bare(path)}`, "/dev/null")}@@ -1,${lines.length} +0,0 @@\n${body}`
}

function header(from: string, to: string): string {
  return `--- ${from}\n+++ ${to}\n`
}

function bare(path: string): string {
  return path.replace(/^\/+/, "")
}

function endWithNewline(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`
}
