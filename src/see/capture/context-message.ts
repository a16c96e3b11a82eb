import type { Capture, ManifestItem, Message } from "#ground/contract"
import { START_SOURCE } from "./start/start.ts"

/**
 * The message that follows an agent's first message: every file found with its text, redacted, and
 * the numbers as JSON. `metadata.inWindow` lists what the host sends, and `metadata.capture` is the
 * stored capture.
 */
export function contextMessage(
  capture: Capture,
): Pick<Message, "type" | "role" | "content" | "metadata" | "raw"> {
  const { manifest, texts, budget } = capture
  const { workingDirectory, capturedAt, disclaimer, searched, totals } = manifest
  const items = manifest.items.filter((it) => it.source !== START_SOURCE)
  const content = texts.map(({ path, text, later, withheld }) => {
    const body = withheld ?? [text, later].filter((it) => it !== "").join("\n")
    return `# ${path}\n\n${body}\n---`
  })
  return {
    type: "context",
    role: "system",
    content: content.length === 0 ? "(No context files found)" : content.join("\n"),
    metadata: {
      ...(capture.historyProblem === null ? { capture: manifest.id } : {}),
      disclaimer,
      inWindow: items.filter((it) => it.tokens > 0).map(windowItem),
      contextFileCount: items.length,
      workingDirectory,
      tokens: budget.tokens,
      window: budget.window,
      startBudget: budget.startBudget,
      kinds: budget.kinds,
    },
    raw: JSON.stringify({
      type: "context_estimation",
      workingDirectory,
      capturedAt: new Date(capturedAt).toISOString(),
      disclaimer,
      files: items.map((it) => ({
        path: it.path,
        source: it.source,
        modifiedAt: new Date(it.modifiedAt).toISOString(),
        sizeBytes: it.bytes,
        sha256Hash: it.sha256,
      })),
      totalFiles: items.length,
      totalSizeBytes: totals.bytes,
      searched,
    }),
  }
}

function windowItem({ path, label, kind, tokens, reason }: ManifestItem) {
  return { path, label, kind, tokens, reason }
}
