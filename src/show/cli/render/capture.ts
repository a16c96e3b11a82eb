import path from "node:path"
import { formatCount, formatExact, plural, sliceText, visibleLine } from "#ground/base"
import {
  type Capture,
  type CaptureAdvice,
  type CaptureChange,
  type CaptureDiff,
  type CaptureLint,
  type CaptureList,
  type CaptureSettings,
  type CaptureText,
  type captureOperations,
  describeScale,
  type ManifestItem,
  type Observation,
  type StartServer,
} from "#ground/contract"
import type { Screen } from "../terminal/screen.ts"
import { BLOCKS, renderBar } from "./bar.ts"
import { listing, rowLimit, timeText } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

const MOST_LATER_SHOWN = 12

function renderCapture(capture: Capture, screen: Screen): string {
  const sections = [
    renderHead(capture, screen),
    renderLoads(capture, screen),
    renderServers(capture, screen),
    renderListing(capture, screen),
    renderNotCounted(capture, screen),
    renderLater(capture, screen),
    renderSettingsFiles(capture, screen),
    renderNotThere(capture, screen),
    renderNotes(capture, screen),
    renderObservation(capture, screen),
    ...capture.texts.map((it) => renderText(it, screen)),
    capture.diff === null ? "" : renderDiff(capture.diff, screen),
    renderFoot(capture, screen),
    renderAdvice(capture.advice, screen),
  ]
  return sections.filter((it) => it !== "").join("\n\n")
}

function renderHead({ manifest, budget, headline }: Capture, screen: Screen): string {
  const { paint } = screen
  const { tokensOnDemand } = manifest.totals
  const version = manifest.hostVersion === undefined ? "" : ` ${manifest.hostVersion}`
  const share = `${(headline.share * 100).toFixed(1)} % of ${formatCount(headline.window)}`
  const figure = `${paint.bold(formatExact(headline.tokens))} tokens before the first prompt`
  const later = `${formatCount(tokensOnDemand)} more on demand`
  const unknown = manifest.start?.notCounted.length ?? 0
  const missing = unknown === 0 ? "" : `, ${plural(unknown, "part")} not counted`
  return [
    paint.muted(`${manifest.host}${version} in ${manifest.workingDirectory}`),
    "",
    `${figure}, ${share}, ${later}${missing}`,
    paint.muted(headlineSource({ manifest, headline })),
    renderBar(headline.kinds, budget.startBudget, screen),
  ].join("\n")
}

/** Where the figure comes from; estimate and report are never mixed. */
function headlineSource({ manifest, headline }: Pick<Capture, "manifest" | "headline">): string {
  const baseline = manifest.start?.baseline ?? null
  if (headline.by === "estimate") {
    const counted = manifest.scale === undefined ? "" : `, ${describeScale(manifest.scale)}`
    return baseline === null
      ? `Estimate from files only${counted}; this host's own texts were not measured.`
      : `Estimate${counted}; system prompt and tools as measured with version ${baseline.version}, model ${baseline.model}, on ${baseline.measuredAt}.`
  }
  const difference = headline.estimate / Math.max(1, headline.tokens) - 1
  const words = `${Math.abs(difference * 100).toFixed(1)} % ${difference < 0 ? "lower" : "higher"}`
  const source = headline.by === "host" ? "Reported by the host" : "Recorded by the gateway"
  return `${source} at ${timeText(headline.at)}; our estimate is ${formatExact(headline.estimate)}, ${words}.`
}

function renderLoads(capture: Capture, screen: Screen): string {
  const { paint, width } = screen
  const rows = groupListings(capture.manifest.items.filter((it) => it.tokens > 0))
  const isOwn = capture.manifest.items.some((it) => it.tokens > 0 && it.source !== "host-start")
  if (rows.length === 0) return renderNothing(capture, paint)
  const seen = seenMarks(capture)
  const lines = rows.map((row, index) => [
    paint.muted(String(index + 1).padStart(3)),
    paint.kind(row.kind, BLOCKS[row.kind]),
    shorten(`${"  ".repeat(row.depth)}${row.label}`, Math.floor(width * 0.42)),
    formatExact(row.tokens).padStart(7),
    row.load,
    paint.muted(row.reason),
    seen.get(row.path) ?? "",
  ])
  const headings = ["  #", "", "File", " Tokens", "Load", "Reason", ""]
  const loads = `${paint.bold("Loaded, in load order")}\n${listing(headings, lines, screen)}`
  return isOwn ? loads : `${loads}\n\n${renderNothing(capture, paint)}`
}

function renderNothing({ manifest }: Capture, paint: Screen["paint"]): string {
  const places = new Set(manifest.searched.map((it) => path.dirname(it.path)))
  return [
    paint.bold("None of your files is loaded before the first prompt."),
    `Searched ${plural(manifest.searched.length, "path")} in ${plural(places.size, "folder")}.`,
    manifest.workingDirectory === "/"
      ? "This is the root directory, where hosts load nothing; run qm capture in a project."
      : `To give the agent instructions, create ${FIRST_FILE[manifest.host] ?? "a file"}.`,
  ].join("\n")
}

const FIRST_FILE: Readonly<Record<string, string>> = {
  "claude-code": "a CLAUDE.md in this folder",
  codex: "an AGENTS.md in this folder",
  copilot: "an AGENTS.md or a .github/copilot-instructions.md in this folder",
  gemini: "a GEMINI.md in this folder",
  antigravity: "an AGENTS.md in this folder",
}

type Row = Pick<ManifestItem, "path" | "label" | "kind" | "tokens" | "load" | "reason"> & {
  readonly depth: number
}

/** Lists of skills and commands have dozens of entries; show one row for each folder. */
function groupListings(items: readonly ManifestItem[]): Row[] {
  const rows: Row[] = []
  const depths = new Map<string, number>()
  const rowByGroup = new Map<string, { row: number; count: number }>()
  for (const item of items) {
    const depth = item.importedBy === undefined ? 0 : (depths.get(item.importedBy.path) ?? 0) + 1
    depths.set(item.path, depth)
    if (item.load !== "name-only") {
      rows.push({ ...item, depth })
      continue
    }
    const label = listingFolder(item)
    const group = rowByGroup.get(label)
    const row = group === undefined ? undefined : rows[group.row]
    if (group === undefined || row === undefined) {
      rowByGroup.set(label, { row: rows.length, count: 1 })
      const one = item.source.replace(/s$/, "")
      rows.push({ ...item, label, reason: `Description of 1 ${one}`, depth: 0 })
      continue
    }
    group.count++
    const reason = `Descriptions of ${group.count} ${item.source}`
    rows[group.row] = { ...row, tokens: row.tokens + item.tokens, reason }
  }
  return rows
}

/** The folder named like the source, such as .claude/skills/. */
function listingFolder({ label, source }: ManifestItem): string {
  const end = label.lastIndexOf(`/${source}/`)
  return end === -1 ? `${path.dirname(label)}/` : label.slice(0, end + source.length + 2)
}

function seenMarks({ observation }: Capture): ReadonlyMap<string, string> {
  const marks = (observation?.files ?? []).map((file) => {
    const isSeen = file.state === "both" && file.sameText !== false
    return [file.path, isSeen ? "seen" : "est."] as const
  })
  return new Map(marks)
}

function renderLater({ manifest }: Capture, screen: Screen): string {
  const { paint, width } = screen
  const later = manifest.items.filter((it) => it.tokensOnDemand > 0)
  if (later.length === 0) return ""
  const biggest = later.toSorted((a, b) => b.tokensOnDemand - a.tokensOnDemand)
  const rows = biggest
    .slice(0, rowLimit(MOST_LATER_SHOWN, screen))
    .map((it) => [
      "   ",
      " ",
      shorten(it.label, Math.floor(width * 0.42)),
      formatExact(it.tokensOnDemand).padStart(7),
      LATER_LOADS.get(it.load) ?? it.load,
      paint.muted(it.load === "name-only" ? "Full text, when used" : it.reason),
    ])
  const tokens = plural(manifest.totals.tokensOnDemand, "token")
  const title = `Loaded on demand: ${tokens}`
  return [
    paint.bold(title),
    listing(["", "", "File", " Tokens", "Load", "Reason"], rows, screen),
    ...andMore(later.length, rows.length, paint),
  ].join("\n")
}

/** How the rest of an item is loaded whose first part is in the window. */
const LATER_LOADS = new Map([
  ["name-only", "on-demand"],
  ["always", "deferred"],
])

function renderSettingsFiles({ manifest }: Capture, { paint }: Screen): string {
  const files = manifest.items.filter((it) => it.load === "config-only")
  if (files.length === 0) return ""
  const names = files.map((it) => `      ${it.label}  ${paint.muted(it.reason)}`)
  return [paint.bold("Settings files, not sent to the model"), ...names].join("\n")
}

/** Missing paths are only counted: there are dozens, and none is a fault. */
function renderNotThere({ manifest }: Capture, screen: Screen): string {
  const { paint } = screen
  const absent = manifest.searched.filter((it) => it.outcome !== "found")
  if (absent.length === 0) return ""
  const odd = absent.filter((it) => it.outcome !== "missing")
  const rows = odd.map((it) => [
    "     ",
    it.outcome,
    from(manifest, it.path),
    paint.muted(it.detail ?? ""),
  ])
  const foundCount = manifest.searched.length - absent.length
  const missing = absent.length - odd.length
  const title = `Searched: ${foundCount} of ${plural(manifest.searched.length, "path")} found`
  return [
    `${paint.bold(title)}${missing === 0 ? "" : paint.muted(`, ${missing} missing; --json lists them`)}`,
    ...(rows.length === 0 ? [] : [listing(["", "Result", "Path", "Detail"], rows, screen)]),
  ].join("\n")
}

function renderServers({ manifest }: Capture, screen: Screen): string {
  const { paint } = screen
  const servers = manifest.start?.servers ?? []
  if (servers.length === 0) return ""
  const rows = servers.map((it) => [
    "     ",
    it.name,
    it.tokens === null ? "not counted" : `${formatExact(it.tokens)} tokens`,
    toolWords(it),
    `${plural(it.calls, "call")} in 30 days`,
    paint.muted(it.tokens === null ? (it.problem ?? it.state) : usedWords(it)),
  ])
  const headings = ["", "Server", "Size", "Tools", "Calls", "Use"]
  return `${paint.bold("MCP servers")}\n${listing(headings, rows, screen)}`
}

function toolWords({ tools }: StartServer): string {
  if (tools.length === 0) return ""
  const loaded = tools.filter((it) => it.isLoaded).length
  const deferred = tools.length - loaded
  return [
    ...(loaded === 0 ? [] : [`${loaded} loaded`]),
    ...(deferred === 0 ? [] : [`${deferred} deferred`]),
  ].join(", ")
}

function usedWords({ usedTools, tools }: StartServer): string {
  return `${usedTools} of ${plural(tools.length, "tool")} used`
}

function renderListing({ manifest }: Capture, screen: Screen): string {
  const { paint } = screen
  const skills = manifest.start?.listing ?? null
  if (skills === null || skills.shortened.length === 0) return ""
  const leftOut = skills.shortened.filter((it) => it.isLeftOut).length
  const what =
    leftOut === 0 ? "with a shortened description" : "with a shortened description or left out"
  const title = `${skills.shortened.length} of ${plural(skills.skills, "skill")} ${what}`
  const reason = `The listing needs ${formatExact(skills.needed)} ${skills.unit}; its budget is ${formatExact(skills.budget)}, ${skills.reason}.`
  const shown = skills.shortened
    .slice(0, MOST_LATER_SHOWN)
    .map((it) => [
      "     ",
      it.name,
      it.isLeftOut ? "not listed" : `${formatExact(it.lostCharacters)} characters`,
      paint.muted(from(manifest, it.path)),
    ])
  return [
    `${paint.warn(title)}`,
    `      ${reason}`,
    listing(["", "Skill", "Lost", "File"], shown, screen),
    ...andMore(skills.shortened.length, shown.length, paint),
  ].join("\n")
}

function renderNotCounted({ manifest }: Capture, screen: Screen): string {
  const { paint } = screen
  const unknown = manifest.start?.notCounted ?? []
  if (unknown.length === 0) return ""
  const rows = unknown.map((it) => ["     ", it.name, it.kind, paint.muted(it.reason)])
  const headings = ["", "Part", "Kind", "Reason"]
  return `${paint.bold("Not counted, size unknown")}\n${listing(headings, rows, screen)}`
}

/** At the end, where the reader looks for what to do. */
function renderAdvice(advice: readonly CaptureAdvice[], { paint }: Screen): string {
  if (advice.length === 0) return ""
  const tokens = advice.reduce((sum, it) => sum + it.tokens, 0)
  const places = plural(advice.length, "place")
  const title = `Suggested cuts: ${tokens === 0 ? places : `${plural(tokens, "token")} in ${places}`}`
  const rows = advice.map((item) => {
    const size = item.tokens === 0 ? "" : paint.muted(`  ${formatExact(item.tokens)} tokens`)
    return `  ${item.title}${size}\n      ${paint.muted(item.evidence)}\n      ${item.edit}`
  })
  return [paint.bold(title), ...rows].join("\n")
}

function renderLint(lint: CaptureLint, screen: Screen): string {
  const { paint } = screen
  const isOver = lint.tokens > lint.startBudget
  const size = `${formatExact(lint.tokens)} of ${plural(lint.startBudget, "token")} before the first prompt`
  const state = isOver ? paint.bad(`Over budget: ${size}`) : size
  if (lint.problems.length === 0) return isOver ? state : `${paint.ok("Nothing to cut.")} ${size}`
  return `${renderAdvice(lint.problems, screen)}\n\n${state}`
}

function renderNotes({ manifest }: Capture, { paint }: Screen): string {
  if (manifest.notes.length === 0) return ""
  const rows = manifest.notes.map((note) => {
    const line = note.line === undefined ? "" : `:${note.line}`
    const place = note.path === undefined ? "" : `  ${from(manifest, note.path)}${line}`
    return `      ${note.text}${paint.muted(place)}`
  })
  return [paint.warn("Notes"), ...rows].join("\n")
}

function renderText(text: Capture["texts"][number], { paint }: Screen): string {
  const body = [text.text, text.later].filter((it) => it !== "").join("\n")
  const cut = text.isCut ? `\n${paint.muted("(truncated)")}` : ""
  return `${paint.bold(`# ${text.path}`)}\n\n${text.withheld ?? body}${cut}\n---`
}

function renderFoot(capture: Capture, { paint }: Screen): string {
  const { manifest, previous, isNew, historyProblem } = capture
  const stored =
    historyProblem === null
      ? `Capture ${manifest.id}${isNew ? "" : ", unchanged since it was first stored"}.`
      : `Not stored in the history: ${historyProblem}`
  const compare =
    isNew && previous !== null && capture.diff === null
      ? ` Compare: qm capture diff ${previous.id} ${manifest.id}`
      : ""
  return paint.muted(`${stored}${compare}\n${manifest.disclaimer}`)
}

/** Relative to the captured folder, if inside. */
function from({ workingDirectory }: Capture["manifest"], file: string): string {
  const relative = path.relative(workingDirectory, file)
  const isInside = relative !== "" && !relative.startsWith("..") && workingDirectory !== "/"
  return visibleLine(isInside ? relative : file)
}

function andMore(all: number, shown: number, paint: Screen["paint"]): string[] {
  return all > shown ? [paint.muted(`      and ${all - shown} more; --json lists all`)] : []
}

/** Shortens the folder, never the file name. */
function shorten(label: string, most: number): string {
  if (label.length <= most) return label
  const name = path.basename(label)
  const room = most - name.length - 2
  return room <= 0 ? `…/${name}` : `${sliceText(label, room)}…/${name}`
}

function renderDiff(diff: CaptureDiff, screen: Screen): string {
  const { paint } = screen
  const sides = `${diff.from.id} (${timeText(diff.from.capturedAt)}) to ${diff.to.id}`
  if (diff.changes.length === 0) return `Nothing changed from ${sides}.`
  const total = `${formatExact(diff.tokensBefore)} to ${formatExact(diff.tokensAfter)} tokens`
  const title = `${paint.bold("Changes")} ${paint.muted(sides)}, ${total}`
  return [title, ...diff.changes.map((it) => renderChange(it, screen))].join("\n")
}

function renderChange(change: CaptureChange, { paint }: Screen): string {
  const marks = { added: "+", removed: "-", changed: "~", moved: ">" } as const
  const delta = change.tokensAfter - change.tokensBefore
  const tokens = `${delta >= 0 ? "+" : "-"}${formatExact(Math.abs(delta))} tokens`
  const lines =
    change.linesAdded === undefined
      ? ""
      : `, +${change.linesAdded} -${change.linesRemoved ?? 0} lines`
  const head = `  ${marks[change.change]} ${change.label}  ${change.change}, ${tokens}${lines}`
  const body = (change.lines ?? []).map((row) => {
    const line = `      ${row.sign} ${row.text}`
    if (row.sign === "+") return paint.ok(line)
    return row.sign === "-" ? paint.bad(line) : paint.muted(line)
  })
  return [head, ...body].join("\n")
}

function renderCaptureList({ captures }: CaptureList, screen: Screen): string {
  const { paint } = screen
  if (captures.length === 0) {
    return paint.muted("No capture is stored yet. Run `qm capture` in a project.")
  }
  return listing(
    ["Capture", "Last seen (UTC)", "Host", "Tokens", "Files", "Seen", "Last run", "Directory"],
    captures.map((it) => [
      it.id,
      timeText(it.lastSeenAt),
      it.host,
      `${formatExact(it.tokensInWindow)} tokens`,
      plural(it.files, "file"),
      paint.muted(it.times === 1 ? "once" : `${it.times} times`),
      it.lastRun ?? paint.muted("none"),
      it.workingDirectory,
    ]),
    screen,
  )
}

function renderCaptureText(text: CaptureText): string {
  if (text.withheld !== undefined) return text.withheld
  return [text.text, text.later].filter((it) => it !== "").join("\n")
}

const LAYER_HEADINGS = ["", "Layer", "State", "File", "Problem"]
const SERVER_HEADINGS = ["", "Server", "Scope", "Transport", "State", "Target"]

function renderSettings(report: CaptureSettings, screen: Screen): string {
  const { paint } = screen
  const layers = report.layers.map((it) => ["  ", it.layer, it.outcome, it.path, it.problem ?? ""])
  const settings = report.settings.flatMap((it) => [
    ["  ", it.key, it.value, paint.muted(it.layer)],
    ...it.hidden.map((hidden) => [
      "  ",
      "",
      paint.muted(`overrides ${hidden.value}`),
      paint.muted(hidden.layer),
    ]),
  ])
  const servers = report.mcpServers.map((it) => [
    "  ",
    it.name,
    it.scope,
    it.transport,
    it.state,
    paint.muted(it.target),
  ])
  return [
    `${paint.bold("Settings files, highest priority first")}\n${listing(LAYER_HEADINGS, layers, screen)}`,
    settingsSection(
      { title: "Settings", headings: ["", "Setting", "Value", "Layer"] },
      settings,
      screen,
    ),
    settingsSection({ title: "MCP servers", headings: SERVER_HEADINGS }, servers, screen),
  ].join("\n\n")
}

type SettingsTable = { readonly title: string; readonly headings: readonly string[] }

function settingsSection(
  { title, headings }: SettingsTable,
  rows: readonly string[][],
  screen: Screen,
): string {
  const { paint } = screen
  const body = rows.length === 0 ? paint.muted("  none") : listing(headings, rows, screen)
  return `${paint.bold(title)}\n${body}`
}

function renderObservation(capture: Capture, screen: Screen): string {
  const { paint } = screen
  const { observation, observationProblem } = capture
  if (observationProblem !== null) {
    const { code, text } = observationProblem
    const hint = code === "not-trusted" ? " Start the host there once, or add --trust." : ""
    return paint.warn(`${text}${hint}`)
  }
  if (observation === null) return ""
  const accuracy = `${(observation.accuracy * 100).toFixed(1)} %`
  const title = `${observation.agreed} of ${observation.compared} observed, accuracy ${accuracy}`
  const differences = observation.files
    .filter((it) => it.state !== "both" || it.sameText === false)
    .map((it) => ["     ", describeState(it.state), it.label, paint.muted(it.explanation ?? "")])
  const categories = observation.categories.map(
    (it) => `      ${formatExact(it.tokens).padStart(9)}  ${it.name}`,
  )
  return [
    `${paint.bold(title)} ${paint.muted(`(${sourceText(observation)})`)}`,
    ...(differences.length === 0
      ? []
      : [listing(["", "State", "File", "Reason"], differences, screen)]),
    ...(categories.length === 0
      ? []
      : [paint.muted("      Token counts reported by the host:"), ...categories]),
  ].join("\n")
}

function sourceText({ by, at, session }: Observation): string {
  switch (by) {
    case "host":
      return "reported by the host now"
    case "transcript":
      return `last session, ${timeText(at)}`
    case "wire":
      return `recorded by the gateway at ${timeText(at)}${session === undefined ? "" : `, session ${session}`}`
    default:
      return by satisfies never
  }
}

function describeState(state: string): string {
  if (state === "both") return "different text"
  return state === "observed-only" ? "observed only" : "estimated only"
}

export const captureRenderers: Renderers<typeof captureOperations> = {
  take: renderCapture,
  lint: {
    text: renderLint,
    isGood: ({ problems, tokens, startBudget }) => problems.length === 0 && tokens <= startBudget,
  },
  show: renderCapture,
  list: renderCaptureList,
  text: renderCaptureText,
  diff: renderDiff,
  settings: renderSettings,
}
