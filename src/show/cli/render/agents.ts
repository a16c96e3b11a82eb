import { formatBytes, formatCount, formatDuration, formatExact, plural } from "#ground/base"
import type {
  AgentsApprovals,
  AgentsContext,
  AgentsExport,
  AgentsHandoff,
  AgentsList,
  AgentsMessages,
  AgentsParts,
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
import { costText } from "../live-run/draw.ts"
import { table } from "../terminal/layout.ts"
import { escapeUnsafe, type Screen } from "../terminal/screen.ts"
import { renderBar } from "./bar.ts"
import { listing, rowLimit, timeText } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

function renderRuns({ runs }: AgentsList, screen: Screen): string {
  if (runs.length === 0) {
    return screen.paint.muted(
      'No runs yet. Start one with `qm run "What does this repository do?"`.',
    )
  }
  return listing(
    ["Run", "State", "Agent", "Started (UTC)", "Cost", "Title"],
    runs.map((it) => [
      it.id,
      describeStatus(it.status, screen.paint),
      it.type,
      timeText(it.createdAt),
      costCell(it),
      it.title,
    ]),
    screen,
  )
}

/** Below or beside the word Cost. */
function costCell(run: Run): string {
  return costText(run).replace(/^cost /, "")
}

function renderRun(run: Run, { paint, width }: Screen): string {
  const context =
    run.contextUsed === null || run.contextWindow === null
      ? "unknown"
      : `${formatCount(run.contextUsed)} of ${formatCount(run.contextWindow)} tokens`
  return table(
    [
      ["Run", run.id],
      ["Title", run.title],
      ["Status", describeStatus(run.status, paint)],
      ["Agent", `${run.type}${run.model === null ? "" : `, ${run.model}`}, mode ${run.mode}`],
      ["Directory", run.cwd],
      ["Session", run.sessionId ?? "none yet"],
      ["Turns", turnsText(run)],
      ["Context", context],
      ["Cost", `${costCell(run)}${budgetText(run)}`],
      ["Work", [run.workflow, ...run.labels].join(", ")],
      ...(run.isArchived ? [["Archived", "yes"]] : []),
      ...(run.origin === "started" ? [] : [["Origin", run.origin]]),
      ...(run.error === null ? [] : [["Error", paint.bad(run.error)]]),
      ...(run.openApprovals === 0
        ? []
        : [["Waiting", `${plural(run.openApprovals, "approval")}; list with \`qm approvals\``]]),
    ],
    { width },
  )
}

function turnsText({ turns, queuedTurns }: Run): string {
  return queuedTurns === 0 ? String(turns) : `${turns}, ${queuedTurns} queued`
}

function budgetText({ budgetUsd, budgetTokens }: Run): string {
  const limits = [
    ...(budgetUsd === null ? [] : [`$${budgetUsd.toFixed(2)}`]),
    ...(budgetTokens === null ? [] : [`${formatCount(budgetTokens)} tokens`]),
  ]
  return limits.length === 0 ? "" : `, limit ${limits.join(" and ")}`
}

function renderMessages({ messages }: AgentsMessages, screen: Screen): string {
  if (messages.length === 0) return screen.paint.muted("No messages yet.")
  return messages.map((it) => renderMessage(it, screen)).join("\n")
}

function renderApprovals({ approvals }: AgentsApprovals, screen: Screen): string {
  if (approvals.length === 0) return screen.paint.muted("No approvals are pending.")
  return listing(
    ["Approval", "Run", "Tool", "Question"],
    approvals.map((it) => [it.id, it.runId, it.tool, it.title]),
    screen,
  )
}

/** The whole text of prompts and answers, the first line of everything else. */
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

function renderSessions({ sessions }: AgentsSessions, screen: Screen): string {
  const { paint } = screen
  if (sessions.length === 0) {
    return paint.muted(
      "No stored sessions of this repository. List all with `qm sessions stored --everywhere`.",
    )
  }
  return listing(
    ["Session", "Host", "Changed (UTC)", "Size", "Resumable", "Run", "Title"],
    sessions.map((it) => [
      it.sessionId,
      it.host,
      paint.muted(timeText(it.changedAt)),
      formatBytes(it.sizeBytes),
      it.isResumable ? "yes" : paint.muted("no"),
      it.runId ?? paint.muted("not imported"),
      it.title,
    ]),
    screen,
  )
}

function renderPermissions(permissions: Permissions, screen: Screen): string {
  const { paint } = screen
  const { file, digest, isTrusted, rules } = permissions
  const trust = isTrusted
    ? paint.muted(file)
    : paint.warn(
        `${file} has changed since you trusted it, so its allow rules are ignored. To trust this version, run \`qm permissions trust --digest ${digest ?? ""}\`.`,
      )
  if (rules.length === 0)
    return `No rules. The mode of a run decides what its agent may do.\n${trust}`
  const headings = ["Rule", "Decision", "Source", "Applies to", ""]
  const rows = rules.map((it) => ruleRow(it, paint))
  return `${listing(headings, rows, screen)}\n\n${trust}`
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
  const force = isInForce ? "" : paint.warn("ignored")
  return [id, tone(decision), place, about.length === 0 ? "everything" : about.join(", "), force]
}

function capitalised(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`
}

const MOST_ROWS = 20

function renderWholeMessage(message: Message, { paint }: Screen): string {
  const { seq, type, timestamp, content, raw } = message
  const head = paint.muted(`${seq}  ${type}  ${timeText(timestamp)}`)
  const text = content === "" ? paint.muted("(no text)") : content
  const own = raw === undefined ? [] : ["", paint.muted("Raw:"), raw]
  return [head, "", text, ...own].join("\n")
}

function renderTurns({ turns, canSteer }: AgentsTurns, screen: Screen): string {
  const { paint } = screen
  const steering = canSteer
    ? "`qm send` with --now sends into the current turn."
    : "This agent accepts prompts only between turns."
  if (turns.length === 0) return `No queued turns.\n${paint.muted(steering)}`
  const rows = turns.map((it) => [it.id, paint.muted(timeText(it.queuedAt)), firstRowText(it.text)])
  return `${listing(["Turn", "Queued (UTC)", "Text"], rows, screen)}\n\n${paint.muted(steering)}`
}

function renderParts({ parts }: AgentsParts, { paint }: Screen): string {
  if (parts.length === 0) return paint.muted("Nothing is added in front of the next turn.")
  return parts
    .map((it) => `${paint.bold(it.label)}  ${paint.muted(`${it.tokens} tokens`)}\n${it.text}`)
    .join("\n\n")
}

function renderHandoff({ text, tokens, run }: AgentsHandoff, { paint }: Screen): string {
  const next = run === null ? "Start a new session with it: add --start." : `Started ${run.id}.`
  return `${text}\n\n${paint.muted(`${formatExact(tokens)} tokens. ${next}`)}`
}

/** Escapes control characters without changing the JSON values, because the text is imported again. */
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
      ? "The host has not reported the size of the window."
      : `${formatCount(used)} of ${formatCount(window)} tokens in the window`
  const bar = window === null || kinds.length === 0 ? [] : ["", renderBar(kinds, window, screen)]
  const loaded = files.map((it) => [
    it.isBeforeCompaction ? paint.warn("possibly dropped") : turnText(it.isThisTurn),
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
      : ["", paint.warn(`The host compacted the context ${plural(compactions.length, "time")}.`)]),
    ...section("Added in front of turns", ["Part", "Tokens"], parts.map(partRow)),
    ...section("Loaded", ["When", "Tokens", "File", "Reason"], loaded),
    ...section("Changed", ["Added", "Removed", "File"], changed),
  ].join("\n")

  function section(
    title: string,
    headings: readonly string[],
    rows: readonly (readonly string[])[],
  ): readonly string[] {
    if (rows.length === 0) return []
    const most = rowLimit(MOST_ROWS, screen)
    const left = rows.length - most
    const rest = left > 0 ? [paint.muted(`and ${formatExact(left)} more`)] : []
    return ["", paint.bold(title), listing(headings, rows.slice(0, most), screen), ...rest]
  }
}

function partRow({ label, tokens }: AgentsContext["parts"][number]): string[] {
  return [label, `${formatExact(tokens)} tokens`]
}

function turnText(isThisTurn: boolean): string {
  return isThisTurn ? "this turn" : "before"
}

const LANES = ["model", "tools", "branches", "waiting"] as const

/** One row for each lane, then the longest spans in order. */
function renderTimeline(timeline: AgentsTimeline, screen: Screen): string {
  const { durationMs, waitedMs, spans } = timeline
  if (spans.length === 0) return screen.paint.muted("No activity yet.")
  const waited = waitedMs === 0 ? "" : `, ${formatDuration(waitedMs)} of it waiting for the user`
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
  const rest = left > 0 ? [screen.paint.muted(`and ${formatExact(left)} shorter spans`)] : []
  return [
    `${formatDuration(durationMs)}${waited}`,
    "",
    listing(["Lane", "Time", "Timeline"], lanes, screen),
    "",
    listing(["Start", "Time", "Lane", "Activity"], rows, screen),
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
  title: renderRun,
  export: { text: renderExport, isExact: true },
  save: renderSaved,
  handoff: renderHandoff,
  import: renderRun,
  list: renderRuns,
  message: renderWholeMessage,
  messages: renderMessages,
  mode: renderRun,
  parts: renderParts,
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
