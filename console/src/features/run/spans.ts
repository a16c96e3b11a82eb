import type { RunSpan } from "../../contract.ts"
import type { StripSpan } from "../../ui/strip/strip.tsx"

export function spansOf(spans: readonly RunSpan[]): readonly StripSpan[] {
  return spans.map(({ lane, kind, title, fromMs, toMs, seq }) => ({
    lane,
    look: lane === "waiting" ? "waiting" : (LOOKS[kind ?? ""] ?? "plain"),
    title,
    fromMs,
    toMs,
    seq,
  }))
}

const LOOKS: Readonly<Record<string, StripSpan["look"]>> = {
  read: "read",
  search: "search",
  fetch: "search",
  mcp: "search",
  edit: "edit",
  command: "command",
}
