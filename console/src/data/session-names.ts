import { useMemo } from "react"
import { shortSession, visibleLine } from "../base/format.ts"
import { useOperation } from "./queries.tsx"

/** Claims and hook events are of recent sessions. */
const MOST_NAMED = 100

/** Returns the name of a session for people: its title, or the start of its id. */
export function useSessionNames(): (session: string) => string {
  const { data } = useOperation("sessions.list", { limit: MOST_NAMED })
  return useMemo(() => {
    const titles = new Map(data?.sessions.map((it) => [it.id, visibleLine(it.title)]))
    return (session) => titles.get(session) || shortSession(session)
  }, [data])
}
