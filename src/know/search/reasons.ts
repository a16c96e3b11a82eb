import { IN_BASE, IN_DEFINITIONS, IN_PATH } from "./ranker/lexical.ts"
import type { Ranking } from "./ranker/rank.ts"
import type { LiftedFile } from "./second-stage.ts"

const MOST_REASONS = 3

const LONGEST_SHOWN_TERM_UNITS = 40

/**
 * One to three reasons, strongest first, of at most six words, each from a signal that took part in
 * the score.
 */
export function reasonsFor(ranking: Ranking, file: LiftedFile): readonly string[] {
  const { position } = file
  const reasons = [
    ...wordReason(ranking, position),
    ...pastReason(ranking, position),
    ...tieReasons(file),
    ...(inputAt(ranking, "rr_dense", position) >= 0.5 ? ["close in meaning to the task"] : []),
    ...(inputAt(ranking, "dirmax", position) >= 0.5 ? ["next to a matching file"] : []),
    ...(isBusy(ranking, position) ? ["changed often recently"] : []),
  ]
  return reasons.length === 0 ? [NO_MATCH] : reasons.slice(0, MOST_REASONS)
}

const NO_MATCH = "no match; by size and path"

/** History is a reason from this share of the best file's value on. */
const LEAST_PAST_SHARE = 0.3

type Match = { readonly term: string; readonly places: string; readonly worth: number }

/** The best term with its field; if it is in one field only, the next terms of that field too. */
function wordReason(ranking: Ranking, position: number): readonly string[] {
  const matches = matchesOf(ranking, position).toSorted((a, b) => b.worth - a.worth)
  const [best] = matches
  if (best === undefined) return []
  const most = best.places.includes(" ") ? 1 : 2
  const terms = matches.filter((it) => it.places === best.places).slice(0, most)
  return [`matches ${terms.map((it) => `'${it.term}'`).join(", ")} in ${best.places}`]
}

function matchesOf({ query, words }: Ranking, position: number): readonly Match[] {
  return query.terms.flatMap((term, index) => {
    const marks = words.matches[position * query.terms.length + index] ?? 0
    if (marks === 0) return []
    const isInName = (marks & IN_DEFINITIONS) !== 0
    const isInPath = (marks & (IN_PATH | IN_BASE)) !== 0
    const rarity = (words.rarity[index] ?? 0) * (query.weights[index] ?? 0)
    return [
      {
        term: term.slice(0, LONGEST_SHOWN_TERM_UNITS),
        places: placesOf(isInName, isInPath),
        // The proportions of the ranker's own field weights.
        worth: rarity * (1 + (isInName ? 3 : 0) + (isInPath ? 5 : 0)),
      },
    ]
  })
}

function placesOf(isInName: boolean, isInPath: boolean): string {
  if (isInName) return isInPath ? "name and path" : "name"
  return isInPath ? "path" : "text"
}

function pastReason(ranking: Ranking, position: number): readonly string[] {
  const isVotedFor = inputAt(ranking, "msgvote", position) >= LEAST_PAST_SHARE
  const isCompanion = inputAt(ranking, "cochg", position) >= LEAST_PAST_SHARE
  if (isVotedFor && isCompanion) return ["changed together in similar commits"]
  if (isVotedFor) return ["changed in similar commits"]
  if (isCompanion) return ["often changes with other matches"]
  return inputAt(ranking, "hist", position) >= 0.5 ? ["past commits mention these words"] : []
}

function isBusy(ranking: Ranking, position: number): boolean {
  const touches = ranking.raw.touch?.[position] ?? 0
  return touches >= Math.log1p(2.9) && inputAt(ranking, "touch", position) >= 0.8
}

function tieReasons({ ties, rankBefore }: LiftedFile): readonly string[] {
  if (rankBefore < UNLIFTED_RANKS) return []
  return [
    ...(ties.coChange >= LEAST_TIE ? ["changes together with a top match"] : []),
    ...(ties.stem >= LEAST_TIE ? ["named like a top match"] : []),
    ...(ties.folder >= LEAST_TIE ? ["in the folder of a match"] : []),
  ]
}

const UNLIFTED_RANKS = 10
const LEAST_TIE = 0.2

/** Only inputs of the head: a signal without weight is no reason. */
function inputAt({ inputs }: Ranking, name: string, position: number): number {
  const values = inputs.get(name)
  return typeof values === "object" ? (values[position] ?? 0) : 0
}
