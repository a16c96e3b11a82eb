import { formatBytes, formatExact } from "#ground/base"
import { type TokenCount } from "#ground/contract"
import { renderBar } from "../bar.ts"
import { type Screen, table } from "../screen.ts"

export function renderTokens(count: TokenCount, screen: Screen): string {
  const { paint } = screen
  const { files, total, budget } = count
  const rows = [
    ...files.map((it) => ({ ...it, name: it.path ?? "text" })),
    { ...total, name: "total" },
  ]
  const widest = Math.max(...rows.map((it) => formatExact(it.tokens).length))
  const lines = rows.map((it) => [
    `${formatExact(it.tokens).padStart(widest)} tokens`,
    formatBytes(it.bytes),
    saySharePart(it.share),
    it.name,
  ])
  const shown = files.length === 1 ? lines.slice(0, 1) : lines
  const bar = renderBar([{ kind: "files", tokens: total.tokens }], budget, screen)
  return [table(shown), "", bar, "", paint.muted(count.meaning)].join("\n")
}

function saySharePart(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
