import { formatExact, plural } from "#ground/base"
import {
  type GuardOverride,
  type GuardTry,
  type GuardVerdicts,
  VERDICTS,
  type VerdictKind,
} from "#ground/contract"
import { type Screen, table } from "../screen.ts"
import { sayTime } from "./capture-observed.ts"
import { oneLine, section } from "./lines.ts"

const MOST_SHOWN = 40
const SHORT_SESSION = 12

/** What hooks said, the newest first, like the log of a firewall. */
export function renderVerdicts(found: GuardVerdicts, screen: Screen): string {
  const { paint, width } = screen
  const { verdicts, counts, isCut } = found
  if (verdicts.length === 0) {
    return paint.muted(
      "No hook has judged anything in that time. `qm doctor` shows which are installed.",
    )
  }
  const rows = verdicts
    .slice(0, MOST_SHOWN)
    .map((it) => [
      sayTime(it.at),
      toned(it.verdict, paint),
      it.rule ?? "",
      oneLine(it.session, SHORT_SESSION),
      oneLine(it.paths[0] ?? it.event, Math.max(20, width - 70)),
      paint.muted(oneLine(it.text, Math.max(20, width - 60))),
    ])
  const said = VERDICTS.flatMap((it) =>
    (counts[it] ?? 0) > 0 ? [`${it} ${formatExact(counts[it] ?? 0)}`] : [],
  )
  const left = verdicts.length - rows.length
  const rest =
    left > 0 || isCut ? [paint.muted("There are more; --json and --limit show them.")] : []
  return [paint.bold(said.join(", ")), "", table(rows), ...rest].join("\n")
}

function toned(verdict: VerdictKind, paint: Screen["paint"]): string {
  switch (verdict) {
    case "deny":
    case "block":
      return paint.bad(verdict)
    case "warn":
    case "override":
      return paint.warn(verdict)
    case "silent":
      return paint.muted(verdict)
    case "context":
      return verdict
    default:
      return verdict satisfies never
  }
}

/** What a list of risk paths would have stopped. */
export function renderTry(tried: GuardTry, screen: Screen): string {
  const { paint, width } = screen
  const patterns = tried.patterns.map((it) => [
    oneLine(it.pattern, 40),
    plural(it.edits, "edit"),
    plural(it.files, "file"),
    it.problem === null ? "" : paint.warn(oneLine(it.problem, 60)),
  ])
  const hits = tried.hits.map((it) => [
    sayTime(it.at),
    oneLine(it.session, SHORT_SESSION),
    oneLine(it.path, Math.max(20, width - 50)),
    paint.muted(`was ${it.was}`),
  ])
  return [
    `Of ${plural(tried.looked, "edit")} ${plural(tried.hits.length, "edit")} would have needed a receipt.`,
    ...section("Patterns", patterns, { screen, most: MOST_SHOWN }),
    ...section("Edits", hits, { screen, most: MOST_SHOWN }),
    "",
    paint.muted("`qm config set guard.highRiskPaths <patterns>` makes it live."),
  ].join("\n")
}

export function renderOverride(override: GuardOverride, { paint }: Screen): string {
  const paths = override.paths.map((it) => oneLine(it, 100)).join(", ")
  return [
    `Until ${sayTime(override.until)} these may be edited: ${paths}`,
    paint.muted(`Recorded as ${override.id}: ${oneLine(override.reason, 200)}`),
  ].join("\n")
}
