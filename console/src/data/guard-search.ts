import type { HookName, VerdictKind } from "../contract.ts"
import { formatSearch, oneOf, wholeOrNull } from "./search.ts"

/** Rules and verdicts of the contract, in its order; a test holds them together. */
export const RULES_OF_GUARD = [
  "boot",
  "track",
  "drift",
  "concurrency",
  "risk",
  "pitfall",
  "package",
  "loaded",
] as const satisfies readonly HookName[]
export const VERDICTS_OF_GUARD = [
  "silent",
  "context",
  "warn",
  "deny",
  "block",
  "override",
] as const satisfies readonly VerdictKind[]

/** How far back the log is read; the second is what an address without it means. */
export const HOURS_OF_GUARD = [1, 24, 168, 720] as const
type Hours = (typeof HOURS_OF_GUARD)[number]
const USUAL_HOURS: Hours = 24

export type GuardAddress = {
  /** Words that a line must have. */
  readonly text: string
  readonly verdict: VerdictKind | null
  readonly rule: HookName | null
  /** As the host gave it; empty for all. */
  readonly session: string
  readonly hours: Hours
  /** Key of the selected line. */
  readonly at: string
  /** Key of the line that stands beside the list; empty for none. */
  readonly show: string
  /** The panel that tries a rule stands there instead. */
  readonly trying: boolean
  /** What is tried; empty for what is set. */
  readonly patterns: string
}

export function parseGuard(search: string): GuardAddress {
  const query = new URLSearchParams(search)
  const hours = wholeOrNull(query.get("hours"))
  return {
    text: query.get("text") ?? "",
    verdict: oneOf(VERDICTS_OF_GUARD, query.get("verdict")) ?? null,
    rule: oneOf(RULES_OF_GUARD, query.get("rule")) ?? null,
    session: query.get("session") ?? "",
    hours: HOURS_OF_GUARD.find((it) => it === hours) ?? USUAL_HOURS,
    at: query.get("at") ?? "",
    show: query.get("show") ?? "",
    trying: query.get("try") === "yes",
    patterns: query.get("patterns") ?? "",
  }
}

export function formatGuard({ hours, trying, ...rest }: Partial<GuardAddress>): string {
  const { text, verdict, rule, session, at, show, patterns } = rest
  return formatSearch({
    text,
    verdict,
    rule,
    session,
    hours: hours === USUAL_HOURS ? "" : hours,
    at,
    show,
    try: trying === true ? "yes" : "",
    patterns,
  })
}
