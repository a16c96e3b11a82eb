import { formatUsd, plural } from "#ground/base"
import type { Swarm, SwarmPlan, SwarmReview, swarmOperations, Workstream } from "#ground/contract"
import type { Screen } from "../terminal/screen.ts"
import { listing, rowText, section } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

const MOST_ROWS = 30
const ADD_TICKET = 'Add one with `qm ticket new "Round quotes to cents"`.'

const ACTIVE: ReadonlySet<string> = new Set(["pending", "starting", "working", "finishing"])

function renderPlan(plan: SwarmPlan, screen: Screen): string {
  const { paint } = screen
  const rows = plan.workstreams.flatMap(({ name, tickets }) =>
    tickets.map((it, at) => [
      at === 0 ? name : "",
      it.id,
      rowText(it.title),
      rowText([...it.touch, ...it.tests].join(", ")),
      paint.muted(it.from),
    ]),
  )
  const agents = [...new Set(plan.workstreams.map((it) => it.agent))].join(" and ")
  const head = `${plural(plan.workstreams.length, "workstream")} for ${agents || "no agent"}, ${plan.model ?? "its own model"} (${plan.tier} tier), up to ${formatUsd(plan.budgetUsd)} each`
  return [
    ...(rows.length === 0
      ? [paint.muted(`No ticket can start now. ${plan.left.length === 0 ? ADD_TICKET : ""}`.trim())]
      : [
          paint.bold(head),
          "",
          listing(["Stream", "Ticket", "Title", "Files", "From"], rows, screen),
        ]),
    ...section(
      "Left out",
      plan.left.map((it) => [it.id, rowText(it.title), paint.muted(rowText(it.reason))]),
      { screen, most: MOST_ROWS, headings: ["Ticket", "Title", "Reason"] },
    ),
    ...section("Likely conflicts", plan.conflicts.map(conflictRow), {
      screen,
      most: MOST_ROWS,
      headings: CONFLICT_HEADINGS,
    }),
  ].join("\n")
}

const CONFLICT_HEADINGS = ["Stream", "With", "Files"]

function conflictRow(it: SwarmPlan["conflicts"][number]): readonly string[] {
  return [it.workstream, rowText(it.with), rowText(it.files.join(", "))]
}

function streamRow(it: Workstream, { paint }: Screen): readonly string[] {
  const { exitCode } = it.evidence ?? { exitCode: undefined }
  const evidence = exitCode === undefined ? "none" : `exit code ${exitCode ?? "none"}`
  const paints: Partial<Record<Workstream["state"], (text: string) => string>> = {
    parked: paint.warn,
    approved: paint.ok,
    failed: paint.bad,
    paused: paint.warn,
  }
  return [
    it.name,
    it.agent,
    (paints[it.state] ?? String)(it.state),
    rowText(it.tickets.map((ticket) => ticket.id).join(", ")),
    exitCode === 0 ? paint.ok(evidence) : evidence,
    costText(it),
    rowText(it.reason ?? it.branch ?? ""),
  ]
}

function costText({ costUsd, runs }: Workstream): string {
  if (costUsd !== null) return formatUsd(costUsd)
  return runs.length === 0 ? "" : "unknown"
}

function renderSwarm(swarm: Swarm, screen: Screen): string {
  const rows = swarm.workstreams.map((it) => streamRow(it, screen))
  const parked = swarm.workstreams.filter((it) => it.state === "parked").length
  return [
    `${screen.paint.bold(swarm.id)}  base ${swarm.baseRef} at ${swarm.baseCommit.slice(0, 9)}`,
    listing(
      ["Stream", "Agent", "State", "Tickets", "Evidence", "Cost", "Branch or reason"],
      rows,
      screen,
    ),
    ...(parked === 0
      ? []
      : [screen.paint.muted(`${plural(parked, "workstream")} to review: \`qm swarm review\`.`)]),
  ].join("\n")
}

function renderReview(review: SwarmReview, screen: Screen): string {
  const { swarm, diffs, conflicts, isDriven } = review
  if (swarm === null)
    return screen.paint.muted("No swarm has run yet. Plan one with `qm swarm plan`.")
  const files = diffs.flatMap((it) =>
    it.files.map((file) => [
      it.workstream,
      rowText(file.path),
      screen.paint.ok(`+${file.added}`),
      screen.paint.bad(`-${file.removed}`),
    ]),
  )
  const gone = diffs.filter((it) => it.problem !== null)
  const isIdle = !isDriven && swarm.workstreams.some((it) => ACTIVE.has(it.state))
  return [
    renderSwarm(swarm, screen),
    ...gone.map((it) => screen.paint.bad(`${it.workstream}: ${rowText(it.problem ?? "")}`)),
    ...(isIdle ? [screen.paint.warn("No process works on it. Continue with `qm swarm run`.")] : []),
    ...section("Changes", files, {
      screen,
      most: MOST_ROWS,
      headings: ["Stream", "File", "Added", "Removed"],
    }),
    ...section("Conflicts", conflicts.map(conflictRow), {
      screen,
      most: MOST_ROWS,
      headings: CONFLICT_HEADINGS,
    }),
  ].join("\n")
}

const isGood = ({ workstreams }: Swarm) => workstreams.every((it) => it.state !== "failed")

export const swarmRenderers: Renderers<typeof swarmOperations> = {
  plan: renderPlan,
  run: { text: renderSwarm, isGood },
  review: renderReview,
  approve: renderSwarm,
  reject: renderSwarm,
  pause: renderSwarm,
  retry: renderSwarm,
  discard: renderSwarm,
}
