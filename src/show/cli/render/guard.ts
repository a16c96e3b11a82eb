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
import type { Screen } from "../terminal/screen.ts"
import { listing, rowLimit, rowText, section, shareBar, timeText } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

const MOST_SHOWN = 15

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
    ...section("Dependent files", receipt.reach.map(reachedRow), {
      ...room,
      headings: ["File", "How"],
    }),
    ...section("Tests that reach it", receipt.tests.map(reachedRow), {
      ...room,
      headings: ["Test", "How"],
    }),
    ...section(
      "Changed together in the past",
      changedWith.map((it) => [rowText(it.path), `${it.times} of ${plural(it.of, "commit")}`]),
      { ...room, headings: ["File", "Commits"] },
    ),
    ...section(
      "Claimed by other sessions",
      claims.map((it) => [rowText(it.path), `session ${rowText(it.session)}`]),
      { ...room, headings: ["Path", "Session"] },
    ),
    "",
    ...notes.map((it) => paint.muted(rowText(it))),
    paint.muted(
      `Affects ${plural(reachCount, "file")} and ${plural(testCount, "test")}. ` +
        `Receipt ${receipt.id} covers these files for 4 hours.`,
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
  return [rowText(path), rowText(way)]
}

const MOST_VERDICTS_SHOWN = 40

function renderVerdicts(result: GuardVerdicts, screen: Screen): string {
  const { paint, width } = screen
  const { verdicts, counts, isCut } = result
  if (verdicts.length === 0) {
    return paint.muted("No verdicts in this period. Check the installed hooks with `qm doctor`.")
  }
  const rows = verdicts
    .slice(0, rowLimit(MOST_VERDICTS_SHOWN, screen))
    .map((it) => [
      timeText(it.at),
      toned(it.verdict, paint),
      it.rule ?? "",
      rowText(it.session),
      rowText(it.paths[0] ?? it.event, Math.max(20, width - 70)),
      paint.muted(rowText(it.text, Math.max(20, width - 60))),
    ])
  const totals = VERDICTS.flatMap((it) =>
    (counts[it] ?? 0) > 0 ? [`${it} ${formatExact(counts[it] ?? 0)}`] : [],
  )
  const left = verdicts.length - rows.length
  const rest =
    left > 0 || isCut ? [paint.muted("There are more; list them with --limit or --json.")] : []
  return [
    paint.bold(totals.join(", ")),
    "",
    listing(["Time (UTC)", "Decision", "Hook", "Session", "File", "Message"], rows, screen),
    ...rest,
  ].join("\n")
}

function toned(verdict: VerdictKind, paint: Screen["paint"]): string {
  switch (verdict) {
    case "deny":
    case "block":
      return paint.bad(verdict)
    case "ask":
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

function renderTry(tried: GuardTry, screen: Screen): string {
  const { paint, width } = screen
  const patterns = tried.patterns.map((it) => [
    rowText(it.pattern),
    plural(it.edits, "edit"),
    plural(it.files, "file"),
    it.problem === null ? "" : paint.warn(rowText(it.problem)),
  ])
  const hits = tried.hits.map((it) => [
    timeText(it.at),
    rowText(it.session),
    rowText(it.path, Math.max(20, width - 50)),
    paint.muted(`was ${it.was}`),
  ])
  return [
    `${plural(tried.hits.length, "edit")} of ${formatExact(tried.looked)} would have needed a simulation.`,
    ...section("Patterns", patterns, {
      screen,
      most: MOST_VERDICTS_SHOWN,
      headings: ["Pattern", "Edits", "Files", "Problem"],
    }),
    ...section("Edits", hits, {
      screen,
      most: MOST_VERDICTS_SHOWN,
      headings: ["Time (UTC)", "Session", "File", "Decision"],
    }),
    "",
    paint.muted(
      `Enable them with \`qm config set guard.highRiskPaths "${tried.patterns.map((it) => rowText(it.pattern)).join(",")}" --layer project\`.`,
    ),
  ].join("\n")
}

function renderOverride(override: GuardOverride, { paint }: Screen): string {
  const paths = override.paths.map((it) => rowText(it)).join(", ")
  return [
    `Edits allowed until ${timeText(override.until)} UTC: ${paths}`,
    paint.muted(`Recorded as ${override.id}: ${rowText(override.reason)}`),
  ].join("\n")
}

export const guardRenderers: Renderers<typeof guardOperations> = {
  override: renderOverride,
  try: renderTry,
  verdicts: renderVerdicts,
  simulate: renderSimulation,
}
