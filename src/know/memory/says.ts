import { createHash } from "node:crypto"
import type { Caller, MemorySignals } from "#ground/contract"
import { isPerson } from "./deps.ts"
import type { SayRow } from "./queries.ts"

export type FeedbackInput = {
  readonly id: string
  readonly verdict?: "helpful" | "unhelpful" | undefined
  readonly outcome?: "succeeded" | "failed" | undefined
  readonly sessionId?: string | undefined
}

/**
 * Who speaks, by a hash; undefined for a person, each of whose words counts. An agent that says the
 * same in a loop, or again because no answer came, says it once.
 */
export function speakerOf(
  { sessionId }: Pick<FeedbackInput, "sessionId">,
  caller: Caller | undefined,
): string | undefined {
  if (caller === undefined || isPerson(caller)) return undefined
  const names = JSON.stringify([caller.principal, sessionId ?? caller.session])
  return createHash("sha256").update(names).digest("hex")
}

/** The signs with what is said now, in place of what the same speaker said before. */
export function withSay(
  signals: MemorySignals,
  { before, now }: { readonly before: SayRow | undefined; readonly now: SayRow },
): MemorySignals {
  const after = { ...signals }
  for (const about of ["verdict", "outcome"] as const) {
    const [said, earlier] = [now[about], before?.[about] ?? null]
    if (said === null) continue
    // A person may have set the counts in the file back since.
    if (earlier !== null) after[earlier] = Math.max(0, after[earlier] - 1)
    after[said] += 1
  }
  return after
}
