import type { Approval } from "#ground/contract"

/** The process that asked is gone; the session goes on, asks again, and gets the answer given. */
export function sayAnswer({ title, status, note }: Approval): string {
  const why = note === null ? "" : ` (${note})`
  return `Before you were interrupted you asked: ${title}. It was ${status}${why}. Go on.`
}
