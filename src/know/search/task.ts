import { nameTerms } from "./issue/defined-names.ts"
import { type IssueTask, isIssue, parseIssue, withoutReferences } from "./issue/parse-issue.ts"
import { zoneTerms } from "./issue/zone-scores.ts"
import { cleanMessage } from "./words/clean-message.ts"
import { type Query, readQuery } from "./words/words.ts"

/** A task as the ranker reads it: a pasted issue by its parts, anything else by its words. */
export type SearchTask = {
  readonly query: Query
  readonly issue: IssueTask | undefined
  /** The rows of the word table that a ranking needs. */
  readonly terms: readonly string[]
}

/** Some words on one line, without the punctuation of code: never an issue, so it is not parsed as one. */
const PHRASE = /^\w[\w -]{0,79}$/

export function readTask(text: string): SearchTask {
  const issue = PHRASE.test(text) ? undefined : parseIssue(text)
  const issueQuery =
    issue !== undefined && isIssue(issue) ? readQuery(withoutReferences(text)) : undefined
  if (issue === undefined || issueQuery === undefined || issueQuery.terms.length === 0) {
    // A task that consists of an address only is searched as it is.
    const query = readQuery(cleanMessage(text) || text)
    return { query, issue: undefined, terms: query.terms }
  }
  const terms = new Set([...issueQuery.terms, ...zoneTerms(issue), ...nameTerms(issue)])
  return { query: issueQuery, issue, terms: [...terms] }
}
