import type { ActivityEntry } from "#ground/contract"
import type { LedgerRecord } from "./records.ts"

/** Lines of a ledger as somebody who watches wants them; names of files in the one place. */
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

function pathOf(it: LedgerRecord): string | null {
  switch (it.kind) {
    case "modified":
    case "outside":
      return it.path
    case "registered":
      return it.file
    case "simulated":
      return it.files[0]?.path ?? null
    case "opened":
    case "nudged":
      return null
    default:
      return it satisfies never
  }
}
