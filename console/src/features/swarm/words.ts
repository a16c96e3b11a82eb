import { formatAge, visibleLine } from "../../base/format.ts"
import type { Status } from "../../base/status.ts"
import {
  formatCostSum,
  plural,
  type Swarm,
  type SwarmReview,
  type Workstream,
} from "../../contract.ts"

type State = Workstream["state"]
export type Diff = SwarmReview["diffs"][number]

const STATES: Readonly<Record<State, { readonly mark: Status; readonly word: string }>> = {
  pending: { mark: "queued", word: "Waiting" },
  starting: { mark: "running", word: "Starting" },
  working: { mark: "running", word: "Working" },
  finishing: { mark: "running", word: "Running checks" },
  parked: { mark: "waiting", word: "Parked at testing" },
  paused: { mark: "paused", word: "Paused" },
  failed: { mark: "failed", word: "Failed" },
  evicted: { mark: "timed-out", word: "Evicted" },
  approved: { mark: "done", word: "Approved" },
  discarded: { mark: "cancelled", word: "Discarded" },
}

const ACTIVE: ReadonlySet<State> = new Set(["pending", "starting", "working", "finishing"])
const HALTED: ReadonlySet<State> = new Set(["paused", "failed", "evicted"])

export const isActive = ({ state }: Workstream): boolean => ACTIVE.has(state)
export const isHalted = ({ state }: Workstream): boolean => HALTED.has(state)
export const isClosed = ({ state }: Workstream): boolean =>
  state === "approved" || state === "discarded"

/** A workstream that runs its checks reaches testing in its next step. */
const PAUSABLE: ReadonlySet<State> = new Set(["pending", "starting", "working"])

export const isPausable = ({ state }: Workstream): boolean => PAUSABLE.has(state)

/** A workstream that used its budget first needs a higher budget. */
export const isContinuable = (it: Workstream, swarm: Swarm): boolean =>
  it.state === "paused" && (it.costUsd ?? 0) < budgetOf(it, swarm)

type Question = {
  readonly title: string
  readonly description: string
  readonly lines: readonly string[]
  readonly verb: string
}

export function describePause({ workstreams }: Swarm): Question {
  const pausable = workstreams.filter(isPausable)
  const finishing = workstreams.filter((it) => it.state === "finishing")
  const checks =
    finishing.length === 0
      ? ""
      : ` ${plural(finishing.length, "workstream")} that already ${finishing.length === 1 ? "runs its" : "run their"} checks will reach testing.`
  return {
    title: `Pause ${plural(pausable.length, "workstream")}`,
    description: `Their agents stop at once. Worktrees and changes stay, and each workstream can continue later.${checks}`,
    lines: pausable.map(describeLine),
    verb: `Pause ${pausable.length}`,
  }
}

export function describeContinue(paused: readonly Workstream[]): Question {
  return {
    title: `Continue ${plural(paused.length, "workstream")}`,
    description: "Each gets a new run that continues from the changes in its worktree.",
    lines: paused.map(describeLine),
    verb: `Continue ${paused.length}`,
  }
}

const describeLine = (it: Workstream): string =>
  visibleLine(`${it.name}, ${describeState(it).word.toLowerCase()}: ${titleOf(it)}`)

const titleOf = ({ tickets, current }: Workstream): string => tickets[current]?.title ?? ""

/** A workstream that works on feedback says so: the person who gave it looks for it. */
export function describeState(it: Workstream): { readonly mark: Status; readonly word: string } {
  const isSentBack = it.feedback !== null && isActive(it)
  return isSentBack ? { mark: "running", word: "Sent back" } : STATES[it.state]
}

export function describeFact(it: Workstream, now: number): string {
  const attempt = it.attempt > 1 ? `attempt ${it.attempt}, ` : ""
  if (it.state === "parked") return `${attempt}waits for you`
  if (it.lastActivityAt === null || isClosed(it)) return attempt.replace(", ", "")
  return `${attempt}last activity ${formatAge(it.lastActivityAt, now)} ago`
}

export function describeCounts({ workstreams }: Swarm): string {
  const counts = new Map<string, number>()
  for (const it of workstreams) {
    const { word } = describeState(it)
    counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return [...counts].map(([word, count]) => `${count} ${word.toLowerCase()}`).join(", ")
}

export function budgetOf(it: Workstream, swarm: Swarm): number {
  return it.budgetUsd ?? swarm.budgetUsd
}

/** Of the workstreams that ran; one with an unknown cost is counted in words. */
export function formatCostOf(streams: readonly Workstream[]): string {
  const ran = streams.filter((it) => it.runs.length > 0)
  const knownUsd = ran.reduce((sum, it) => sum + (it.costUsd ?? 0), 0)
  return formatCostSum(knownUsd, ran.filter((it) => it.costUsd === null).length)
}

export function sumOf(files: Diff["files"]): { readonly added: number; readonly removed: number } {
  return {
    added: files.reduce((sum, it) => sum + it.added, 0),
    removed: files.reduce((sum, it) => sum + it.removed, 0),
  }
}

type Forecast = SwarmReview["conflicts"][number]

/** Other files are another forecast, so it is shown again. */
export function forecastKey(swarm: string, { workstream, with: other, files }: Forecast): string {
  return [swarm, workstream, other, ...files].join(" ")
}

export type SpannedForecast = Forecast & {
  readonly from: number
  readonly to: number
  readonly row: number
}

/** The lanes of each forecast, and the first row in which none of them is taken. */
export function spanForecasts(
  forecasts: readonly Forecast[],
  lanes: readonly string[],
): readonly SpannedForecast[] {
  const spanned: SpannedForecast[] = []
  for (const it of forecasts) {
    const at = [it.workstream, it.with].map((name) => lanes.indexOf(name)).filter((i) => i >= 0)
    const from = at.length === 0 ? 0 : Math.min(...at)
    const to = at.length === 0 ? Math.max(0, lanes.length - 1) : Math.max(...at)
    const rowsInUse = new Set(
      spanned.filter((one) => one.from <= to && one.to >= from).map((one) => one.row),
    )
    let row = 0
    while (rowsInUse.has(row)) row++
    spanned.push({ ...it, from, to, row })
  }
  return spanned
}

/** The smaller change first: the other one then has less to merge. */
export function suggestOrder(
  { workstream, with: other }: SwarmReview["conflicts"][number],
  diffs: readonly Diff[],
): string | undefined {
  const sizeOf = (name: string) => {
    const diff = diffs.find((it) => it.workstream === name)
    return diff === undefined
      ? undefined
      : diff.files.reduce((n, it) => n + it.added + it.removed, 0)
  }
  const [one, two] = [sizeOf(workstream), sizeOf(other)]
  if (one === undefined || two === undefined) return undefined
  if (one === two)
    return `Both changes are equally large. Approve ${workstream} first, then send ${other} back with the request to merge the base.`
  const [first, second] = one < two ? [workstream, other] : [other, workstream]
  return `${first} is the smaller change. Approve it first, then send ${second} back with the request to merge the base.`
}

export function describeDiscard(it: Workstream, diff: Diff | undefined): string {
  const { added } = sumOf(diff?.files ?? [])
  const files = plural(diff?.files.length ?? 0, "file")
  return `${files} with ${plural(added, "added line")} leave the board. The worktree of ${it.name} is removed; its branch stays.`
}
