import path from "node:path"
import {
  formatBytes,
  formatCostChange,
  formatCount,
  formatExact,
  formatForecast,
  formatUsd,
  plural,
} from "#ground/base"
import type {
  ImportState,
  IndexedSession,
  PlanWindow,
  SessionCompaction,
  SessionHit,
  SessionsContext,
  SessionsCost,
  SessionsImported,
  SessionsLines,
  SessionsList,
  SessionsSearch,
  SessionsShow,
  SessionsWaste,
  Spend,
  sessionsOperations,
  WasteFinding,
  WasteFix,
} from "#ground/contract"
import type { Screen } from "../terminal/screen.ts"
import { listing, quoted, rowText, section, shareBar, timeText } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

const HOST_NAMES = {
  "claude-code": "Claude Code",
  codex: "Codex",
  copilot: "Copilot",
  gemini: "Gemini",
  opencode: "opencode",
} as const

const MOST_SHOWN = 20

/** A missing price is shown as "unknown", not as 0. */
function costText({ usd, price }: Spend): string {
  if (usd === null) return "unknown"
  return price === "partly unknown" ? `${formatUsd(usd)}+` : formatUsd(usd)
}

/** Ids of opencode start with the time, so the first characters of many are the same. */
const shortId = (id: string): string => id.slice(0, id.startsWith("ses_") ? 16 : 8)

function renderList({ sessions, total, import: state }: SessionsList, screen: Screen): string {
  const { paint, width } = screen
  if (sessions.length === 0) {
    const advice = importLines(state, screen)
    const next = advice.length > 0 ? "" : " Run an agent here, then `qm sessions import`."
    return [paint.muted(`No sessions are indexed.${next}`), ...advice].join("\n")
  }
  const idWidth = Math.max(...sessions.map((it) => shortId(it.id).length))
  const rows = sessions.map((it) => [
    shortId(it.id),
    rowText(it.title, width - idWidth - LIST_FIGURES_WIDTH),
    it.peakTokens === null ? "" : formatCount(it.peakTokens),
    String(it.turns),
    costText(it.spend),
    paint.muted(it.endedAt === null ? "" : timeText(it.endedAt)),
  ])
  const headings = ["Id", "Session", "Peak", "Turns", "Cost", "Last (UTC)"]
  const [head = "", ...lines] = listing(headings, rows, screen).split("\n")
  const indent = " ".repeat(idWidth + 2)
  const details = sessions.map((it) => rowText(describeSession(it), width - indent.length))
  return [
    head,
    // A row that is too long for the terminal has several lines; its details are in `show`.
    ...lines.flatMap((line, at) =>
      lines.length === rows.length ? [line, paint.muted(`${indent}${details[at]}`)] : [line],
    ),
    ...(total > sessions.length
      ? ["", paint.muted(`${formatExact(total - sessions.length)} more: --limit`)]
      : []),
    ...importLines(state, screen),
  ].join("\n")
}

/** Peak, turns, cost, time, and the gaps between the columns. */
const LIST_FIGURES_WIDTH = 46

function describeSession(session: SessionsList["sessions"][number]): string {
  const { host, models, repository, branch, files } = session
  const place = repository === null ? "" : path.basename(repository)
  const parts = [HOST_NAMES[host], ...models, place, branch ?? ""].filter((it) => it !== "")
  return [...parts, ...(files === 0 ? [] : [plural(files, "file")])].join(", ")
}

function importLines(state: ImportState, { paint }: Screen): readonly string[] {
  const { setting, waitingFiles, waitingBytes, isRunning } = state
  if (isRunning) return ["", paint.muted(`Indexing ${plural(waitingFiles, "transcript")}.`)]
  if (waitingFiles === 0 || setting === "never" || setting === "machine") return []
  const waiting = `${plural(waitingFiles, "transcript")} on this machine (${formatBytes(waitingBytes)}) not indexed.`
  const advice =
    "`qm sessions import` indexes those of this repository; `--all` indexes all, now and in future."
  return ["", paint.muted(`${waiting} ${advice}`)]
}

function renderShow(shown: SessionsShow, screen: Screen): string {
  const { paint, width } = screen
  const { session, ledger } = shown
  const room = { screen, most: MOST_SHOWN }
  const claims = ledger?.claims.map((it) => [rowText(it.path), `until ${timeText(it.expiresAt)}`])
  const verdicts = ledger?.verdicts.map((it) => [
    timeText(it.at),
    rowText(it.rule),
    rowText(it.decision),
    rowText(it.paths.join(", ")),
  ])
  return [
    paint.bold(rowText(session.title, width)),
    paint.muted(rowText(session.id)),
    ...factLines(session),
    ...section(
      "Agents",
      shown.agents.map((it) => [rowText(it.agent), costText(it.spend), ...tokenCells(it.spend)]),
      { ...room, headings: ["Agent", "Cost", ...TOKEN_HEADINGS] },
    ),
    ...section("Compactions", shown.compactions.map(compactionRow), {
      ...room,
      headings: COMPACTION_HEADINGS,
    }),
    ...section(
      "Files",
      shown.paths.map((it) => [
        rowText(it.path),
        it.edits === 0 ? "" : plural(it.edits, "edit"),
        it.reads === 0 ? "" : plural(it.reads, "read"),
      ]),
      { ...room, headings: ["File", "Edits", "Reads"] },
    ),
    ...section("Tool results", shown.tools.map(toolRow), {
      ...room,
      headings: ["Tool", "Results", "Size", "Tokens"],
    }),
    ...section("Claims", claims ?? [], { ...room, headings: ["Path", "Lease (UTC)"] }),
    ...section("Guard", verdicts ?? [], {
      ...room,
      headings: ["Time (UTC)", "Rule", "Decision", "Files"],
    }),
    ...section(
      "Not indexed",
      shown.problems.map((it) => [rowText(it.file), rowText(it.problem)]),
      { ...room, headings: ["File", "Problem"] },
    ),
  ].join("\n")
}

function factLines(session: IndexedSession): readonly string[] {
  const { tokens } = session.spend
  const peak = session.peakTokens === null ? "unknown" : formatCount(session.peakTokens)
  const window = session.windowTokens === null ? "" : ` of ${formatCount(session.windowTokens)}`
  const times = [session.startedAt, session.endedAt].flatMap((it) =>
    it === null ? [] : [timeText(it)],
  )
  return [
    `${HOST_NAMES[session.host]} ${rowText(session.version ?? "")}, ${rowText(session.models.join(", ") || "no model call")}`,
    `${rowText(session.repository ?? "unknown repository")}${session.branch === null ? "" : ` on ${rowText(session.branch)}`}`,
    `${times.join(" to ")} UTC, ${plural(session.turns, "turn")}, peak context ${peak}${window}`,
    `Cost ${costText(session.spend)}: input ${formatCount(tokens.input)}, cache read ${formatCount(tokens.cacheRead)}, cache write ${formatCount(tokens.cacheWrite)}, cache write 1 h ${formatCount(tokens.cacheWriteHour)}, output ${formatCount(tokens.output)}`,
  ]
}

const COMPACTION_HEADINGS = ["Time (UTC)", "Turn", "Tokens", "Cause"]

function compactionRow(compaction: SessionCompaction): readonly string[] {
  const size = (tokens: number | null) => (tokens === null ? "unknown" : formatCount(tokens))
  const change = `${size(compaction.tokensBefore)} to ${size(compaction.tokensAfter)}`
  return [timeText(compaction.at), `turn ${compaction.turn}`, change, rowText(compaction.cause)]
}

const toolRow = (it: SessionsShow["tools"][number]): readonly string[] => [
  rowText(it.tool),
  plural(it.results, "result"),
  formatBytes(it.bytes),
  `about ${formatCount(it.tokens)} tokens`,
]

const TOKEN_HEADINGS = ["Input", "Cache read", "Cache write", "Output"]

function tokenCells({ tokens }: Spend): readonly string[] {
  const { input, cacheRead, cacheWrite, cacheWriteHour, output } = tokens
  return [input, cacheRead, cacheWrite + cacheWriteHour, output].map(formatCount)
}

function renderLines({ lines, next }: SessionsLines, { paint }: Screen): string {
  if (lines.length === 0) return paint.muted("No lines.")
  const blocks = lines.map((line) => {
    const by = [line.role, line.agent === "main" ? "" : line.agent, line.tool ?? ""].filter(Boolean)
    const head = `${timeText(line.at)}  turn ${line.turn}  ${by.map((word) => rowText(word)).join(", ")}`
    return `${paint.muted(head)}\n${quoted(line.text)}`
  })
  const more = next === null ? [] : [paint.muted(`Show more with --after ${next}`)]
  return [...blocks, ...more].join("\n\n")
}

function renderSearch(results: SessionsSearch, screen: Screen): string {
  const { paint } = screen
  const state = importLines(results.import, screen)
  if (results.hits.length === 0) {
    return [paint.muted("No line contains all words."), ...state].join("\n")
  }
  return [...results.hits.map((it) => hitText(it, screen)), ...state].join("\n\n")
}

function hitText(hit: SessionHit, { paint, width }: Screen): string {
  const { line } = hit
  const about = [
    shortId(hit.session),
    HOST_NAMES[hit.host],
    rowText(hit.branch ?? ""),
    timeText(line.at),
    `turn ${line.turn}`,
    line.role,
    hit.matches === 1 ? "" : plural(hit.matches, "matching line"),
  ]
  return [
    paint.bold(rowText(hit.title, width)),
    paint.muted(about.filter(Boolean).join(", ")),
    quoted(rowText(hit.excerpt)),
  ].join("\n")
}

function renderContext(context: SessionsContext, screen: Screen): string {
  const { paint } = screen
  const { points, peakTokens, compactions } = context
  if (points.length === 0) return paint.muted("The transcript has no token counts.")
  const scale = context.windowTokens ?? peakTokens ?? 1
  const rows = points.map((it) => [
    timeText(it.at),
    `turn ${it.turn}`,
    shareBar(it.tokens / scale),
    formatCount(it.tokens),
    paint.muted(`${it.added < 0 ? "-" : "+"}${formatCount(Math.abs(it.added))}`),
    rowText(it.model),
  ])
  const room = { screen, most: 40 }
  return [
    ...section("Calls", rows.slice(-200), {
      ...room,
      headings: ["Time (UTC)", "Turn", "Window", "Tokens", "Added", "Model"],
    }),
    ...section("Compactions", compactions.map(compactionRow), {
      ...room,
      headings: COMPACTION_HEADINGS,
    }),
    ...compactions.flatMap((it) => removedLines(it, room)),
  ]
    .join("\n")
    .trimStart()
}

type Compacted = SessionsContext["compactions"][number]

/** Files and tool results that the compaction removed, and files read again. */
function removedLines(
  { turn, removed }: Compacted,
  room: Omit<Parameters<typeof section>[2], "headings">,
): readonly string[] {
  const rows = [
    ...removed.files
      .slice(0, 10)
      .map((it) => [
        rowText(it.path),
        formatCount(it.tokens),
        it.againTokens === 0 ? "" : `read again, ${formatCount(it.againTokens)}`,
      ]),
    ...removed.tools
      .slice(0, 5)
      .map((it) => [
        `${plural(it.results, "result")} of ${rowText(it.tool)}`,
        formatCount(it.tokens),
        "",
      ]),
  ]
  return section(`Removed after turn ${turn} (estimate)`, rows, {
    ...room,
    headings: ["Content", "Tokens", "Afterwards"],
  })
}

function renderImported(done: SessionsImported, screen: Screen): string {
  const { paint } = screen
  const size = `${plural(done.lines, "line")}, ${formatBytes(done.bytes)}`
  return [
    done.files === 0
      ? "No new transcripts to index."
      : `Indexed ${plural(done.files, "transcript")} of ${plural(done.sessions, "session")} (${size})`,
    ...done.skipped.map((it) => paint.warn(`Skipped ${rowText(it.file)}: ${rowText(it.reason)}`)),
    ...importLines(done.import, screen),
  ].join("\n")
}

function planLine({ host, windowMinutes, usedPercent, resetsAt }: PlanWindow, screen: Screen) {
  const { paint } = screen
  const length = windowMinutes === null ? "plan window" : `${describeWindow(windowMinutes)} window`
  const reset = resetsAt === null ? "" : `, resets ${timeText(resetsAt)} UTC`
  const text = `${host}: ${Math.round(usedPercent)} % of the ${length} used${reset}`
  if (usedPercent >= 100) return paint.bad(text)
  return usedPercent >= 80 ? paint.warn(text) : text
}

/** 5 h or 7 d. */
function describeWindow(minutes: number): string {
  return minutes >= 2_880 ? `${Math.round(minutes / 1_440)} d` : `${Math.round(minutes / 60)} h`
}

function renderCost(cost: SessionsCost, screen: Screen): string {
  const { paint } = screen
  const state = importLines(cost.import, screen)
  const period = `since ${timeText(cost.since)} UTC`
  if (cost.total.calls === 0) {
    const next = state.length > 0 ? "" : " Index transcripts with `qm sessions import`."
    return [paint.muted(`No session reported tokens ${period}.${next}`), ...state].join("\n")
  }
  const hasChange = cost.rows.some((it) => it.change !== undefined)
  const rows =
    cost.by === "tool"
      ? listing(["Tool", "Results", "Size", "Tokens"], cost.tools.map(toolRow), screen)
      : listing(
          [HEADINGS[cost.by], "Cost", ...(hasChange ? ["Change"] : []), ...TOKEN_HEADINGS],
          cost.rows.map((it) => [
            rowText(rowName(it, cost.by), screen.width - (hasChange ? 58 : 50)),
            costText(it.spend),
            ...(hasChange ? [it.change === undefined ? "" : formatCostChange(it.change)] : []),
            ...tokenCells(it.spend),
          ]),
          screen,
        )
  const unknown =
    cost.total.unpricedTokens === 0
      ? ""
      : `, plus ${formatCount(cost.total.unpricedTokens)} tokens with unknown price (${rowText(cost.unpricedModels.join(", "))})`
  return [
    `${paint.bold(costText(cost.total))} ${period}, ${plural(cost.total.calls, "model call")}${unknown}`,
    paint.muted(describeChange(cost)),
    paint.muted(`List prices of ${cost.priceTable}`),
    ...cost.budgets.map((it) => budgetLine(it, screen)),
    ...monthLine(cost, screen),
    ...cost.planWindows.map((it) => planLine(it, screen)),
    "",
    rows,
    ...section("By token type", typeRows(cost), {
      screen,
      most: MOST_SHOWN,
      headings: ["Token type", "Tokens", "Cost", "Share"],
    }),
    ...state,
  ].join("\n")
}

function describeChange({ change, before }: SessionsCost): string {
  const period = `${timeText(before.since)} to ${timeText(before.until)} UTC`
  if (change.beforeUsd === 0) return `No cost from ${period}`
  const was = change.beforeUsd === null ? "" : `${formatUsd(change.beforeUsd)} from `
  const by = change.percent === null ? "Unknown change" : formatCostChange(change)
  return `${by} against ${was}${period}`
}

const TOKEN_TYPES = [
  ["input", "Fresh input"],
  ["cacheRead", "Cache read"],
  ["cacheWrite", "Cache write"],
  ["cacheWriteHour", "Cache write for 1 h"],
  ["output", "Output"],
] as const

/** Costs of one token type are of the calls with a known price. */
function typeRows({ total, costs }: SessionsCost): readonly (readonly string[])[] {
  const { usd, tokens } = total
  return TOKEN_TYPES.filter(([type]) => tokens[type] > 0).map(([type, name]) => [
    name,
    formatCount(tokens[type]),
    usd === null ? "unknown" : formatUsd(costs[type]),
    usd === null || usd === 0 ? "" : `${Math.round((costs[type] / usd) * 100)} %`,
  ])
}

/** A title may occur twice, so a session also has the start of its id, as commands accept it. */
function rowName({ key, label }: SessionsCost["rows"][number], by: SessionsCost["by"]): string {
  return by === "session" && label !== key ? `${key.slice(0, 8)} ${label}` : label
}

function budgetLine(budget: SessionsCost["budgets"][number], { paint }: Screen): string {
  const spent = budget.spentUsd === null ? "unknown" : formatUsd(budget.spentUsd)
  const text = `Budget of this ${budget.period}: ${spent} of ${formatUsd(budget.limitUsd)}`
  return budget.state === "near" || budget.state === "over" ? paint.warn(text) : paint.muted(text)
}

function monthLine({ month, budgets }: SessionsCost, { paint }: Screen): readonly string[] {
  const limitUsd = budgets.find((it) => it.period === "month")?.limitUsd
  const forecast = formatForecast(month, limitUsd)
  if (forecast === undefined) return []
  const text = `This month ${costText(month.spend)}, ${forecast}`
  return [forecast.endsWith(" over") ? paint.warn(text) : paint.muted(text)]
}

const HEADINGS = {
  day: "Day (UTC)",
  week: "Week from",
  model: "Model",
  repository: "Repository",
  agent: "Agent",
  session: "Session",
  host: "Host",
} as const

export const sessionsRenderers: Renderers<typeof sessionsOperations> = {
  list: renderList,
  show: renderShow,
  lines: renderLines,
  search: renderSearch,
  context: renderContext,
  import: renderImported,
  cost: {
    text: (cost, screen) => cost.csv ?? renderCost(cost, screen),
    isVerbatim: (cost) => cost.csv !== undefined,
  },
  waste: renderWaste,
  apply: ({ fix }, { paint }) =>
    [
      `Changed ${rowText(fix.file)}: ${rowText(fix.title)}`,
      paint.muted(`\`qm waste undo ${fix.id}\` restores it. Later sessions measure the saving.`),
    ].join("\n"),
  undo: ({ file }) => `Restored ${rowText(file)}`,
  dismiss: ({ id, isDismissed }, { paint }) =>
    isDismissed
      ? [
          `Dismissed ${rowText(id)}`,
          paint.muted(`\`qm waste dismiss ${id} --restore\` lists it again.`),
        ].join("\n")
      : `Restored ${rowText(id)}`,
}

function renderWaste(report: SessionsWaste, screen: Screen): string {
  const { paint } = screen
  const { findings, applied, dismissed, problems } = report
  return [
    wasteSummary(report),
    ...findings.flatMap((it) => ["", ...findingLines(it, screen)]),
    ...section(
      "Applied",
      applied.map((it) => [it.id, rowText(it.title), rowText(it.file), savingText(it)]),
      { screen, most: MOST_SHOWN, headings: ["Fix", "Title", "File", "Saved"] },
    ),
    ...section(
      "Dismissed",
      dismissed.map((it) => [it.id, rowText(it.title), formatCount(it.tokens)]),
      { screen, most: MOST_SHOWN, headings: ["Finding", "Title", "Tokens"] },
    ),
    ...problems.map((it) => paint.warn(rowText(it))),
  ].join("\n")
}

function wasteSummary({ findings, sessions, since }: SessionsWaste): string {
  const start = `${timeText(since)} UTC`
  if (findings.length === 0 && sessions === 0) {
    return `No session since ${start}. Index transcripts with \`qm sessions import\`.`
  }
  const period = `${plural(sessions, "session")} since ${start}`
  return findings.length === 0
    ? `No waste found in ${period}.`
    : `${plural(findings.length, "finding")} in ${period}`
}

function findingLines(finding: WasteFinding, { paint, width }: Screen): readonly string[] {
  const { id, title, tokens, per, evidence, fix, change } = finding
  const amount =
    tokens === 0 ? "" : `, ${formatCount(tokens)} tokens${per === "session" ? " a session" : ""}`
  return [
    `${paint.bold(rowText(title, width))}${amount}`,
    `  ${rowText(evidence)}`,
    `  ${rowText(fix)}`,
    ...(change === null
      ? []
      : [paint.muted(`  \`qm waste apply ${id}\` ${change.action}s ${rowText(change.file)}`)]),
  ]
}

function savingText({ promisedTokens, realisedTokens }: WasteFix): string {
  const estimate = `estimated ${formatCount(promisedTokens)}`
  if (realisedTokens === null) return `${estimate}, waiting for the next session`
  const sign = realisedTokens < 0 ? "-" : ""
  return `${estimate}, saved ${sign}${formatCount(Math.abs(realisedTokens))}`
}
