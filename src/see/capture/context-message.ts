import type { Capture, Message } from "#ground/contract"

/**
 * The message that follows an agent's first message: every file found with its text, redacted, and
 * the numbers as JSON.
 */
export function contextMessage(
  capture: Capture,
): Pick<Message, "type" | "role" | "content" | "metadata" | "raw"> {
  const { manifest, texts, budget } = capture
  const { workingDirectory, capturedAt, disclaimer, items, searched, totals } = manifest
  const content = texts.map(({ path, text, later, withheld }) => {
    const body = withheld ?? [text, later].filter((it) => it !== "").join("\n")
    return `# ${path}\n\n${body}\n---`
  })
  return {
    type: "context",
    role: "system",
    content: content.length === 0 ? "(No context files found)" : content.join("\n"),
    metadata: {
      contextFileCount: items.length,
      workingDirectory,
      tokens: budget.tokens,
      window: budget.window,
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
