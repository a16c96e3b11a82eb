import type { ContextPack, PackFormat } from "#ground/contract"
import { renderMarkdown } from "./markdown.ts"
import { renderSummary, type SummaryLimits } from "./summary.ts"
import { renderXml } from "./xml.ts"

/** A package in the format asked for. The same package gives the same bytes, whenever it was built. */
export function renderPack(pack: ContextPack, format: PackFormat, limits: SummaryLimits): string {
  switch (format) {
    case "summary":
      return renderSummary(pack, limits)
    case "markdown":
      return renderMarkdown(pack)
    case "xml":
      return renderXml(pack)
    case "json":
      return renderJson(pack)
  }
}

/** Without what differs from one build to the next: id, time, session. */
function renderJson(pack: ContextPack): string {
  const { id: _id, builtAt: _builtAt, session: _session, state, ...rest } = pack
  const { scannedAt: _scannedAt, ...known } = state
  return `${JSON.stringify({ ...rest, state: known }, undefined, 2)}\n`
}
