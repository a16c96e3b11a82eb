import { join } from "node:path"
import { type JsonlRecord, listDirectory, removeFile, statFile, streamJsonl } from "#ground/base"
import type { HookName, VerdictKind, VerdictLine } from "#ground/contract"
import {
  LARGEST_VERDICT_DAY_BYTES,
  LARGEST_VERDICT_LINE_BYTES,
  LEDGERS_KEPT_MS,
  MOST_STATE_ENTRIES,
  MOST_VERDICTS_READ,
  STATE_KEPT_MS,
} from "../limits.ts"
import { dayOf, verdictFolder } from "./log.ts"

export type VerdictsAsked = {
  readonly stateDirectory: string
  readonly now: number
  /** The moment from which on. */
  readonly sinceMs: number
  readonly limit: number
  readonly session?: string | undefined
  readonly rule?: HookName | undefined
  readonly verdict?: VerdictKind | undefined
}

export type Verdicts = {
  /** The newest first. */
  readonly verdicts: readonly VerdictLine[]
  /** Of all that fit, also of those that were cut. */
  readonly counts: Readonly<Record<VerdictKind, number>>
  readonly isCut: boolean
}

/**
 * What hooks said, out of the log. A damaged line costs only itself. Who reads also removes what is
 * older than a month: hooks have no time for that.
 */
export async function readVerdicts(asked: VerdictsAsked): Promise<Verdicts> {
  await sweepState(asked)
  const counts: Record<VerdictKind, number> = { ...NONE }
  let verdicts: VerdictLine[] = []
  let [looked, isCut] = [0, false]
  for (const day of await daysSince(asked)) {
    const found = await readDay(day, MOST_VERDICTS_READ - looked)
    looked += found.looked
    const fitting = found.lines.filter((it) => isWanted(it, asked))
    for (const it of fitting) counts[it.verdict] += 1
    verdicts = [...verdicts, ...fitting.toSorted((a, b) => b.at - a.at)]
    isCut ||= found.isCut || verdicts.length > asked.limit
    verdicts = verdicts.slice(0, asked.limit)
    if (looked >= MOST_VERDICTS_READ) break
  }
  return { verdicts, counts, isCut }
}

const NONE: Readonly<Record<VerdictKind, number>> = {
  silent: 0,
  context: 0,
  warn: 0,
  deny: 0,
  block: 0,
  override: 0,
}

const DAY_NAME = /^(\d{4}-\d{2}-\d{2})\.jsonl$/

/** Files of the days in question, the newest first. */
async function daysSince({ stateDirectory, sinceMs }: VerdictsAsked): Promise<readonly string[]> {
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

/** Of a day that cannot be read there is nothing to show. */
async function readDay(file: string, most: number): Promise<Day> {
  const lines: VerdictLine[] = []
  let [looked, isCut] = [0, false]
  const limits = { maxBytes: LARGEST_VERDICT_DAY_BYTES, maxLineBytes: LARGEST_VERDICT_LINE_BYTES }
  try {
    for await (const item of streamJsonl(file, limits)) {
      if (item.kind === "warning") {
        isCut ||= item.warning.kind === "cut_short"
        continue
      }
      const line = verdictOf(item.record)
      if (line !== undefined) lines.push(line)
      looked += 1
    }
  } catch {
    return { lines, looked, isCut }
  }
  // The end of a day is nearer to now than its beginning.
  return { lines: lines.slice(-most), looked, isCut: isCut || lines.length > most }
}

function isWanted(line: VerdictLine, asked: VerdictsAsked): boolean {
  return (
    line.at >= asked.sinceMs &&
    (asked.session === undefined || line.session === asked.session) &&
    (asked.rule === undefined || line.rule === asked.rule) &&
    (asked.verdict === undefined || line.verdict === asked.verdict)
  )
}

function verdictOf(it: JsonlRecord): VerdictLine | undefined {
  const { at, host, event, session, tool, paths, rule, verdict, text, ms } = it
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

/** Named by a record, so that one who adds a hook is told to name it here. */
const HOOKS: Readonly<Record<HookName, true>> = {
  boot: true,
  track: true,
  drift: true,
  concurrency: true,
  risk: true,
  pitfall: true,
  package: true,
  loaded: true,
}

function isRule(value: unknown): value is HookName {
  return isText(value) && Object.hasOwn(HOOKS, value)
}

type Place = Pick<VerdictsAsked, "stateDirectory" | "now">

async function sweepState({ stateDirectory, now }: Place): Promise<void> {
  const oldest = now - STATE_KEPT_MS
  await sweep(verdictFolder(stateDirectory), async (name) => {
    const [, day] = DAY_NAME.exec(name) ?? []
    return day !== undefined && day < dayOf(oldest)
  })
  for (const name of ["loaded", "said"]) await sweepLines(join(stateDirectory, name), oldest)
  await sweepLines(join(stateDirectory, "ledger"), now - LEDGERS_KEPT_MS)
}

/** Files of sessions that nothing was written to for that long. */
async function sweepLines(folder: string, oldest: number): Promise<void> {
  await sweep(folder, async (name) => {
    const looked = name.endsWith(".jsonl") ? await statFile(join(folder, name)) : undefined
    return looked?.kind === "found" && looked.stat.modifiedAtMs < oldest
  })
}

async function sweep(folder: string, isOld: (name: string) => Promise<boolean>): Promise<void> {
  const listed = await listDirectory(folder, { maxEntries: MOST_STATE_ENTRIES })
  if (listed.kind !== "listed") return
  for (const { name, what } of listed.entries) {
    if (what !== "regular file" || !(await isOld(name))) continue
    // One that cannot be removed today is old tomorrow too.
    await removeFile(join(folder, name)).catch(() => {})
  }
}
