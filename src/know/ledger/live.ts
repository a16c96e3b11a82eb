import type { LiveSession } from "#ground/contract"
import type { Classifier } from "./classify.ts"
import { driftedIn } from "./drift.ts"
import type { LedgerRecord } from "./records.ts"

/** A session as its ledger shows it; what it holds, its claims say. */
export type LiveRow = Omit<LiveSession, "claims">

type Known = {
  readonly session: string
  readonly host: string | undefined
  readonly lastAt: number
}

export function liveOf(
  { session, host, lastAt }: Known,
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
