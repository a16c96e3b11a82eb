import { formatExact, plural } from "#ground/base"
import {
  type GuardOverride,
  type GuardTry,
  type GuardVerdicts,
  type guardOperations,
  type ReachedFile,
  type Simulation,
  VERDICTS,
  type VerdictKind,
} from "#ground/contract"
import { table } from "../layout.ts"
import type { Screen } from "../screen.ts"
import { rowText, section, shareBar, timeText } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

const MOST_SHOWN = 15
const LONGEST_NAME = 80

/** The risk with its reasons first, then what leans on the files, the tests, and what moved with them. */
function renderSimulation(simulation: Simulation, screen: Screen): string {
  const { paint, width } = screen
  const { receipt, reachCount, testCount, changedWith, claims, notes } = simulation
  const reasons = receipt.reasons.map(
    (it) => `  ${shareBar(it.number)} ${it.number.toFixed(2)}  ${rowText(it.text, width - 18)}`,
  )
  const room = { screen, most: MOST_SHOWN }
  return [
    `Risk ${paint.bold(receipt.risk.toFixed(2))} of 1 for ${pathsText(simulation, width)}`,
    ...reasons,
    ...section("Leans on it", receipt.reach.map(reachedRow), room),
    ...section("Tests that reach it", receipt.tests.map(reachedRow), room),
    ...section(
      "Changed together before",
      changedWith.map((it) => [
        rowText(it.path, LONGEST_NAME),
        `${it.times} of ${plural(it.of, "commit")}`,
      ]),
      room,
    ),
    ...section(
      "Claimed by others",
      claims.map((it) => [rowText(it.path, LONGEST_NAME), `session ${rowText(it.session, 40)}`]),
      room,
    ),
    "",
    ...notes.map((it) => paint.muted(rowText(it, 200))),
    paint.muted(
      `${plural(reachCount, "file")} and ${plural(testCount, "test")} in all. ` +
        `Receipt ${receipt.id} covers these files for four hours.`,
    ),
  ].join("\n")
}

function pathsText({ receipt }: Simulation, width: number): string {
  const [first, ...more] = receipt.paths
  const name = rowText(first?.path ?? "", width - 40)
  return more.length === 0 ? name : `${name} and ${formatExact(more.length)} more`
}

function reachedRow({ path, ways, hops, via, names }: ReachedFile): readonly string[] {
  const how = [ways.join(" and "), names.slice(0, 3).join(", ")].filter(Boolean).join(" ")
  const way = hops === 1 ? how : `by ${via ?? "another file"}`
  return [rowText(path, LONGEST_NAME), rowText(way, LONGEST_NAME)]
}

const MOST_VERDICTS_SHOWN = 40
const SHORT_SESSION = 12

/** What hooks said, the newest first, like the log of a firewall. */
function renderVerdicts(found: GuardVerdicts, screen: Screen): string {
  const { paint, width } = screen
  const { verdicts, counts, isCut } = found
  if (verdicts.length === 0) {
    return paint.muted(
      "No hook has judged anything in that time. `qm doctor` shows which are installed.",
    )
  }
  const rows = verdicts
    .slice(0, MOST_VERDICTS_SHOWN)
    .map((it) => [
      timeText(it.at),
      toned(it.verdict, paint),
      it.rule ?? "",
      rowText(it.session, SHORT_SESSION),
      rowText(it.paths[0] ?? it.event, Math.max(20, width - 70)),
      paint.muted(rowText(it.text, Math.max(20, width - 60))),
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
function renderTry(tried: GuardTry, screen: Screen): string {
  const { paint, width } = screen
  const patterns = tried.patterns.map((it) => [
    rowText(it.pattern, 40),
    plural(it.edits, "edit"),
    plural(it.files, "file"),
    it.problem === null ? "" : paint.warn(rowText(it.problem, 60)),
  ])
  const hits = tried.hits.map((it) => [
    timeText(it.at),
    rowText(it.session, SHORT_SESSION),
    rowText(it.path, Math.max(20, width - 50)),
    paint.muted(`was ${it.was}`),
  ])
  return [
    `Of ${plural(tried.looked, "edit")} ${plural(tried.hits.length, "edit")} would have needed a receipt.`,
    ...section("Patterns", patterns, { screen, most: MOST_VERDICTS_SHOWN }),
    ...section("Edits", hits, { screen, most: MOST_VERDICTS_SHOWN }),
    "",
    paint.muted("`qm config set guard.highRiskPaths <patterns>` makes it live."),
  ].join("\n")
}

function renderOverride(override: GuardOverride, { paint }: Screen): string {
  const paths = override.paths.map((it) => rowText(it, 100)).join(", ")
  return [
    `Until ${timeText(override.until)} these may be edited: ${paths}`,
    paint.muted(`Recorded as ${override.id}: ${rowText(override.reason, 200)}`),
  ].join("\n")
}

export const guardRenderers: Renderers<typeof guardOperations> = {
  override: renderOverride,
  try: renderTry,
  verdicts: renderVerdicts,
  simulate: renderSimulation,
}
