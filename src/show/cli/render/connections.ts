import { formatDuration, formatUsd } from "#ground/base"
import type { ConnectionTest, connectionOperations, ModelConnections } from "#ground/contract"
import type { Screen } from "../terminal/screen.ts"
import { listing, rowText } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

function renderConnections({ connections }: ModelConnections, screen: Screen): string {
  const { paint } = screen
  if (connections.length === 0) {
    return paint.muted(
      "No connections. Add one, such as `qm connection add fast --provider anthropic --model claude-haiku-4-5`.",
    )
  }
  const rows = connections.map((it) => [
    it.name,
    it.provider,
    rowText(it.model),
    it.hasKey ? paint.ok("set") : paint.warn("missing"),
    paint.muted(rowText(it.baseUrl === "" ? "the provider's own" : it.baseUrl)),
  ])
  const [open] = connections.filter((it) => !it.hasKey)
  return [
    listing(["Connection", "Provider", "Model", "Key", "Address"], rows, screen),
    ...(open === undefined
      ? []
      : ["", paint.muted(`Set a key with \`qm credential set ${open.credential}\`.`)]),
  ].join("\n")
}

function renderTest({ name, model, durationMs, usd }: ConnectionTest): string {
  const cost = usd === null ? "" : `, ${formatUsd(usd)}`
  return `${name} answered as ${rowText(model)} in ${formatDuration(durationMs)}${cost}.`
}

export const connectionRenderers: Renderers<typeof connectionOperations> = {
  add: renderConnections,
  list: renderConnections,
  remove: renderConnections,
  test: renderTest,
}
