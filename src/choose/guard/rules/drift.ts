import type { Drift } from "#know/ledger"
import type { Rule } from "../event.ts"
import { firstOf, sessionFlag, shown } from "../message-format.ts"
import { MOST_LISTED_PATHS } from "../verdict-log.ts"

/**
 * Blocks a stop once when the session changed important files and did not register. `ledger.nudge`
 * decides races, so each drift is reported once; after any block the next stop passes.
 */
export const drift: Rule = {
  name: "drift",
  level: 2,
  kinds: ["stop"],
  async judge(event, { ledger, classifier }) {
    const isStopping = event.kind === "stop" && !event.isBusy && !event.isAgain
    if (!isStopping) return { kind: "silent" }
    const due = await ledger.nudgeDue(event.session, classifier)
    if (due.kind !== "due") return { kind: "silent" }
    const isOurs = await ledger.nudge(event.session, due.drift.fingerprint)
    return isOurs
      ? { kind: "block", text: formatNudge(due.drift, event.session) }
      : { kind: "silent" }
  },
}

function formatNudge({ paths, isCut }: Drift, session: string): string {
  const count = `${paths.length} files${isCut ? " or more" : ""}`
  const files = firstOf(paths.map(shown), MOST_LISTED_PATHS)
  return [
    `This session changed ${count} and has not registered them: ${files}.`,
    `Register the session: \`qm sessions register "<short title>" "<the request>" --done "<what you did>" --decisions "<decision and reason>" --final-state "<current state>"${sessionFlag(session)}\`. --done and --decisions may be repeated.`,
    'If you learned something that helps other sessions, record at most three lessons: `qm memory add "<title>" "<what and why>" --kind <strategy|pitfall|fix> --cites <path>`.',
    "Then stop. This reminder appears once for these files; to skip the registration, stop again.",
  ].join("\n")
}
