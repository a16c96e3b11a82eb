import { formatExact, plural } from "#ground/base"
import {
  type CaptureHosts,
  type CaptureList,
  type CaptureSettings,
  type CaptureText,
} from "#ground/contract"
import { type Screen, table } from "../screen.ts"
import { sayTime } from "./capture-observed.ts"

export function renderCaptureList({ captures }: CaptureList, { paint }: Screen): string {
  if (captures.length === 0) {
    return paint.muted("Nothing was captured yet. Run qm capture in a project.")
  }
  return table(
    captures.map((it) => [
      it.id,
      sayTime(it.lastSeenAt),
      it.host,
      `${formatExact(it.tokensInWindow)} tokens`,
      plural(it.files, "file"),
      paint.muted(it.times === 1 ? "once" : `${it.times} times`),
      it.workingDirectory,
    ]),
  )
}

export function renderCaptureText(text: CaptureText): string {
  if (text.withheld !== undefined) return text.withheld
  return [text.text, text.later].filter((it) => it !== "").join("\n")
}

export function renderHosts({ hosts }: CaptureHosts, { paint }: Screen): string {
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

export function renderSettings(report: CaptureSettings, { paint }: Screen): string {
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
    section("In force", settings, paint),
    section("MCP servers", servers, paint),
  ].join("\n\n")
}

function section(title: string, rows: readonly string[][], paint: Screen["paint"]): string {
  return `${paint.bold(title)}\n${rows.length === 0 ? paint.muted("  none") : table(rows)}`
}
