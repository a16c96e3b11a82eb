import { formatExact, plural } from "#ground/base"
import { type ReachedFile, type Simulation } from "#ground/contract"
import type { Screen } from "../screen.ts"
import { oneLine, section, shareBar } from "./lines.ts"

const MOST_SHOWN = 15
const LONGEST_NAME = 80

/** The risk with its reasons first, then what leans on the files, the tests, and what moved with them. */
export function renderSimulation(simulation: Simulation, screen: Screen): string {
  const { paint, width } = screen
  const { receipt, reachCount, testCount, changedWith, claims, notes } = simulation
  const reasons = receipt.reasons.map(
    (it) => `  ${shareBar(it.number)} ${it.number.toFixed(2)}  ${oneLine(it.text, width - 18)}`,
  )
  const room = { screen, most: MOST_SHOWN }
  return [
    `Risk ${paint.bold(receipt.risk.toFixed(2))} of 1 for ${sayPaths(simulation, width)}`,
    ...reasons,
    ...section("Leans on it", receipt.reach.map(reachedRow), room),
    ...section("Tests that reach it", receipt.tests.map(reachedRow), room),
    ...section(
      "Changed together before",
      changedWith.map((it) => [
        oneLine(it.path, LONGEST_NAME),
        `${it.times} of ${plural(it.of, "commit")}`,
      ]),
      room,
    ),
    ...section(
      "Claimed by others",
      claims.map((it) => [oneLine(it.path, LONGEST_NAME), `session ${oneLine(it.session, 40)}`]),
      room,
    ),
    "",
    ...notes.map((it) => paint.muted(oneLine(it, 200))),
    paint.muted(
      `${plural(reachCount, "file")} and ${plural(testCount, "test")} in all. ` +
        `Receipt ${receipt.id} covers these files for four hours.`,
    ),
  ].join("\n")
}

function sayPaths({ receipt }: Simulation, width: number): string {
  const [first, ...more] = receipt.paths
  const name = oneLine(first?.path ?? "", width - 40)
  return more.length === 0 ? name : `${name} and ${formatExact(more.length)} more`
}

function reachedRow({ path, ways, hops, via, names }: ReachedFile): readonly string[] {
  const how = [ways.join(" and "), names.slice(0, 3).join(", ")].filter(Boolean).join(" ")
  const way = hops === 1 ? how : `by ${via ?? "another file"}`
  return [oneLine(path, LONGEST_NAME), oneLine(way, LONGEST_NAME)]
}
