import { formatUsd } from "#ground/base/format"
import { nameDay, shortSession, visibleLine } from "../../base/format.ts"
import { hostTitle } from "../../base/hosts.ts"
import { formatSpend } from "../../base/spend.ts"
import { STATUS_MARKS, type Status } from "../../base/status.ts"
import type { IndexedSession, LiveSession, Run, SessionHit } from "../../contract.ts"

/** One session: its transcript, the run that started it, and what our hooks reported of it. */
export type SessionEntry = {
  readonly id: string
  readonly title: string
  readonly mark: Status
  readonly at: number
  readonly host: string
  readonly branch: string | null
  readonly model: string | null
  readonly repository: string | null
  /** Null without a transcript or a report of the host; then cells stay empty. */
  readonly turns: number | null
  readonly peakTokens: number | null
  readonly windowTokens: number | null
  readonly context: readonly number[]
  readonly compactions: number
  readonly cost: string
  readonly files: number | null
  readonly source: "transcript" | "run" | "ledger"
  readonly runId: string | null
  readonly drifted: number
}

type Sources = {
  readonly indexed: readonly IndexedSession[]
  readonly runs: readonly Run[]
  readonly live: readonly LiveSession[]
}

/** Each session once, newest first. */
export function mergeSessions({ indexed, runs, live }: Sources): readonly SessionEntry[] {
  const runOf = new Map(runs.flatMap((it) => (it.sessionId === null ? [] : [[it.sessionId, it]])))
  const liveOf = new Map(live.map((it) => [it.session, it]))
  const indexedIds = new Set(indexed.map((it) => it.id))
  const otherRuns = runs.filter((it) => it.sessionId === null || !indexedIds.has(it.sessionId))
  const ofRuns = new Set(otherRuns.flatMap((it) => [it.id, it.sessionId ?? it.id]))
  const entries = [
    ...indexed.map((it) => ofTranscript(it, runOf.get(it.id), liveOf.get(it.id))),
    ...otherRuns.map((it) => ofRun(it, liveOf.get(it.sessionId ?? it.id))),
    ...live.filter((it) => !indexedIds.has(it.session) && !ofRuns.has(it.session)).map(ofLedger),
  ]
  return entries.toSorted((a, b) => b.at - a.at)
}

function ofTranscript(
  session: IndexedSession,
  run: Run | undefined,
  live: LiveSession | undefined,
): SessionEntry {
  return {
    id: session.id,
    title: visibleLine(run?.isTitleOwn === true ? run.title : session.title),
    mark: markOf(run, live),
    at: Math.max(session.endedAt ?? session.startedAt ?? 0, live?.lastAt ?? 0),
    host: session.host,
    branch: session.branch,
    model: session.models[0] ?? null,
    repository: session.repository,
    turns: session.turns,
    peakTokens: session.peakTokens,
    windowTokens: session.windowTokens ?? run?.contextWindow ?? null,
    context: session.context,
    compactions: session.compactions,
    cost: formatSpend(session.spend),
    files: session.files,
    source: "transcript",
    runId: run?.id ?? null,
    drifted: live?.drifted ?? 0,
  }
}

function ofRun(run: Run, live: LiveSession | undefined): SessionEntry {
  // A scripted agent reports costs and spends nothing.
  const usd = run.type === "synthetic" ? null : (run.cost.reportedUsd ?? run.cost.computedUsd)
  return {
    id: run.id,
    title: visibleLine(run.title === "" ? run.id : run.title),
    mark: markOf(run, live),
    at: run.updatedAt,
    host: run.type,
    branch: null,
    model: run.model,
    repository: null,
    turns: run.turns,
    peakTokens: run.contextUsed,
    windowTokens: run.contextWindow,
    context: [],
    compactions: 0,
    cost: usd === null ? "" : formatUsd(usd),
    files: live?.files ?? null,
    source: "run",
    runId: run.id,
    drifted: live?.drifted ?? 0,
  }
}

function ofLedger(live: LiveSession): SessionEntry {
  return {
    id: live.session,
    title: `Session ${shortSession(live.session)}`,
    mark: markOf(undefined, live),
    at: live.lastAt,
    host: visibleLine(live.host ?? "unknown host"),
    branch: null,
    model: null,
    repository: null,
    turns: null,
    peakTokens: null,
    windowTokens: null,
    context: [],
    compactions: 0,
    cost: "",
    files: live.files,
    source: "ledger",
    runId: null,
    drifted: live.drifted,
  }
}

function markOf(run: Run | undefined, live: LiveSession | undefined): Status {
  if (run !== undefined) return STATUS_MARKS[run.status]
  return (live?.drifted ?? 0) > 0 ? "warned" : "done"
}

/** Titles, hosts, branches and models that contain all words. */
function matchesWords(entry: SessionEntry, text: string): boolean {
  const { title, host, branch, model, id } = entry
  const haystack = [title, host, hostTitle(host), branch ?? "", model ?? "", id]
    .join(" ")
    .toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => haystack.includes(word))
}

export type SessionLineItem =
  | {
      readonly kind: "group"
      readonly key: string
      readonly name: string
      readonly count: number
      readonly sum: string
    }
  | {
      readonly kind: "session"
      readonly key: string
      readonly entry: SessionEntry
      readonly hit: SessionHit | null
    }

/** Grouped by day: Today, Yesterday, then dates. */
export function linesByDay(entries: readonly SessionEntry[], now: number): SessionLineItem[] {
  const days = Map.groupBy(entries, (it) => nameDay(it.at, now))
  return [...days].flatMap(([name, all]) => [
    group(name, all),
    ...all.map((entry) => itemOf(entry, null)),
  ])
}

/** Sessions whose text contains the words, best first, then those that match only by name. */
export function linesOfSearch(
  entries: readonly SessionEntry[],
  hits: readonly SessionHit[],
  text: string,
): SessionLineItem[] {
  const byId = new Map(entries.map((it) => [it.id, it]))
  const matching = hits.map((hit) => ({ hit, entry: byId.get(hit.session) ?? entryOfHit(hit) }))
  const foundIds = new Set(hits.map((it) => it.session))
  const named = entries.filter((it) => !foundIds.has(it.id) && matchesWords(it, text))
  const matches = group(
    "Matches",
    matching.map((it) => it.entry),
    "all words in one line",
  )
  return [
    ...(matching.length === 0 ? [] : [matches, ...matching.map((it) => itemOf(it.entry, it.hit))]),
    ...(named.length === 0
      ? []
      : [
          group("By name", named, "title, branch or model"),
          ...named.map((it) => itemOf(it, null)),
        ]),
  ]
}

function group(name: string, entries: readonly SessionEntry[], sum = ""): SessionLineItem {
  return { kind: "group", key: `group ${name}`, name, count: entries.length, sum }
}

function itemOf(entry: SessionEntry, hit: SessionHit | null): SessionLineItem {
  return { kind: "session", key: entry.id, entry, hit }
}

/** A session that is older than those in the list. */
function entryOfHit({ session, title, host, branch, repository, line }: SessionHit): SessionEntry {
  return {
    id: session,
    title: visibleLine(title),
    mark: "done",
    at: line.at,
    host,
    branch,
    model: null,
    repository,
    turns: null,
    peakTokens: null,
    windowTokens: null,
    context: [],
    compactions: 0,
    cost: "",
    files: null,
    source: "transcript",
    runId: null,
    drifted: 0,
  }
}
