import { join } from "node:path"
import {
  type JsonlRecord,
  listDirectory,
  removeFile,
  sliceText,
  statFile,
  streamJsonl,
} from "#ground/base"
import type { HookName, VerdictKind, VerdictLine } from "#ground/contract"
import { appendIn } from "./notice-log.ts"
import { checkRiskPaths, createRiskPaths } from "./risk-paths.ts"

const LARGEST_VERDICT_LINE_BYTES = 64 * 1024

const LONGEST_VERDICT_UNITS = 500

/** Not durable, because nothing depends on it. */
export async function appendVerdict(stateDirectory: string, line: VerdictLine): Promise<void> {
  const folder = verdictFolder(stateDirectory)
  const file = join(folder, `${dayOf(line.at)}.jsonl`)
  await appendIn(folder, file, boundedLine(line))
}

function verdictFolder(stateDirectory: string): string {
  return join(stateDirectory, "verdicts")
}

/** UTC, so a time-zone change doesn't split a day. */
export function dayOf(at: number): string {
  const moment = Number.isFinite(at) ? Math.min(Math.max(at, 0), LATEST_MOMENT_MS) : 0
  return new Date(moment).toISOString().slice(0, 10)
}

/** Later years have a plus sign in ISO format, which would break the order of names. */
const LATEST_MOMENT_MS = Date.UTC(10_000, 0, 1) - 1

function boundedLine(line: VerdictLine): VerdictLine {
  let bounded = {
    ...line,
    session: cut(line.session),
    tool: line.tool === null ? null : cut(line.tool),
    text: cut(line.text),
  }
  // A patch may edit very many files; the first ones stay.
  while (bounded.paths.length > 0 && sizeOf(bounded) > LARGEST_VERDICT_LINE_BYTES) {
    bounded = { ...bounded, paths: bounded.paths.slice(0, Math.floor(bounded.paths.length / 2)) }
  }
  return bounded
}

function cut(text: string): string {
  return sliceText(text, LONGEST_VERDICT_UNITS)
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** About 200,000 events; of more, the first are left out. */
const LARGEST_VERDICT_DAY_BYTES = 64 * 1024 ** 2

const MOST_VERDICTS_READ = 200_000

const STATE_KEPT_MS = 30 * 24 * 60 * 60 * 1_000

/** By then the session is registered in git. */
const LEDGERS_KEPT_MS = 90 * 24 * 3_600_000

type VerdictQuery = {
  readonly stateDirectory: string
  readonly now: number
  readonly sinceMs: number
  readonly limit: number
  readonly session?: string | undefined
  readonly rule?: HookName | undefined
  readonly verdict?: VerdictKind | undefined
  /** Leaves out silent decisions. */
  readonly reported?: boolean
}

export type Verdicts = {
  readonly verdicts: readonly VerdictLine[]
  /** Of all matching entries, also those beyond the limit. */
  readonly counts: Readonly<Record<VerdictKind, number>>
  readonly isCut: boolean
}

/** Also deletes entries older than 30 days, because hooks have no time for it. */
export async function readVerdicts(query: VerdictQuery): Promise<Verdicts> {
  await sweepState(query)
  const counts: Record<VerdictKind, number> = { ...NONE }
  let verdicts: VerdictLine[] = []
  let [lineCount, isCut] = [0, false]
  for (const day of await daysSince(query)) {
    const dayLines = await readDay(day, MOST_VERDICTS_READ - lineCount)
    lineCount += dayLines.looked
    const fitting = dayLines.lines.filter((it) => isWanted(it, query))
    for (const it of fitting) counts[it.verdict] += 1
    verdicts = [...verdicts, ...fitting.toSorted((a, b) => b.at - a.at)]
    isCut ||= dayLines.isCut || verdicts.length > query.limit
    verdicts = verdicts.slice(0, query.limit)
    if (lineCount >= MOST_VERDICTS_READ) break
  }
  return { verdicts, counts, isCut }
}

const NONE: Readonly<Record<VerdictKind, number>> = {
  silent: 0,
  context: 0,
  warn: 0,
  ask: 0,
  deny: 0,
  block: 0,
  override: 0,
}

const DAY_NAME = /^(\d{4}-\d{2}-\d{2})\.jsonl$/

async function daysSince({ stateDirectory, sinceMs }: VerdictQuery): Promise<readonly string[]> {
  const folder = verdictFolder(stateDirectory)
  const listed = await listDirectory(folder, { maxEntries: MOST_STATE_ENTRIES })
  const names = listed.kind === "listed" ? listed.entries.map((it) => it.name) : []
  const first = dayOf(sinceMs)
  const days = names.filter((it) => (DAY_NAME.exec(it)?.[1] ?? "") >= first)
  return days.toReversed().map((it) => join(folder, it))
}

type Day = {
  readonly lines: readonly VerdictLine[]
  readonly looked: number
  readonly isCut: boolean
}

async function readDay(file: string, most: number): Promise<Day> {
  const lines: VerdictLine[] = []
  let [lineCount, isCut] = [0, false]
  const limits = { maxBytes: LARGEST_VERDICT_DAY_BYTES, maxLineBytes: LARGEST_VERDICT_LINE_BYTES }
  try {
    for await (const item of streamJsonl(file, limits)) {
      if (item.kind === "warning") {
        isCut ||= item.warning.kind === "cut_short"
        continue
      }
      const line = verdictOf(item.record)
      if (line !== undefined) lines.push(line)
      lineCount += 1
    }
  } catch {
    return { lines, looked: lineCount, isCut }
  }
  return { lines: lines.slice(-most), looked: lineCount, isCut: isCut || lines.length > most }
}

function isWanted(line: VerdictLine, query: VerdictQuery): boolean {
  return (
    line.at >= query.sinceMs &&
    (query.session === undefined || line.session === query.session) &&
    (query.rule === undefined || line.rule === query.rule) &&
    (query.verdict === undefined || line.verdict === query.verdict) &&
    (query.reported !== true || line.verdict !== "silent")
  )
}

function verdictOf(record: JsonlRecord): VerdictLine | undefined {
  const { at, host, event, session, tool, paths, rule, verdict, text, ms } = record
  const isWhole = isMoment(at) && isText(host) && isText(event) && isText(session) && isText(text)
  if (!isWhole || !isVerdict(verdict) || !Array.isArray(paths)) return undefined
  return {
    at,
    host,
    event,
    session,
    tool: isText(tool) ? tool : null,
    paths: paths.filter(isText),
    rule: isRule(rule) ? rule : null,
    verdict,
    text,
    ms: typeof ms === "number" && ms >= 0 ? ms : 0,
  }
}

function isMoment(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value)
}

function isText(value: unknown): value is string {
  return typeof value === "string"
}

function isVerdict(value: unknown): value is VerdictKind {
  return isText(value) && Object.hasOwn(NONE, value)
}

/** A record, so that adding a hook fails to compile here. */
const HOOKS: Readonly<Record<HookName, true>> = {
  boot: true,
  track: true,
  drift: true,
  concurrency: true,
  guideline: true,
  risk: true,
  pitfall: true,
  package: true,
  prompt: true,
  loaded: true,
  window: true,
  budget: true,
  secrets: true,
  results: true,
  compaction: true,
}

function isRule(value: unknown): value is HookName {
  return isText(value) && Object.hasOwn(HOOKS, value)
}

type LogAt = Pick<VerdictQuery, "stateDirectory" | "now">

async function sweepState({ stateDirectory, now }: LogAt): Promise<void> {
  const oldest = now - STATE_KEPT_MS
  await sweep(verdictFolder(stateDirectory), async (name) => {
    const [, day] = DAY_NAME.exec(name) ?? []
    return day !== undefined && day < dayOf(oldest)
  })
  for (const name of ["loaded", "said"]) await sweepLines(join(stateDirectory, name), oldest)
  await sweepLines(join(stateDirectory, "ledger"), now - LEDGERS_KEPT_MS)
}

async function sweepLines(folder: string, oldest: number): Promise<void> {
  await sweep(folder, async (name) => {
    const fileStat = name.endsWith(".jsonl") ? await statFile(join(folder, name)) : undefined
    return fileStat?.kind === "found" && fileStat.stat.modifiedAtMs < oldest
  })
}

async function sweep(folder: string, isOld: (name: string) => Promise<boolean>): Promise<void> {
  const listed = await listDirectory(folder, { maxEntries: MOST_STATE_ENTRIES })
  if (listed.kind !== "listed") return
  for (const { name, what } of listed.entries) {
    if (what !== "regular file" || !(await isOld(name))) continue
    await removeFile(join(folder, name)).catch(() => {})
  }
}

type TriedHit = {
  readonly at: number
  readonly session: string
  readonly host: string
  readonly path: string
  readonly pattern: string
  readonly was: VerdictKind
}

type TriedPatterns = {
  readonly patterns: readonly {
    readonly pattern: string
    readonly edits: number
    readonly problem: string | null
  }[]
  readonly looked: number
  readonly hits: readonly TriedHit[]
}

export function tryPatterns(
  verdicts: readonly VerdictLine[],
  patterns: readonly string[],
): TriedPatterns {
  const riskPaths = createRiskPaths(patterns)
  const edits = editsIn(verdicts)
  const decided = edits.map((edit) => ({ edit, deciding: riskPaths.decidingFor(edit.path) }))
  const hits = decided.flatMap(({ edit, deciding }) =>
    deciding === undefined || deciding.takesBack ? [] : [{ ...edit, pattern: deciding.pattern }],
  )
  const uses = checkRiskPaths(patterns, []).map((use) => ({
    pattern: use.pattern,
    edits: decided.filter((it) => it.deciding?.pattern === use.pattern).length,
    problem: use.kind === "unusable" ? use.why : null,
  }))
  return { patterns: uses, looked: edits.length, hits: hits.toSorted((a, b) => b.at - a.at) }
}

type LoggedEdit = Omit<TriedHit, "pattern">

/** An edit is logged before and after it is made; the two lines are one edit. */
function editsIn(verdicts: readonly VerdictLine[]): readonly LoggedEdit[] {
  const asking = new Set<string>()
  const edits: LoggedEdit[] = []
  for (const line of verdicts.toSorted((a, b) => a.at - b.at)) {
    if (line.event !== "before-edit" && line.event !== "after-edit") continue
    const { at, session, host, verdict: was } = line
    for (const path of line.paths) {
      const key = JSON.stringify([session, path])
      const isKnown = line.event === "after-edit" && asking.delete(key)
      if (isKnown) continue
      if (line.event === "before-edit") asking.add(key)
      edits.push({ at, session, host, path, was })
    }
  }
  return edits
}

/** A clock set back a little must not void a receipt; one from tomorrow covers nothing. */
export const CLOCK_SLACK_MS = 60_000

export const MOST_STATE_ENTRIES = 20_000

export const MOST_LISTED_PATHS = 8
