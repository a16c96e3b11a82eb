import { visibleLine } from "../ui/visible.ts"

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-/i

/** Hosts name sessions by long ids: their first part tells those of a day apart. */
export function shortSession(session: string): string {
  return UUID.test(session) ? session.slice(0, 8) : visibleLine(session)
}
