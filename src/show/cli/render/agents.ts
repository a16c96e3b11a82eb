import { formatCount } from "#ground/base"
import {
  type AgentsApprovals,
  type AgentsList,
  type AgentsMessages,
  type Message,
  type Run,
  type RunStatus,
} from "#ground/contract"
import { sayCost } from "../live-run/draw.ts"
import { type Screen, table } from "../screen.ts"
import { sayTime } from "./capture-observed.ts"

export function renderRuns({ runs }: AgentsList, screen: Screen): string {
  if (runs.length === 0) {
    return screen.paint.muted('No agent has run here yet. `qm run "<prompt>"` starts one.')
  }
  return table(
    runs.map((it) => [
      it.id,
      sayStatus(it.status, screen.paint),
      it.type,
      sayTime(it.createdAt),
      sayCost(it),
      it.title,
    ]),
  )
}

export function renderRun(run: Run, { paint }: Screen): string {
  const context =
    run.contextUsed === null || run.contextWindow === null
      ? "not known"
      : `${formatCount(run.contextUsed)} of ${formatCount(run.contextWindow)} tokens`
  return table([
    ["Run", run.id],
    ["Title", run.title],
    ["Status", sayStatus(run.status, paint)],
    ["Agent", `${run.type}${run.model === null ? "" : `, ${run.model}`}, mode ${run.mode}`],
    ["Directory", run.cwd],
    ["Session", run.sessionId ?? "none yet"],
    ["Turns", sayTurns(run)],
    ["Context", context],
    ["Cost", `${sayCost(run)}${sayBudget(run)}`],
    ["Work", [run.workflow, ...run.labels].join(", ")],
    ...(run.isArchived ? [["Archived", "yes"]] : []),
    ...(run.origin === "started" ? [] : [["Origin", run.origin]]),
    ...(run.error === null ? [] : [["Error", paint.bad(run.error)]]),
    ...(run.openApprovals === 0 ? [] : [["Waiting", `${run.openApprovals} for an answer`]]),
  ])
}

function sayTurns({ turns, queuedTurns }: Run): string {
  return queuedTurns === 0 ? String(turns) : `${turns}, and ${queuedTurns} waiting`
}

function sayBudget({ budgetUsd, budgetTokens }: Run): string {
  const limits = [
    ...(budgetUsd === null ? [] : [`$${budgetUsd.toFixed(2)}`]),
    ...(budgetTokens === null ? [] : [`${formatCount(budgetTokens)} tokens`]),
  ]
  return limits.length === 0 ? "" : `, of at most ${limits.join(" and ")}`
}

export function renderMessages({ messages }: AgentsMessages, screen: Screen): string {
  if (messages.length === 0) return screen.paint.muted("Nothing was said yet.")
  return messages.map((it) => renderMessage(it, screen)).join("\n")
}

export function renderApprovals({ approvals }: AgentsApprovals, { paint }: Screen): string {
  if (approvals.length === 0) return paint.muted("No agent asks for anything.")
  return table(approvals.map((it) => [it.id, it.runId, it.tool, it.title]))
}

/** A line for each; the whole text of what people and agents said, the first line of the rest. */
function renderMessage({ seq, type, content }: Message, { paint }: Screen): string {
  const isSpoken = ["user", "assistant", "response", "error"].includes(type)
  const text = isSpoken ? content : (content.split("\n")[0] ?? "")
  const head = paint.muted(`${String(seq).padStart(4)}  ${type.padEnd(9)}`)
  return `${head} ${isSpoken ? text : paint.muted(text)}`
}

function sayStatus(status: RunStatus, paint: Screen["paint"]): string {
  if (status === "failed" || status === "interrupted") return paint.bad(status)
  if (status === "waiting") return paint.warn(status)
  return status === "completed" ? paint.ok(status) : status
}
