import type { LedgerRecord, SimulatedFile } from "./records.ts"

export type TouchedPath = {
  readonly path: string
  readonly edits: number
  readonly firstAt: number
  readonly lastAt: number
  /** Of the file after the session's last edit, where it is known. */
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
  /** In the order of their first edit. */
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

export function simulationOf(it: LedgerRecord): Simulation | undefined {
  if (it.kind !== "simulated") return undefined
  return { id: it.id, files: it.files, risk: it.risk, at: it.at }
}

type Modified = Extract<LedgerRecord, { kind: "modified" }>

function touchedOf(modified: readonly Modified[]): readonly TouchedPath[] {
  const byPath = new Map<string, TouchedPath>()
  for (const { path, at, sha } of modified) {
    const known = byPath.get(path)
    const [edits, firstAt] = known === undefined ? [1, at] : [known.edits + 1, known.firstAt]
    byPath.set(path, { path, edits, firstAt, lastAt: at, sha })
  }
  return [...byPath.values()]
}

/** Two processes may have written the same nudge; the first of them was the nudge. */
function nudgesOf(records: readonly LedgerRecord[]): LedgerSummary["nudges"] {
  const byFingerprint = new Map<string, { fingerprint: string; at: number }>()
  for (const it of records) {
    const isNew = it.kind === "nudged" && !byFingerprint.has(it.fingerprint)
    if (isNew) byFingerprint.set(it.fingerprint, { fingerprint: it.fingerprint, at: it.at })
  }
  return [...byFingerprint.values()]
}
