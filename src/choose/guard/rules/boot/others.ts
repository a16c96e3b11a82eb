import type { LedgerSession } from "#know/ledger"
import {
  DRIFT_SINCE_MS,
  FEWEST_DRIFTED_FILES,
  MOST_DRIFT_SESSIONS,
  MOST_SHOWN_CLAIMS,
  MOST_SHOWN_DRIFTS,
  MOST_SHOWN_FILES,
} from "./limits.ts"
import type { Asked } from "./section.ts"
import { ago, counted, inline, listed, shortSession } from "./words.ts"

/** Sessions that changed important files and wrote nothing down; this one among them. */
export async function driftLines(asked: Asked): Promise<readonly string[]> {
  const { world, now } = asked
  const sinceMs = now - DRIFT_SINCE_MS
  const sessions = await world.ledger.sessions({ sinceMs, most: MOST_DRIFT_SESSIONS })
  const lines: string[] = []
  for (const session of sessions) {
    if (lines.length === MOST_SHOWN_DRIFTS) break
    const { paths } = await world.ledger.drift(session.sessionId, world.classifier)
    if (paths.length >= FEWEST_DRIFTED_FILES) lines.push(driftLine(session, paths, asked))
  }
  return lines.length === 0
    ? []
    : [...lines, "`qm session register` writes down what a session did."]
}

function driftLine(it: LedgerSession, paths: readonly string[], { session, now }: Asked): string {
  const who = it.sessionId === session ? "This session" : `Session ${named(it)}`
  const files = `${counted(paths.length, "file")}: ${listed(paths, MOST_SHOWN_FILES)}`
  return `${who} (last active ${ago(now - it.lastAt)}) has not written down ${files}.`
}

function named({ sessionId, host }: LedgerSession): string {
  return host === undefined
    ? shortSession(sessionId)
    : `${shortSession(sessionId)} in ${inline(host)}`
}

/** Paths that others work on. */
export function claimLines({ session, world, now }: Asked): readonly string[] {
  const others = world.claims.list().filter((it) => it.session !== session)
  const lines = others.slice(0, MOST_SHOWN_CLAIMS).map((it) => {
    const since = ago(now - it.takenAt)
    return `Session ${shortSession(it.session)} works on ${inline(it.path)}, claimed ${since}.`
  })
  const more = others.length - lines.length
  return more > 0 ? [...lines, `${counted(more, "more claim")}: \`qm claim list\`.`] : lines
}
