import { formatBytes, formatCount, formatDuration, formatExact, plural } from "#ground/base"
import type {
  AgentsApprovals,
  AgentsContext,
  AgentsExport,
  AgentsHandoff,
  AgentsList,
  AgentsMessages,
  AgentsParts,
  AgentsProviders,
  AgentsSaved,
  AgentsSessions,
  AgentsTimeline,
  AgentsTurns,
  Approval,
  agentsOperations,
  ListedRule,
  Message,
  Permissions,
  permissionsOperations,
  Run,
  RunSpan,
  RunStatus,
} from "#ground/contract"
import { table } from "../layout.ts"
import { costText } from "../live-run/draw.ts"
import { escapeUnsafe, type Screen } from "../screen.ts"
import { renderBar } from "./bar.ts"
import { timeText } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

function renderRuns({ runs }: AgentsList, screen: Screen): string {
  if (runs.length === 0) {
    return screen.paint.muted('No agent has run here yet. `qm run "<prompt>"` starts one.')
  }
  return table(
    runs.map((it) => [
      it.id,
      describeStatus(it.status, screen.paint),
      it.type,
      timeText(it.createdAt),
      costText(it),
      it.title,
    ]),
  )
}

function renderRun(run: Run, { paint }: Screen): string {
  const context =
    run.contextUsed === null || run.contextWindow === null
      ? "not known"
      : `${formatCount(run.contextUsed)} of ${formatCount(run.contextWindow)} tokens`
  return table([
    ["Run", run.id],
    ["Title", run.title],
    ["Status", describeStatus(run.status, paint)],
    ["Agent", `${run.type}${run.model === null ? "" : `, ${run.model}`}, mode ${run.mode}`],
    ["Directory", run.cwd],
    ["Session", run.sessionId ?? "none yet"],
    ["Turns", turnsText(run)],
    ["Context", context],
    ["Cost", `${costText(run)}${budgetText(run)}`],
    ["Work", [run.workflow, ...run.labels].join(", ")],
    ...(run.isArchived ? [["Archived", "yes"]] : []),
    ...(run.origin === "started" ? [] : [["Origin", run.origin]]),
    ...(run.error === null ? [] : [["Error", paint.bad(run.error)]]),
    ...(run.openApprovals === 0 ? [] : [["Waiting", `${run.openApprovals} for an answer`]]),
  ])
}

function turnsText({ turns, queuedTurns }: Run): string {
  return queuedTurns === 0 ? String(turns) : `${turns}, and ${queuedTurns} waiting`
}

function budgetText({ budgetUsd, budgetTokens }: Run): string {
  const limits = [
    ...(budgetUsd === null ? [] : [`$${budgetUsd.toFixed(2)}`]),
    ...(budgetTokens === null ? [] : [`${formatCount(budgetTokens)} tokens`]),
  ]
  return limits.length === 0 ? "" : `, of at most ${limits.join(" and ")}`
}

function renderMessages({ messages }: AgentsMessages, screen: Screen): string {
  if (messages.length === 0) return screen.paint.muted("Nothing was said yet.")
  return messages.map((it) => renderMessage(it, screen)).join("\n")
}

function renderApprovals({ approvals }: AgentsApprovals, { paint }: Screen): string {
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

function describeStatus(status: RunStatus, paint: Screen["paint"]): string {
  if (status === "failed" || status === "interrupted") return paint.bad(status)
  if (status === "waiting") return paint.warn(status)
  return status === "completed" ? paint.ok(status) : status
}

export function renderAnswer({ title, status, answeredBy }: Approval, { paint }: Screen): string {
  const word = status === "allowed" ? paint.ok("Allowed") : paint.warn(capitalised(status))
  return `${word}: ${title}${answeredBy === null ? "" : paint.muted(`  by ${answeredBy}`)}`
}

function renderDeleted({ id }: { readonly id: string }): string {
  return `Deleted ${id}.`
}

function renderSessions({ sessions }: AgentsSessions, { paint }: Screen): string {
  if (sessions.length === 0) {
    return paint.muted("No host kept a session for this repository; --everywhere lists all.")
  }
  return table(
    sessions.map((it) => [
      it.sessionId,
      it.host,
      paint.muted(timeText(it.changedAt)),
      formatBytes(it.sizeBytes),
      it.isResumable ? "can be resumed" : paint.muted("only to read"),
      it.runId ?? paint.muted("not read yet"),
      it.title,
    ]),
  )
}

function renderProviders({ providers }: AgentsProviders, { paint }: Screen): string {
  return table(
    providers.map((it) => [
      it.type,
      it.isInstalled ? paint.ok("here") : paint.warn("missing"),
      it.version ?? "",
      it.isInstalled ? whereText(it) : it.hint,
    ]),
  )
}

function whereText({ program, scripts }: AgentsProviders["providers"][number]): string {
  return scripts.length === 0 ? (program ?? "") : `scripts: ${scripts.join(", ")}`
}

function renderPermissions(permissions: Permissions, { paint }: Screen): string {
  const { file, digest, isTrusted, rules } = permissions
  const trust = isTrusted
    ? paint.muted(file)
    : paint.warn(
        `${file} is not as you approved it: its allowing rules do not count. To approve what stands here, run \`qm permissions trust --digest ${digest ?? ""}\`.`,
      )
  if (rules.length === 0) return `No rules; the mode of a run decides.\n${trust}`
  return `${table(rules.map((it) => ruleRow(it, paint)))}\n\n${trust}`
}

function ruleRow(rule: ListedRule, paint: Screen["paint"]): readonly string[] {
  const { id, decision, tool, command, path, origin, isInForce } = rule
  const tone = { allow: paint.ok, ask: paint.accent, deny: paint.warn }[decision]
  const about = [
    ...(tool === undefined ? [] : [`tool ${tool}`]),
    ...(command === undefined ? [] : [`command ${command}`]),
    ...(path === undefined ? [] : [`path ${path}`]),
  ]
  const place = origin === "config" ? "settings" : "project"
  const force = isInForce ? "" : paint.warn("not in force")
  return [id, tone(decision), place, about.length === 0 ? "everything" : about.join(", "), force]
}

function capitalised(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`
}

/** A list is cut here, with a word about the rest: what follows is in the console and in --json. */
const MOST_ROWS = 20

function renderWholeMessage(message: Message, { paint }: Screen): string {
  const { seq, type, timestamp, content, raw } = message
  const head = paint.muted(`${seq}  ${type}  ${timeText(timestamp)}`)
  const said = content === "" ? paint.muted("Nothing but the event itself.") : content
  const own = raw === undefined ? [] : ["", paint.muted("Raw:"), raw]
  return [head, "", said, ...own].join("\n")
}

function renderTurns({ turns, canSteer }: AgentsTurns, { paint }: Screen): string {
  const steering = canSteer
    ? "`qm send <id> <text> --now` reaches the running turn."
    : "This agent takes a text only between turns."
  if (turns.length === 0) return `No turn waits.\n${paint.muted(steering)}`
  const rows = turns.map((it) => [it.id, paint.muted(timeText(it.queuedAt)), firstRowText(it.text)])
  return `${table(rows)}\n\n${paint.muted(steering)}`
}

function renderParts({ parts }: AgentsParts, { paint }: Screen): string {
  if (parts.length === 0) return paint.muted("Nothing is put in front of the next turn.")
  return parts
    .map((it) => `${paint.bold(it.label)}  ${paint.muted(`${it.tokens} tokens`)}\n${it.text}`)
    .join("\n\n")
}

function renderHandoff({ text, tokens, run }: AgentsHandoff, { paint }: Screen): string {
  const next = run === null ? "--start begins a fresh session with it." : `Started ${run.id}.`
  return `${text}\n\n${paint.muted(`${formatExact(tokens)} tokens. ${next}`)}`
}

/** Text that others read again: its value must stay, so what a terminal would obey is escaped. */
function renderExport({ text }: AgentsExport): string {
  return escapeUnsafe(text).trimEnd()
}

function renderSaved({ file, messages, sizeBytes }: AgentsSaved): string {
  return `Wrote ${file}, ${plural(messages, "message")}, ${formatBytes(sizeBytes)}.`
}

function renderContext(context: AgentsContext, screen: Screen): string {
  const { paint } = screen
  const { used, window, kinds, files, parts, changes, compactions } = context
  const head =
    used === null || window === null
      ? "How full the window is, the host has not said."
      : `${formatCount(used)} of ${formatCount(window)} tokens in the window`
  const bar = window === null || kinds.length === 0 ? [] : ["", renderBar(kinds, window, screen)]
  const loaded = files.map((it) => [
    it.isBeforeCompaction ? paint.warn("perhaps gone") : turnText(it.isThisTurn),
    it.tokens === null ? "" : `${formatExact(it.tokens)} tokens`,
    it.path,
    paint.muted(it.reason),
  ])
  const changed = changes.map((it) => [`+${it.added}`, `−${it.removed}`, it.path])
  return [
    head,
    ...bar,
    ...(compactions.length === 0
      ? []
      : ["", paint.warn(`The host compacted ${plural(compactions.length, "time")}.`)]),
    ...section("In front of turns", parts.map(partRow), screen),
    ...section("Loaded", loaded, screen),
    ...section("Changed", changed, screen),
  ].join("\n")
}

function partRow({ label, tokens }: AgentsContext["parts"][number]): string[] {
  return [label, `${formatExact(tokens)} tokens`]
}

function turnText(isThisTurn: boolean): string {
  return isThisTurn ? "this turn" : "before"
}

function section(
  title: string,
  rows: readonly (readonly string[])[],
  { paint }: Screen,
): readonly string[] {
  if (rows.length === 0) return []
  const left = rows.length - MOST_ROWS
  const rest = left > 0 ? [paint.muted(`and ${formatExact(left)} more`)] : []
  return ["", paint.bold(title), table(rows.slice(0, MOST_ROWS)), ...rest]
}

const LANES = ["model", "tools", "branches", "waiting"] as const

/** One row a lane, drawn over the whole time, then the longest pieces in their order. */
function renderTimeline(timeline: AgentsTimeline, screen: Screen): string {
  const { durationMs, waitedMs, spans } = timeline
  if (spans.length === 0) return screen.paint.muted("Nothing happened yet.")
  const waited = waitedMs === 0 ? "" : `, ${formatDuration(waitedMs)} of it waiting for a person`
  const lanes = LANES.map((lane) => {
    const own = spans.filter((it) => it.lane === lane)
    const total = own.reduce((sum, it) => sum + lengthOf(it), 0)
    return [lane, total === 0 ? "" : formatDuration(total), drawLane(own, durationMs, screen)]
  })
  const longest = spans
    .toSorted((a, b) => lengthOf(b) - lengthOf(a))
    .slice(0, MOST_ROWS)
    .toSorted((a, b) => a.fromMs - b.fromMs)
  const rows = longest.map((it) => [
    screen.paint.muted(`at ${formatDuration(it.fromMs)}`),
    formatDuration(lengthOf(it)),
    it.lane,
    it.title,
  ])
  const left = spans.length - longest.length
  const rest = left > 0 ? [screen.paint.muted(`and ${formatExact(left)} shorter ones`)] : []
  return [
    `${formatDuration(durationMs)}${waited}`,
    "",
    table(lanes),
    "",
    table(rows),
    ...rest,
  ].join("\n")
}

const LANE_CELLS = 48

function drawLane(spans: readonly RunSpan[], durationMs: number, { paint }: Screen): string {
  const cellMs = Math.max(1, durationMs) / LANE_CELLS
  const cells = Array.from({ length: LANE_CELLS }, (_, i) => {
    const isBusy = spans.some((it) => it.fromMs < (i + 1) * cellMs && it.toMs > i * cellMs)
    return isBusy ? "█" : "·"
  })
  return paint.accent(cells.join(""))
}

function lengthOf({ fromMs, toMs }: RunSpan): number {
  return Math.max(0, toMs - fromMs)
}

function firstRowText(text: string): string {
  return text.split("\n")[0] ?? ""
}

export const agentsRenderers: Renderers<typeof agentsOperations> = {
  answer: renderAnswer,
  approvals: renderApprovals,
  context: renderContext,
  delete: renderDeleted,
  drop: renderDeleted,
  edit: renderRun,
  export: { text: renderExport, isExact: true },
  save: renderSaved,
  handoff: renderHandoff,
  import: renderRun,
  list: renderRuns,
  message: renderWholeMessage,
  messages: renderMessages,
  mode: renderRun,
  parts: renderParts,
  providers: renderProviders,
  read: renderRun,
  rewrite: renderTurns,
  sessions: renderSessions,
  show: renderRun,
  timeline: renderTimeline,
  turns: renderTurns,
}

export const permissionsRenderers: Renderers<typeof permissionsOperations> = {
  add: renderPermissions,
  list: renderPermissions,
  remove: renderPermissions,
  trust: renderPermissions,
}
