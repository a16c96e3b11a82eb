import type { MapMeasures, MapPeriod } from "#ground/contract"
import type { AgentReads } from "../handlers.ts"
import { MOST_PAST_COMMITS } from "../limits.ts"
import type { IndexedTree } from "../tree/types.ts"

const DAY_MS = 86_400_000

/** Long enough for a release or two, short enough to show what is worked on. */
const PERIOD_DAYS = 90

export type Measured = {
  readonly period: MapPeriod | null
  readonly readsSince: number | null
  /** Measures of the group of paths to which `groupOf` assigns a path, by group. */
  by(groupOf: (path: string) => string | undefined): (group: string) => MapMeasures
}

type MeasuredTree = Pick<IndexedTree, "commits" | "commitTimesMs" | "files">

export function measure(
  tree: MeasuredTree,
  { ranks, reads }: { readonly ranks: Float64Array; readonly reads: AgentReads | undefined },
): Measured {
  const span = spanOf(tree)
  const places = placesOf(ranks)
  return {
    period: span?.period ?? null,
    readsSince: reads?.sinceMs ?? null,
    by(groupOf) {
      const changes = span === undefined ? undefined : countChanges(tree, span.startsAt, groupOf)
      const best = new Map<string, number>()
      for (const [position, { path }] of tree.files.entries()) {
        const place = places[position] ?? 0
        const group = place === 0 ? undefined : groupOf(path)
        if (group !== undefined) best.set(group, Math.min(place, best.get(group) ?? place))
      }
      const readsByGroup = new Map<string, number>()
      for (const [path, count] of reads?.byPath ?? []) {
        const group = groupOf(path)
        if (group !== undefined) readsByGroup.set(group, (readsByGroup.get(group) ?? 0) + count)
      }
      return (group) => ({
        changes: changes === undefined ? null : (changes.counts.get(group) ?? 0),
        changedAt: changes?.newest.get(group) ?? null,
        place: best.get(group) ?? null,
        reads: reads === undefined ? null : (readsByGroup.get(group) ?? 0),
      })
    },
  }
}

export function countRanked(ranks: Float64Array): number {
  return ranks.reduce((count, rank) => (rank > 0 ? count + 1 : count), 0)
}

/** Ends at the newest commit, so that a repository at rest still shows where its work was. */
function spanOf({ commitTimesMs }: MeasuredTree) {
  if (commitTimesMs.length === 0) return undefined
  let [oldest, endsAt] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const timeMs of commitTimesMs) {
    oldest = Math.min(oldest, timeMs)
    endsAt = Math.max(endsAt, timeMs)
  }
  const earliest = endsAt - PERIOD_DAYS * DAY_MS
  // Before the oldest indexed commit of a long history nothing is known.
  const isCut = commitTimesMs.length >= MOST_PAST_COMMITS && oldest > earliest
  const startsAt = isCut ? oldest : earliest
  const days = Math.max(1, Math.round((endsAt - startsAt) / DAY_MS))
  const commits = commitTimesMs.filter((it) => it >= startsAt).length
  return { startsAt, period: { days, endsAt, commits } }
}

/** A commit counts once for each group that has one of its files. */
function countChanges(
  { commits, commitTimesMs }: MeasuredTree,
  startsAt: number,
  groupOf: (path: string) => string | undefined,
) {
  const counts = new Map<string, number>()
  const newest = new Map<string, number>()
  for (const [at, { files }] of commits.entries()) {
    const timeMs = commitTimesMs[at] ?? 0
    const groups = new Set(files.flatMap((it) => groupOf(it) ?? []))
    for (const group of groups) {
      newest.set(group, Math.max(timeMs, newest.get(group) ?? timeMs))
      if (timeMs >= startsAt) counts.set(group, (counts.get(group) ?? 0) + 1)
    }
  }
  return { counts, newest }
}

/** From 1 for the highest rank; equal ranks share a place, and rank 0 has none. */
function placesOf(ranks: Float64Array): Uint32Array {
  const places = new Uint32Array(ranks.length)
  const ranked = [...ranks.keys()]
    .filter((it) => (ranks[it] ?? 0) > 0)
    .toSorted((a, b) => (ranks[b] ?? 0) - (ranks[a] ?? 0))
  for (const [at, position] of ranked.entries()) {
    const before = ranked[at - 1]
    const isEqual = before !== undefined && ranks[before] === ranks[position]
    places[position] = isEqual ? (places[before] ?? 0) : at + 1
  }
  return places
}
