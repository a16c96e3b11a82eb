import type { Classifier } from "./classify.ts"
import { digest } from "./digest.ts"
import { FEWEST_DRIFTED_FILES } from "./limits.ts"
import type { LedgerRecord } from "./records.ts"

export type Drift = {
  /** Of the paths alone: the same files edited again are the same drift. */
  readonly fingerprint: string
  /** Important files changed since the last registration, by name. */
  readonly paths: readonly string[]
}

export function driftOf(records: readonly LedgerRecord[], classifier: Classifier): Drift {
  const isRegistration = (it: LedgerRecord) =>
    it.kind === "registered" || (it.kind === "modified" && classifier.isRegistrationFile(it.path))
  const since = records.slice(records.findLastIndex(isRegistration) + 1)
  const touched = new Set(since.flatMap((it) => (it.kind === "modified" ? [it.path] : [])))
  // Plain sorting is by code unit, as everywhere here, and three times as fast without a function.
  const paths = [...touched].filter((it) => classifier.isImportant(it)).toSorted()
  return { fingerprint: digest(paths.join("\0")), paths }
}

export type NudgeDue =
  | { readonly kind: "due"; readonly drift: Drift }
  | { readonly kind: "not-due"; readonly why: "registered" | "little" | "nudged" }

export function nudgeDueOf(records: readonly LedgerRecord[], classifier: Classifier): NudgeDue {
  const drift = driftOf(records, classifier)
  if (drift.paths.length === 0) return { kind: "not-due", why: "registered" }
  if (drift.paths.length < FEWEST_DRIFTED_FILES) return { kind: "not-due", why: "little" }
  const wasNudged = records.some(
    (it) => it.kind === "nudged" && it.fingerprint === drift.fingerprint,
  )
  return wasNudged ? { kind: "not-due", why: "nudged" } : { kind: "due", drift }
}
