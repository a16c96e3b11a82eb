import { formatAge, formatClock, formatDate, formatRunTime, nameDay } from "../../base/format.ts"
import type { Approval, Organising, Run, RunStatus } from "../../contract.ts"
import type { RunsFacet } from "../../data/paths.ts"

const OF_FACET: Readonly<Record<Exclude<RunsFacet, "all">, readonly RunStatus[]>> = {
  waiting: ["waiting", "paused"],
  live: ["queued", "starting", "running"],
  completed: ["completed"],
  failed: ["failed"],
  stopped: ["stopped", "interrupted"],
}

export function isOfFacet({ status }: Run, facet: RunsFacet): boolean {
  return facet === "all" || OF_FACET[facet].includes(status)
}

export function countFacets(runs: readonly Run[]): Readonly<Record<RunsFacet, number>> {
  const count = (facet: RunsFacet) => runs.filter((it) => isOfFacet(it, facet)).length
  return {
    all: runs.length,
    waiting: count("waiting"),
    live: count("live"),
    completed: count("completed"),
    failed: count("failed"),
    stopped: count("stopped"),
  }
}

export function hasEnded(run: Run): boolean {
  return !isOfFacet(run, "waiting") && !isOfFacet(run, "live")
}

export type GroupName = "Waiting for you" | "Running" | "Ended today" | "Earlier"
export type RunsLine =
  | {
      readonly kind: "group"
      readonly key: string
      readonly name: GroupName
      readonly count: number
    }
  | { readonly kind: "run"; readonly key: string; readonly group: GroupName; readonly run: Run }

const GROUPS: readonly GroupName[] = ["Waiting for you", "Running", "Ended today", "Earlier"]

/** Waiting runs come first, because they wait for the user; each run once. */
export function linesOf(runs: readonly Run[], now: number): readonly RunsLine[] {
  return GROUPS.flatMap((group): readonly RunsLine[] => {
    const its = runs.filter((it) => groupOf(it, now) === group)
    if (its.length === 0) return []
    return [
      { kind: "group", key: group, name: group, count: its.length },
      ...its.map((run) => ({ kind: "run", key: run.id, group, run }) as const),
    ]
  })
}

function groupOf(run: Run, now: number): GroupName {
  if (isOfFacet(run, "waiting")) return "Waiting for you"
  if (isOfFacet(run, "live")) return "Running"
  return nameDay(endOf(run), now) === "Today" ? "Ended today" : "Earlier"
}

function endOf({ endedAt, updatedAt }: Run): number {
  return endedAt ?? updatedAt
}

export function formatTime(
  { run, group }: { readonly run: Run; readonly group: GroupName },
  now: number,
  askedAt: ReadonlyMap<string, number>,
): string {
  switch (group) {
    case "Waiting for you":
      return formatAge(askedAt.get(run.id) ?? run.updatedAt, now)
    case "Running":
      return run.startedAt === null ? "next" : formatRunTime(Math.max(0, now - run.startedAt))
    case "Ended today":
      return formatClock(endOf(run))
    case "Earlier":
      return formatDate(endOf(run))
    default:
      return group satisfies never
  }
}

export function askedSince(approvals: readonly Approval[]): ReadonlyMap<string, number> {
  const since = new Map<string, number>()
  for (const { runId, requestedAt } of approvals) {
    since.set(runId, Math.min(requestedAt, since.get(runId) ?? requestedAt))
  }
  return since
}

/**
 * The higher cost, as budgets count; null if neither the provider nor our price table knows it. The
 * synthetic agent plays a script, whose costs were not paid.
 */
export function costOf({ cost, type }: Pick<Run, "cost" | "type">): number | null {
  if (type === "synthetic") return null
  const costs = [cost.reportedUsd, cost.computedUsd].filter((it) => it !== null)
  return costs.length === 0 ? null : Math.max(...costs)
}

export function tokensOf({ cost: { usage } }: Run): number {
  return usage.input + usage.output + usage.cacheRead + usage.cacheWrite
}

/** The states of the workflow in order, then other states in use. */
export function workflowsOf({ states }: Organising, runs: readonly Run[]): readonly string[] {
  const defined = states.map((it) => it.name)
  const others = namesIn(runs).workflows.filter((it) => !defined.includes(it))
  return [...defined, ...others]
}

export function namesIn(runs: readonly Run[]) {
  const sorted = (names: readonly string[]) => [...new Set(names)].toSorted()
  return {
    labels: sorted(runs.flatMap((it) => it.labels)),
    workflows: sorted(runs.map((it) => it.workflow)),
  }
}
