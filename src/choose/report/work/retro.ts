import { readVerdicts } from "#choose/guard"
import { compareText, oneLine } from "#ground/base"
import type { BoardEvent, CallContext, ParsedInput, Retro } from "#ground/contract"
import { readLatest } from "#know/ledger"
import type { Commit } from "#see/repo"
import type { ReportDeps } from "../deps.ts"
import { parseSubject } from "./changes.ts"

const DAY_MS = 86_400_000
const MOST_COMMITS = 5_000
const MOST_ROWS = 15
const MOST_EVENTS = 100_000
const MOST_SESSIONS = 1_000
const MOST_VERDICTS = 2_000
const MOST_DECISIONS = 500

export async function reportRetro(
  { days }: ParsedInput<"report.retro">,
  { signal }: CallContext,
  deps: ReportDeps,
): Promise<Retro> {
  const now = deps.clock.now()
  const sinceMs = now - days * DAY_MS
  const git = await deps.git(signal)
  const redact = await deps.redact()
  const head = "problem" in git ? undefined : await git.headCommit()
  const commits =
    "problem" in git || head === undefined
      ? []
      : (await git.history({ from: head, limit: MOST_COMMITS }))
          .filter((it) => it.committedAtMs >= sinceMs)
          .map((it) => ({ ...it, message: redact(it.message).text }))
  const { events } = await (await deps.board()).log({ limit: MOST_EVENTS })
  const since = new Date(sinceMs).toISOString().slice(0, 10)
  const sessions = readLatest(deps.repository.root, MOST_SESSIONS)
  const { memories } = await (await deps.memory()).list({ kind: "decision", limit: MOST_DECISIONS })
  const { stateDirectory } = deps.repository
  const { verdicts } = await readVerdicts({ stateDirectory, now, sinceMs, limit: MOST_VERDICTS })
  const refused = verdicts.filter((it) => it.verdict === "deny" || it.verdict === "block")
  return {
    days,
    ...ofCommits(commits),
    ...ofEvents(events.toReversed(), sinceMs),
    sessions: sessions.filter((it) => it.date >= since).length,
    decisions: memories.filter((it) => it.createdAt >= sinceMs).length,
    refusals: counted(refused.map((it) => it.rule ?? "none")).map(([rule, times]) => ({
      rule,
      times,
    })),
    notes: "problem" in git ? [`commits are unknown: ${git.problem}`] : [],
  }
}

type CommitFacts = Pick<Retro, "areas" | "commits" | "refixed" | "reverts" | "types">

export function ofCommits(
  commits: readonly Pick<Commit, "changes" | "id" | "message">[],
): CommitFacts {
  const parsed = commits.map((it) => ({ ...it, ...parseSubject(it.message) }))
  const folders = parsed.flatMap((it) => [
    ...new Set((it.changes ?? []).map(({ path }) => folderOf(path))),
  ])
  const fixes = parsed.filter((it) => it.type === "fix")
  const fixed = fixes.flatMap((it) => (it.changes ?? []).map(({ path }) => path))
  return {
    commits: commits.length,
    types: counted(parsed.map((it) => it.type ?? "other")).map(([type, count]) => {
      return { type, commits: count }
    }),
    areas: counted(folders)
      .slice(0, MOST_ROWS)
      .map(([folder, count]) => ({ folder, commits: count })),
    reverts: parsed
      .filter((it) => it.type === "revert" || it.message.startsWith('Revert "'))
      .map(({ id, message }) => ({
        commit: id,
        subject: oneLine(message.split("\n", 1)[0] ?? "", 200),
      })),
    refixed: counted(fixed)
      .filter(([, times]) => times > 1)
      .slice(0, MOST_ROWS)
      .map(([path, times]) => ({ path, fixes: times })),
  }
}

function folderOf(path: string): string {
  return path.split("/").slice(0, -1).slice(0, 3).join("/") || "."
}

type EventFacts = Pick<Retro, "concluded" | "medianCycleDays" | "rejected">

/** Events are oldest first. */
export function ofEvents(events: readonly BoardEvent[], sinceMs: number): EventFacts {
  const valid = events.filter((it) => it.voidReason === null)
  const recent = valid.filter((it) => it.at >= sinceMs)
  const concluded = recent.filter((it) => it.to === "conclusion" && it.from === "testing")
  const cycles = concluded.flatMap(({ ticket, at }) => {
    const started = valid.find((it) => it.ticket === ticket && it.to === "working")
    return started === undefined ? [] : [(at - started.at) / DAY_MS]
  })
  const rejected = recent.filter((it) => it.kind === "reject").map((it) => it.ticket)
  return {
    concluded: new Set(concluded.map((it) => it.ticket)).size,
    rejected: counted(rejected).map(([ticket, times]) => ({ ticket, times })),
    medianCycleDays: median(cycles),
  }
}

function median(values: readonly number[]): number | null {
  const middle = values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)]
  return middle === undefined ? null : Math.round(middle * 10) / 10
}

function counted(names: readonly string[]): readonly (readonly [string, number])[] {
  const groups = Map.groupBy(names, (it) => it)
  return [...groups]
    .map(([name, its]) => [name, its.length] as const)
    .toSorted(([a, many], [b, more]) => more - many || compareText(a, b))
}
