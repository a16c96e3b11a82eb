import { hash } from "node:crypto"

/** Claude Code starts a compacted conversation with it; Codex its local summaries. */
const SUMMARY_OPENINGS = [
  "This session is being continued from a previous conversation",
  "Another language model started to solve this problem and produced a summary",
]

export const SUMMARY_NAME = "compaction summary"

/** Codex also gets summaries from the provider, as items of their own type. */
export const SUMMARY_NAMES: ReadonlySet<string> = new Set([
  SUMMARY_NAME,
  "compaction",
  "compaction_summary",
  "context_compaction",
])

export function isSummary(text: string): boolean {
  return SUMMARY_OPENINGS.some((it) => text.startsWith(it))
}

/** Claude Code puts it in place of old results when it makes room without a summary. */
export const CLEARED_RESULT_SHA256 = hash("sha256", "[Old tool result content cleared]")
