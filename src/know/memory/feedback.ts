import { createHash } from "node:crypto"
import type { Caller, MemorySignals } from "#ground/contract"
import { isPerson } from "./deps.ts"
import type { FeedbackRow } from "./queries.ts"

export type FeedbackInput = {
  readonly id: string
  readonly verdict?: "helpful" | "unhelpful" | undefined
  readonly outcome?: "succeeded" | "failed" | undefined
  readonly sessionId?: string | undefined
}

/**
 * A hash of session and principal; undefined for a user, whose every vote counts. An agent has one
 * vote per memory.
 */
export function feedbackSourceOf(
  { sessionId }: Pick<FeedbackInput, "sessionId">,
  caller: Caller | undefined,
): string | undefined {
  if (caller === undefined || isPerson(caller)) return undefined
  const names = JSON.stringify([caller.principal, sessionId ?? caller.session])
  return createHash("sha256").update(names).digest("hex")
}

export function applyFeedback(
  signals: MemorySignals,
  { before, now }: { readonly before: FeedbackRow | undefined; readonly now: FeedbackRow },
): MemorySignals {
  const after = { ...signals }
  for (const about of ["verdict", "outcome"] as const) {
    const [vote, earlier] = [now[about], before?.[about] ?? null]
    if (vote === null) continue
    if (earlier !== null) after[earlier] = Math.max(0, after[earlier] - 1)
    after[vote] += 1
  }
  return after
}
