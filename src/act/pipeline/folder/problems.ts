import { compareText, nearest, visibleLine } from "#ground/base"
import type { ConfigProblem } from "#ground/contract"
import { LONGEST_REPEATED_CHARACTERS, MOST_PROBLEMS } from "./limits.ts"

/** By file and line, each once, and not more than anybody would read. */
export function inOrder(problems: readonly ConfigProblem[]): ConfigProblem[] {
  const seen = new Map(problems.map((it) => [`${it.file}\n${it.line}\n${it.problem}`, it]))
  return [...seen.values()]
    .toSorted((a, b) => compareText(a.file, b.file) || a.line - b.line)
    .slice(0, MOST_PROBLEMS)
}

/** The number of the line, from 1, in which an offset lies. */
export function lineAt(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1))
    line++
  return line
}

/** A value as it may stand in a message: whole, or only its length. */
export function quoted(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing")
  if (text.length > LONGEST_REPEATED_CHARACTERS) return `a value of ${text.length} characters`
  return `\`${visibleLine(text)}\``
}

/** "one of a, b; did you mean b?" */
export function choices(word: string, known: readonly string[]): string {
  const near = nearest(word, known)
  const advice = near === undefined ? "" : `; did you mean \`${near}\`?`
  return `one of ${[...new Set(known)].join(", ")}${advice}`
}
