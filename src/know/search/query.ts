import { LONGEST_TASK_UNITS, MOST_QUERY_TERMS } from "./limits.ts"
import { countMessageTerms } from "./words.ts"

/** What a task asks for: its terms in order of appearance, which begins with its first line. */
export type Query = {
  readonly terms: readonly string[]
  /** By term: a word said twice weighs more, one said ten times not ten times as much. */
  readonly weights: Float64Array
  /** By term: whether it stands in the first line. */
  readonly isSubject: readonly boolean[]
}

export function readQuery(task: string): Query {
  const text = task.slice(0, LONGEST_TASK_UNITS).trim()
  const counts = [...countMessageTerms(text)].slice(0, MOST_QUERY_TERMS)
  const subject = countMessageTerms(text.split("\n", 1)[0] ?? "")
  return {
    terms: counts.map(([term]) => term),
    weights: Float64Array.from(counts, ([, times]) => Math.sqrt(Math.min(times, 3))),
    isSubject: counts.map(([term]) => subject.has(term)),
  }
}
