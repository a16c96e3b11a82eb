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
import { timeText } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

/** Missing paths that are listed; a person wants to see the pattern, `--json` has them all. */
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
  const figure = `${paint.bold(formatExact(tokensInWindow))} tokens in the window before the first word`
  const later = `${formatCount(tokensOnDemand)} more on demand`
  return [
    paint.muted(`${manifest.host}${version} in ${manifest.workingDirectory}`),
    "",
    `${figure}, ${share}, ${later}`,
    renderBar(budget.kinds, budget.startBudget, screen),
  ].join("\n")
}

function renderLoads(capture: Capture, { paint, width }: Screen): string {
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
  return `${paint.bold("In the window, in load order")}\n${table(lines)}`
}

function renderNothing({ manifest }: Capture, paint: Screen["paint"]): string {
  const places = new Set(manifest.searched.map((it) => path.dirname(it.path)))
  return [
    paint.bold("Nothing is loaded before the first word."),
    `${plural(manifest.searched.length, "path")} in ${plural(places.size, "folder")} were looked at.`,
    manifest.workingDirectory === "/"
      ? "This is the root of the disk, where no host looks; stand in a project."
      : `To give the agent instructions here, write ${FIRST_FILE[manifest.host] ?? "a file"}.`,
  ].join("\n")
}

/** The file with which people begin. */
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

/** Listings of one folder are one row: nobody reads forty names of skills at the start. */
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

/** The folder named like the source: .claude/skills/ for all that lies in it. */
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

function renderLater({ manifest }: Capture, { paint, width }: Screen): string {
  const later = manifest.items.filter((it) => it.tokensOnDemand > 0)
  if (later.length === 0) return ""
  const biggest = later.toSorted((a, b) => b.tokensOnDemand - a.tokensOnDemand)
  const rows = biggest
    .slice(0, MOST_LATER_SHOWN)
    .map((it) => [
      "   ",
      " ",
      shorten(it.label, Math.floor(width * 0.42)),
      formatExact(it.tokensOnDemand).padStart(7),
      it.load === "name-only" ? "on-demand" : it.load,
      paint.muted(it.load === "name-only" ? "Its body, when it is used" : it.reason),
    ])
  const tokens = plural(manifest.totals.tokensOnDemand, "token")
  const title = `Reachable on demand, ${tokens}, not in the window`
  return [paint.bold(title), table(rows), ...andMore(later.length, MOST_LATER_SHOWN, paint)].join(
    "\n",
  )
}

function renderSettingsFiles({ manifest }: Capture, { paint }: Screen): string {
  const files = manifest.items.filter((it) => it.load === "config-only")
  if (files.length === 0) return ""
  const names = files.map((it) => `      ${it.label}  ${paint.muted(it.reason)}`)
  return [paint.bold("Read for settings, never sent"), ...names].join("\n")
}

function renderNotThere({ manifest }: Capture, { paint }: Screen): string {
  const absent = manifest.searched.filter((it) => it.outcome !== "found")
  if (absent.length === 0) return ""
  const odd = absent.filter((it) => it.outcome !== "missing")
  const shown = [...odd, ...absent.filter((it) => it.outcome === "missing")]
    .slice(0, Math.max(MOST_MISSING_SHOWN, odd.length))
    .map((it) => ["     ", it.outcome, from(manifest, it.path), paint.muted(it.detail ?? "")])
  const found = manifest.searched.length - absent.length
  const title = `Searched, nothing there: ${found} of ${plural(manifest.searched.length, "path")} found`
  return [paint.bold(title), table(shown), ...andMore(absent.length, shown.length, paint)].join(
    "\n",
  )
}

function renderDuplicates({ budget }: Capture, { paint }: Screen): string {
  if (budget.duplicates.length === 0) return ""
  const rows = budget.duplicates.map((it) => [
    "     ",
    `${formatExact(it.tokens)} tokens`,
    `${Math.round(it.likeness * 100)} % alike`,
    it.labels.join(", "),
    paint.muted(`"${it.excerpt}"`),
  ])
  return `${paint.bold("Said more than once")}\n${table(rows)}`
}

function renderNotes({ manifest }: Capture, { paint }: Screen): string {
  if (manifest.notes.length === 0) return ""
  const rows = manifest.notes.map((it) => {
    const line = it.line === undefined ? "" : `:${it.line}`
    const place = it.path === undefined ? "" : `  ${from(manifest, it.path)}${line}`
    return `      ${it.text}${paint.muted(place)}`
  })
  return [paint.warn("To know"), ...rows].join("\n")
}

function renderText(text: Capture["texts"][number], { paint }: Screen): string {
  const body = [text.text, text.later].filter((it) => it !== "").join("\n")
  const cut = text.isCut ? `\n${paint.muted("(the rest is left out: it is very long)")}` : ""
  return `${paint.bold(`# ${text.path}`)}\n\n${text.withheld ?? body}${cut}\n---`
}

function renderFoot(capture: Capture, { paint }: Screen): string {
  const { manifest, previous, isNew, historyProblem } = capture
  const kept =
    historyProblem === null
      ? `Capture ${manifest.id}${isNew ? "" : ", unchanged since it was first seen"}.`
      : `Not kept in the history: ${historyProblem}`
  const compare =
    isNew && previous !== null && capture.diff === null
      ? ` Compare: qm capture diff ${previous.id} ${manifest.id}`
      : ""
  return paint.muted(`${kept}${compare}\n${manifest.disclaimer}`)
}

/** A path as seen from the captured folder. */
function from({ workingDirectory }: Capture["manifest"], file: string): string {
  const relative = path.relative(workingDirectory, file)
  const isInside = relative !== "" && !relative.startsWith("..") && workingDirectory !== "/"
  return visibleLine(isInside ? relative : file)
}

function andMore(all: number, shown: number, paint: Screen["paint"]): string[] {
  return all > shown ? [paint.muted(`      and ${all - shown} more; --json lists them all`)] : []
}

/** The folder is cut, never the name. */
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
  const changeMarks = { added: "+", removed: "-", changed: "~", moved: ">" } as const
  const delta = change.tokensAfter - change.tokensBefore
  const tokens = `${delta >= 0 ? "+" : "-"}${formatExact(Math.abs(delta))} tokens`
  const lines =
    change.linesAdded === undefined
      ? ""
      : `, +${change.linesAdded} -${change.linesRemoved ?? 0} lines`
  const head = `  ${changeMarks[change.change]} ${change.label}  ${change.change}, ${tokens}${lines}`
  const body = (change.lines ?? []).map((it) => {
    const line = `      ${it.sign} ${it.text}`
    if (it.sign === "+") return paint.ok(line)
    return it.sign === "-" ? paint.bad(line) : paint.muted(line)
  })
  return [head, ...body].join("\n")
}

function renderCaptureList({ captures }: CaptureList, { paint }: Screen): string {
  if (captures.length === 0) {
    return paint.muted("Nothing was captured yet. Run qm capture in a project.")
  }
  return table(
    captures.map((it) => [
      it.id,
      timeText(it.lastSeenAt),
      it.host,
      `${formatExact(it.tokensInWindow)} tokens`,
      plural(it.files, "file"),
      paint.muted(it.times === 1 ? "once" : `${it.times} times`),
      it.workingDirectory,
    ]),
  )
}

function renderCaptureText(text: CaptureText): string {
  if (text.withheld !== undefined) return text.withheld
  return [text.text, text.later].filter((it) => it !== "").join("\n")
}

function renderHosts({ hosts }: CaptureHosts, { paint }: Screen): string {
  return table(
    hosts.map((it) => [
      it.name,
      it.title,
      it.program === null ? paint.muted("not found here") : (it.installed ?? "version not known"),
      paint.muted(it.isVerified ? `seen on ${it.factsVersion}` : "from documents, not verified"),
      paint.muted(it.program ?? ""),
    ]),
  )
}

function renderSettings(report: CaptureSettings, { paint }: Screen): string {
  const layers = report.layers.map((it) => ["  ", it.layer, it.outcome, it.path, it.problem ?? ""])
  const settings = report.settings.flatMap((it) => [
    ["  ", it.key, it.value, paint.muted(it.layer)],
    ...it.hidden.map((hidden) => [
      "  ",
      "",
      paint.muted(`hides ${hidden.value}`),
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
    `${paint.bold("Layers, the strongest first")}\n${table(layers)}`,
    settingsSection("In force", settings, paint),
    settingsSection("MCP servers", servers, paint),
  ].join("\n\n")
}

function settingsSection(title: string, rows: readonly string[][], paint: Screen["paint"]): string {
  return `${paint.bold(title)}\n${rows.length === 0 ? paint.muted("  none") : table(rows)}`
}

function renderObservation(capture: Capture, { paint }: Screen): string {
  const { observation, observationProblem } = capture
  if (observationProblem !== null) {
    const { code, text } = observationProblem
    const hint = code === "not-trusted" ? " Start it there once, or add --trust." : ""
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
    ...(differences.length === 0 ? [] : [table(differences)]),
    ...(categories.length === 0
      ? []
      : [paint.muted("      The host's own account:"), ...categories]),
  ].join("\n")
}

function sourceText({ by, at, session }: Observation): string {
  switch (by) {
    case "host":
      return "asked just now"
    case "transcript":
      return `last session, ${timeText(at)}`
    case "wire":
      return `seen on the wire by the gateway at ${timeText(at)}${session === undefined ? "" : `, session ${session}`}`
    default:
      return by satisfies never
  }
}

function describeState(state: string): string {
  if (state === "both") return "other text"
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
