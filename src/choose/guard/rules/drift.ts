import type { Drift } from "#know/ledger"
import type { Rule } from "../event.ts"
import { MOST_LISTED_PATHS } from "../verdict-log.ts"
import { firstOf, sessionFlag, shown } from "../words.ts"

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
    return isOurs ? { kind: "block", text: say(due.drift, event.session) } : { kind: "silent" }
  },
}

function say({ paths, isCut }: Drift, session: string): string {
  const count = `${paths.length} files${isCut ? " or more" : ""}`
  const files = firstOf(paths.map(shown), MOST_LISTED_PATHS)
  return [
    `${count} changed in this session and nothing is written down yet: ${files}.`,
    `Register the session: \`qm session register "<a few words>" "<what was asked>" --done "<what you did>" --decisions "<what was decided, and why>" --final-state "<where it stands>"${sessionFlag(session)}\`. --done and --decisions may be repeated.`,
    'At most three lessons that will help another session, if there are any: `qm memory add "<title>" "<what and why>" --kind strategy|pitfall|fix --cites <path>`.',
    "Then stop. This is asked once for these files; to leave them unregistered, just stop.",
  ].join("\n")
}
