import { formatExact } from "#ground/base"
import { type CaptureChange, type CaptureDiff } from "#ground/contract"
import type { Screen } from "../screen.ts"
import { sayTime } from "./capture-observed.ts"

export function renderDiff(diff: CaptureDiff, screen: Screen): string {
  const { paint } = screen
  const sides = `${diff.from.id} (${sayTime(diff.from.capturedAt)}) to ${diff.to.id}`
  if (diff.changes.length === 0) return `Nothing changed from ${sides}.`
  const total = `${formatExact(diff.tokensBefore)} to ${formatExact(diff.tokensAfter)} tokens`
  const title = `${paint.bold("Changes")} ${paint.muted(sides)}, ${total}`
  return [title, ...diff.changes.map((it) => renderChange(it, screen))].join("\n")
}

function renderChange(change: CaptureChange, { paint }: Screen): string {
  const signs = { added: "+", removed: "-", changed: "~", moved: ">" } as const
  const delta = change.tokensAfter - change.tokensBefore
  const tokens = `${delta >= 0 ? "+" : "-"}${formatExact(Math.abs(delta))} tokens`
  const lines =
    change.linesAdded === undefined
      ? ""
      : `, +${change.linesAdded} -${change.linesRemoved ?? 0} lines`
  const head = `  ${signs[change.change]} ${change.label}  ${change.change}, ${tokens}${lines}`
  const body = (change.lines ?? []).map((it) => {
    const line = `      ${it.sign} ${it.text}`
    if (it.sign === "+") return paint.ok(line)
    return it.sign === "-" ? paint.bad(line) : paint.muted(line)
  })
  return [head, ...body].join("\n")
}
