import path from "node:path"
import { formatCount, formatExact, plural, visibleLine } from "#ground/base"
import type {
  Capture,
  CaptureChange,
  CaptureDiff,
  CaptureHosts,
  CaptureList,
  CaptureSettings,
  CaptureText,
  captureOperations,
  ManifestItem,
  Observation,
} from "#ground/contract"
import { table } from "../layout.ts"
import type { Screen } from "../screen.ts"
import { BLOCKS, renderBar } from "./bar.ts"
import { listing, rowLimit, timeText } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

const MOST_MISSING_SHOWN = 8
const MOST_LATER_SHOWN = 12

function renderCapture(capture: Capture, screen: Screen): string {
  const sections = [
    renderHead(capture, screen),
    renderLoads(capture, screen),
    renderLater(capture, screen),
    renderSettingsFiles(capture, screen),
    renderNotThere(capture, screen),
    renderDuplicates(capture, screen),
    renderNotes(capture, screen),
    renderObservation(capture, screen),
    ...capture.texts.map((it) => renderText(it, screen)),
    capture.diff === null ? "" : renderDiff(capture.diff, screen),
    renderFoot(capture, screen),
  ]
  return sections.filter((it) => it !== "").join("\n\n")
}

function renderHead({ manifest, budget }: Capture, screen: Screen): string {
  const { paint } = screen
  const { tokensInWindow, tokensOnDemand } = manifest.totals
  const version = manifest.hostVersion === undefined ? "" : ` ${manifest.hostVersion}`
  const share = `${(budget.share * 100).toFixed(1)} % of ${formatCount(budget.window)}`
  const figure = `${paint.bold(formatExact(tokensInWindow))} tokens loaded before the first prompt`
  const later = `${formatCount(tokensOnDemand)} more on demand`
  return [
    paint.muted(`${manifest.host}${version} in ${manifest.workingDirectory}`),
    "",
    `${figure}, ${share}, ${later}`,
    renderBar(budget.kinds, budget.startBudget, screen),
  ].join("\n")
}

function renderLoads(capture: Capture, screen: Screen): string {
  const { paint, width } = screen
  const rows = groupListings(capture.manifest.items.filter((it) => it.tokens > 0))
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
  return `${paint.bold("Loaded, in load order")}\n${listing(headings, lines, screen)}`
}

function renderNothing({ manifest }: Capture, paint: Screen["paint"]): string {
  const places = new Set(manifest.searched.map((it) => path.dirname(it.path)))
  return [
    paint.bold("Nothing is loaded before the first prompt."),
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
    const known = group === undefined ? undefined : rows[group.row]
    if (group === undefined || known === undefined) {
      rowByGroup.set(label, { row: rows.length, count: 1 })
      const one = item.source.replace(/s$/, "")
      rows.push({ ...item, label, reason: `Description of 1 ${one}`, depth: 0 })
      continue
    }
    group.count++
    const reason = `Descriptions of ${group.count} ${item.source}`
    rows[group.row] = { ...known, tokens: known.tokens + item.tokens, reason }
  }
  return rows
}

/** The folder named like the source, such as .claude/skills/. */
function listingFolder({ label, source }: ManifestItem): string {
  const end = label.lastIndexOf(`/${source}/`)
  return end === -1 ? `${path.dirname(label)}/` : label.slice(0, end + source.length + 2)
}

function seenMarks({ observation }: Capture): ReadonlyMap<string, string> {
  const marks = (observation?.files ?? []).map((it) => {
    const isSeen = it.state === "both" && it.sameText !== false
    return [it.path, isSeen ? "seen" : "est."] as const
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
      it.load === "name-only" ? "on-demand" : it.load,
      paint.muted(it.load === "name-only" ? "Full text, when used" : it.reason),
    ])
  const tokens = plural(manifest.totals.tokensOnDemand, "token")
  const title = `Loaded on demand: ${tokens}`
  return [
    paint.bold(title),
    table(rows, { width }),
    ...andMore(later.length, rows.length, paint),
  ].join("\n")
}

function renderSettingsFiles({ manifest }: Capture, { paint }: Screen): string {
  const files = manifest.items.filter((it) => it.load === "config-only")
  if (files.length === 0) return ""
  const names = files.map((it) => `      ${it.label}  ${paint.muted(it.reason)}`)
  return [paint.bold("Settings files, not sent to the model"), ...names].join("\n")
}

function renderNotThere({ manifest }: Capture, { paint, width }: Screen): string {
  const absent = manifest.searched.filter((it) => it.outcome !== "found")
  if (absent.length === 0) return ""
  const odd = absent.filter((it) => it.outcome !== "missing")
  const shown = [...odd, ...absent.filter((it) => it.outcome === "missing")]
    .slice(0, Math.max(MOST_MISSING_SHOWN, odd.length))
    .map((it) => ["     ", it.outcome, from(manifest, it.path), paint.muted(it.detail ?? "")])
  const found = manifest.searched.length - absent.length
  const title = `Searched: ${found} of ${plural(manifest.searched.length, "path")} found`
  return [
    paint.bold(title),
    table(shown, { width }),
    ...andMore(absent.length, shown.length, paint),
  ].join("\n")
}

function renderDuplicates({ budget }: Capture, { paint, width }: Screen): string {
  if (budget.duplicates.length === 0) return ""
  const rows = budget.duplicates.map((it) => [
    "     ",
    `${formatExact(it.tokens)} tokens`,
    `${Math.round(it.likeness * 100)} % similar`,
    it.labels.join(", "),
    paint.muted(`"${it.excerpt}"`),
  ])
  return `${paint.bold("Duplicated text")}\n${table(rows, { width })}`
}

function renderNotes({ manifest }: Capture, { paint }: Screen): string {
  if (manifest.notes.length === 0) return ""
  const rows = manifest.notes.map((it) => {
    const line = it.line === undefined ? "" : `:${it.line}`
    const place = it.path === undefined ? "" : `  ${from(manifest, it.path)}${line}`
    return `      ${it.text}${paint.muted(place)}`
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
  return room <= 0 ? `…/${name}` : `${label.slice(0, room)}…/${name}`
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
  const body = (change.lines ?? []).map((it) => {
    const line = `      ${it.sign} ${it.text}`
    if (it.sign === "+") return paint.ok(line)
    return it.sign === "-" ? paint.bad(line) : paint.muted(line)
  })
  return [head, ...body].join("\n")
}

function renderCaptureList({ captures }: CaptureList, screen: Screen): string {
  const { paint } = screen
  if (captures.length === 0) {
    return paint.muted("No capture is stored yet. Run `qm capture` in a project.")
  }
  return listing(
    ["Capture", "Last seen (UTC)", "Host", "Tokens", "Files", "Seen", "Directory"],
    captures.map((it) => [
      it.id,
      timeText(it.lastSeenAt),
      it.host,
      `${formatExact(it.tokensInWindow)} tokens`,
      plural(it.files, "file"),
      paint.muted(it.times === 1 ? "once" : `${it.times} times`),
      it.workingDirectory,
    ]),
    screen,
  )
}

function renderCaptureText(text: CaptureText): string {
  if (text.withheld !== undefined) return text.withheld
  return [text.text, text.later].filter((it) => it !== "").join("\n")
}

function renderHosts({ hosts }: CaptureHosts, screen: Screen): string {
  const { paint } = screen
  return listing(
    ["Host", "Name", "Version", "Rules from", "Program"],
    hosts.map((it) => [
      it.name,
      it.title,
      it.program === null ? paint.muted("not installed") : (it.installed ?? "unknown version"),
      paint.muted(it.isVerified ? `tests with ${it.factsVersion}` : "its documentation"),
      paint.muted(it.program ?? ""),
    ]),
    screen,
  )
}

function renderSettings(report: CaptureSettings, screen: Screen): string {
  const { paint, width } = screen
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
    `${paint.bold("Settings files, highest priority first")}\n${table(layers, { width })}`,
    settingsSection("Settings", settings, screen),
    settingsSection("MCP servers", servers, screen),
  ].join("\n\n")
}

function settingsSection(title: string, rows: readonly string[][], screen: Screen): string {
  const { paint } = screen
  return `${paint.bold(title)}\n${rows.length === 0 ? paint.muted("  none") : table(rows, screen)}`
}

function renderObservation(capture: Capture, { paint, width }: Screen): string {
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
    ...(differences.length === 0 ? [] : [table(differences, { width })]),
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
  show: renderCapture,
  list: renderCaptureList,
  text: renderCaptureText,
  diff: renderDiff,
  settings: renderSettings,
  hosts: renderHosts,
}
