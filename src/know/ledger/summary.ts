import type { ActivityEntry, LiveSession } from "#ground/contract"
import type { Classifier } from "./classify.ts"
import { driftedIn } from "./drift.ts"
import type { LedgerRecord, SimulatedFile } from "./records.ts"

type TouchedPath = {
  readonly path: string
  readonly edits: number
  readonly firstAt: number
  readonly lastAt: number
  readonly sha: string | undefined
}

export type Simulation = {
  readonly id: string
  readonly files: readonly SimulatedFile[]
  readonly risk: number
  readonly at: number
}

export type LedgerSummary = {
  readonly sessionId: string
  readonly startedAt: number | undefined
  readonly lastAt: number | undefined
  readonly edits: number
  readonly paths: readonly TouchedPath[]
  readonly outside: readonly { readonly path: string; readonly at: number }[]
  readonly registered: readonly { readonly file: string; readonly at: number }[]
  readonly nudges: readonly { readonly fingerprint: string; readonly at: number }[]
  readonly simulations: readonly Simulation[]
}

export function summaryOf(sessionId: string, records: readonly LedgerRecord[]): LedgerSummary {
  const modified = records.filter((it) => it.kind === "modified")
  return {
    sessionId,
    startedAt: records[0]?.at,
    lastAt: records.at(-1)?.at,
    edits: modified.length,
    paths: touchedOf(modified),
    outside: records.flatMap((it) => (it.kind === "outside" ? [{ path: it.path, at: it.at }] : [])),
    registered: records.flatMap((it) =>
      it.kind === "registered" ? [{ file: it.file, at: it.at }] : [],
    ),
    nudges: nudgesOf(records),
    simulations: records.flatMap((it) => simulationOf(it) ?? []),
  }
}

export function simulationOf(record: LedgerRecord): Simulation | undefined {
  if (record.kind !== "simulated") return undefined
  return { id: record.id, files: record.files, risk: record.risk, at: record.at }
}

type ModifiedRecord = Extract<LedgerRecord, { kind: "modified" }>

function touchedOf(modified: readonly ModifiedRecord[]): readonly TouchedPath[] {
  const byPath = new Map<string, TouchedPath>()
  for (const { path, at, sha } of modified) {
    const touched = byPath.get(path)
    const [edits, firstAt] = touched === undefined ? [1, at] : [touched.edits + 1, touched.firstAt]
    byPath.set(path, { path, edits, firstAt, lastAt: at, sha })
  }
  return [...byPath.values()]
}

/** Two processes may have written the same nudge; the first one counts. */
function nudgesOf(records: readonly LedgerRecord[]): LedgerSummary["nudges"] {
  const byFingerprint = new Map<string, { fingerprint: string; at: number }>()
  for (const record of records) {
    const isNew = record.kind === "nudged" && !byFingerprint.has(record.fingerprint)
    if (isNew)
      byFingerprint.set(record.fingerprint, { fingerprint: record.fingerprint, at: record.at })
  }
  return [...byFingerprint.values()]
}

export function activityOf(
  session: string,
  records: readonly LedgerRecord[],
): readonly ActivityEntry[] {
  return records.map((it) => ({
    at: it.at,
    session,
    kind: it.kind,
    path: pathOf(it),
    tool: it.kind === "modified" ? it.tool : null,
  }))
}

function pathOf(record: LedgerRecord): string | null {
  switch (record.kind) {
    case "modified":
    case "outside":
      return record.path
    case "registered":
      return record.file
    case "simulated":
      return record.files[0]?.path ?? null
    case "opened":
    case "nudged":
      return null
    default:
      return record satisfies never
  }
}

export type LiveRow = Omit<LiveSession, "claims">

type SessionFacts = {
  readonly session: string
  readonly host: string | undefined
  readonly lastAt: number
}

export function liveOf(
  { session, host, lastAt }: SessionFacts,
  records: readonly LedgerRecord[],
  classifier: Classifier,
): LiveRow {
  const edits = records.filter((it) => it.kind === "modified")
  const isRegistered =
    records.some((it) => it.kind === "registered") ||
    edits.some((it) => classifier.isRegistrationFile(it.path))
  return {
    session,
    host: host ?? null,
    startedAt: records[0]?.at ?? null,
    lastAt: records.at(-1)?.at ?? lastAt,
    edits: edits.length,
    files: new Set(edits.map((it) => it.path)).size,
    drifted: driftedIn(records, classifier).length,
    isRegistered,
  }
}
