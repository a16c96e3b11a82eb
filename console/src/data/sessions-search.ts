import { formatSearch, oneOf } from "./search.ts"

export const TABS_OF_SESSIONS = ["live", "logged", "claims"] as const
export type SessionsTab = (typeof TABS_OF_SESSIONS)[number]

export type SessionsAddress = {
  readonly tab: SessionsTab
  /** Words that a line must have. */
  readonly text: string
  /** The selected one: a session's id, the file of one that was written down, or a claimed path. */
  readonly at: string
  /** The one that stands beside the list; empty for none. */
  readonly show: string
}

export function parseSessions(search: string): SessionsAddress {
  const query = new URLSearchParams(search)
  return {
    tab: oneOf(TABS_OF_SESSIONS, query.get("tab")) ?? "live",
    text: query.get("text") ?? "",
    at: query.get("at") ?? "",
    show: query.get("show") ?? "",
  }
}

export function formatSessions({ tab, text, at, show }: Partial<SessionsAddress>): string {
  return formatSearch({ tab: tab === "live" ? "" : tab, text, at, show })
}
