import { firstLine, sliceText } from "#ground/base/truncate"
import { formatMinutes, visibleLine } from "../../base/format.ts"
import type { Status } from "../../base/status.ts"
import {
  type Branch,
  type FoldMode,
  formatCount,
  formatExact,
  plural,
  type TrailEntry,
} from "../../contract.ts"
import type { IconName } from "../../ui/icon/icon.tsx"

/** Share of its budget at which a branch is warned once. */
export const WARNED_AT = 0.8

const MARKS: Readonly<Record<Branch["status"], Status>> = {
  created: "queued",
  active: "running",
  completed: "done",
  timeout: "timed-out",
  failed: "failed",
  cancelled: "cancelled",
}

export const markOf = ({ status }: Branch): Status => MARKS[status]

const ENDS: Readonly<Record<NonNullable<Branch["endReason"]>, string>> = {
  returned: "returned",
  budget: "over budget",
  timeout: "timeout",
  "parent-returned": "parent returned",
  "session-ended": "session ended",
  shutdown: "shut down",
}

export function describeState(branch: Branch): string {
  const { status, endReason, isExhausted } = branch
  if (endReason === null && isExhausted)
    return isOverBudget(branch) ? "over budget" : "budget used up"
  if (endReason === null) return status
  return endReason === "budget" && status === "completed" ? "returned over budget" : ENDS[endReason]
}

/** The stored error has only the reason; this makes it a sentence. */
export function describeForcedEnd(error: string): string {
  return `Ended automatically: ${visibleLine(error)}.`
}

export function describeKeptOut({ tokensKeptOut, isLowerBound }: Branch): string {
  if (tokensKeptOut === 0) return isLowerBound ? "none counted" : "nothing"
  return `${isLowerBound ? "at least " : ""}${plural(tokensKeptOut, "token")}`
}

export const isLive = ({ status }: Branch): boolean => status === "created" || status === "active"

export const MODES: Readonly<Record<FoldMode, string>> = {
  wire: "wire",
  "sub-agent": "sub-agent",
  handle: "handles",
  none: "none",
}

export const MODES_IN_WORDS: Readonly<Record<FoldMode, string>> = {
  wire: "gateway: its turns leave the conversation when it returns",
  "sub-agent": "sub-agent: the host drops the window of its sub-agent",
  handle: "handles: large results are stored, the window gets a digest",
  none: "none: this work stays in the window",
}

/** 9,812 of 12,000 tokens, 82 %; "at least" if the host's own tools were not counted. */
export function formatBudget(branch: Branch): string {
  const { budgetUsed, budgetTotal, isExhausted, isLowerBound } = branch
  const share = Math.floor((budgetUsed / budgetTotal) * 100)
  const used = `${formatExact(budgetUsed)} of ${formatExact(budgetTotal)} tokens, ${share} %`
  const state = isExhausted && !isOverBudget(branch) ? ", budget used up" : ""
  return `${isLowerBound ? "at least " : ""}${used}${state}`
}

/** A branch can also be exhausted below its budget: the next result had no room. */
export function isOverBudget({ budgetUsed, budgetTotal, endReason }: Branch): boolean {
  return budgetUsed > budgetTotal || endReason === "budget"
}

const SOURCES: Readonly<Record<Branch["charges"][number]["source"], string>> = {
  tool: "by Quartermaster's tools",
  hook: "by hooks of the host",
  usage: "by the provider's count",
  wire: "when folded",
}

/** The parts of the used tokens; they add up to the budget's figure. */
export function describeCharges({ charges, isLowerBound }: Branch): string {
  const parts = charges.map((it) => `${formatExact(it.tokens)} ${SOURCES[it.source]}`)
  const rest = isLowerBound ? ["the host's own tools not counted"] : []
  return [...parts, ...rest].join(", ") || "nothing yet"
}

export function formatUsed({ budgetUsed, isLowerBound }: Branch): string {
  return isLowerBound ? `≥ ${formatCount(budgetUsed)}` : formatCount(budgetUsed)
}

export function timeUsedMs({ createdAt, completedAt }: Branch, now: number): number {
  return Math.max(0, (completedAt ?? now) - createdAt)
}

export function formatTime(branch: Branch, now: number): string {
  const limit = formatMinutes(branch.timeoutSeconds * 1_000)
  return `${formatMinutes(timeUsedMs(branch, now))} of ${limit} minutes`
}

export function describeDepth({ depth, children }: Branch): string {
  return `${depth}, ${children === 0 ? "no children" : plural(children, "child", "children")}`
}

export function describeModes(branches: readonly Branch[]): string {
  const counts = new Map<FoldMode, number>()
  for (const { mode } of branches) counts.set(mode, (counts.get(mode) ?? 0) + 1)
  const ways = [...counts].toSorted(([, a], [, b]) => b - a)
  return ways.map(([mode, count]) => `${MODES[mode]} for ${formatExact(count)}`).join(", ")
}

export function describeSecrets({ redactions }: Branch): string {
  return redactions === 0 ? "none found" : `${plural(redactions, "value")} replaced`
}

export const ICON_OF_STEP: Readonly<Record<TrailEntry["kind"], IconName>> = {
  prompt: "fork",
  call: "terminal",
  charge: "plug",
  progress: "edit",
  wire: "pulse",
  result: "check",
  forced: "warning",
}

const STEPS: Readonly<Record<TrailEntry["kind"], string>> = {
  prompt: "Opened",
  call: "Call",
  charge: "Host",
  progress: "Progress",
  wire: "Folded out",
  result: "Returned",
  forced: "Ended automatically",
}

export function describeStep({ kind, tool }: Pick<TrailEntry, "kind" | "tool">): string {
  if (tool === null || tool === "") return STEPS[kind]
  const isOfHost = kind === "charge" || kind === "wire"
  return isOfHost ? `${STEPS[kind]}, ${visibleLine(tool)}` : visibleLine(tool)
}

export function rowLine(text: string): string {
  return visibleLine(sliceText(firstLine(text), MOST_OF_A_LINE))
}

/** A column shows only the start of a line, so the line is shifted to show the match. */
export function lineAround(line: string, words: string): string {
  const text = rowLine(line)
  const term = words.trim().toLowerCase().split(/\s+/)[0] ?? ""
  const from = text.toLowerCase().indexOf(term) - BEFORE_THE_WORD
  return from > BEFORE_THE_WORD ? `…${text.slice(from).toWellFormed()}` : text
}

/** A phone shows about 40 characters. */
const BEFORE_THE_WORD = 12

/** No column shows more, and a line may be a whole file. */
const MOST_OF_A_LINE = 300

export function filesOf({ touchedPaths, files, outOfScope }: Branch) {
  const outside = new Set(outOfScope)
  const named = new Set(files)
  const touched = new Set(touchedPaths)
  return [...new Set([...files, ...touchedPaths, ...outOfScope])].map((path) => ({
    path,
    isOutside: outside.has(path),
    description: describeRole(touched.has(path), named.has(path)),
  }))
}

function describeRole(isTouched: boolean, isNamed: boolean): string {
  if (isTouched && isNamed) return "touched and named"
  return isTouched ? "touched" : "named"
}

export function describeScope({ scope, outOfScope }: Branch): string {
  if (scope.length === 0) return "no scope was declared"
  const where = visibleLine(scope.join(", "))
  if (outOfScope.length === 0) return `all inside ${where}`
  return `${formatExact(outOfScope.length)} outside ${where}`
}
