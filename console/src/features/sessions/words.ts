import { formatAge, visibleLine } from "../../base/format.ts"
import { hostTitle } from "../../base/hosts.ts"
import type { Status } from "../../base/status.ts"
import { type Claim, type LiveSession, plural, type SessionShow } from "../../contract.ts"

export function markOf({ drifted, isRegistered }: LiveSession): Status {
  if (drifted > 0) return "warned"
  return isRegistered ? "done" : "queued"
}

export function describeRegistration({ drifted, isRegistered }: LiveSession): string {
  if (drifted > 0) return `${drifted} not registered`
  return isRegistered ? "registered" : "nothing to register"
}

export function describeHost({ host }: LiveSession): string {
  return host === null ? "unknown" : hostTitle(host)
}

export function describeHolder({ isHolderAlive, machine }: Claim): string {
  if (isHolderAlive === null) return `on ${visibleLine(machine)}, state unknown`
  return isHolderAlive ? "alive" : "process has ended"
}

export function holderMark({ isHolderAlive }: Claim): Status {
  if (isHolderAlive === null) return "queued"
  return isHolderAlive ? "running" : "interrupted"
}

export function describeExpiry({ expiresAt }: Claim, now: number): string {
  return expiresAt <= now ? "expired" : `in ${formatAge(now, expiresAt)}`
}

export function isUserClaim({ session }: Claim): boolean {
  return session === "terminal" || session.endsWith("/http")
}

export function describeRelease({ path, isHolderAlive }: Claim, session: string): string {
  const holder = isHolderAlive === false ? "Its process has ended." : "It may be working on it now."
  return `${visibleLine(path)} is claimed by the session ${visibleLine(session)}. ${holder} It is not notified; other sessions may edit the file then.`
}

export function describeEdits({ edits, files }: Pick<LiveSession, "edits" | "files">): string {
  return edits === 0 ? "no edits" : `${plural(edits, "edit")} of ${plural(files, "file")}`
}

export function describeLoaded({ kind, reason }: SessionShow["loaded"][number]): string {
  return [kind, reason]
    .filter((it) => it !== "")
    .map(visibleLine)
    .join(", ")
}

export function filterByWords<One>(
  all: readonly One[],
  text: string,
  wordsOf: (one: One) => string,
): readonly One[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return all
  return all.filter((one) => {
    const haystack = wordsOf(one).toLowerCase()
    return words.every((word) => haystack.includes(word))
  })
}
