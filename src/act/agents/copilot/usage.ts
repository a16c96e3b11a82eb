import { tmpdir } from "node:os"
import { join } from "node:path"
import { readTextBounded, removeFile } from "#ground/base"
import type { Telling } from "../wire/telling.ts"
import { parseRecord } from "../wire/text.ts"
import { UsageFile } from "./shapes.ts"

/** The file is a few kB; it names the models that were asked. */
const LARGEST_USAGE_BYTES = 1024 * 1024

/** The host writes its tokens only into a file, so each turn has one of its own for a moment. */
export function usageFileFor(environment: Readonly<Record<string, string>>, name: string): string {
  return join(environment["TMPDIR"] ?? tmpdir(), `qm-usage-${name}.json`)
}

/** Tells what one turn used, and takes the file away. */
export async function tellUsage(telling: Telling, file: string): Promise<void> {
  try {
    const read = await readTextBounded(file, { maxBytes: LARGEST_USAGE_BYTES })
    const usage = UsageFile.safeParse(read.kind === "read" ? parseRecord(read.text) : undefined)
    await removeFile(file)
    if (!usage.success) return
    for (const [model, metrics] of Object.entries(usage.data.modelMetrics)) {
      const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = metrics.usage
      const cached = cacheReadTokens + cacheWriteTokens
      const input = Math.max(0, inputTokens - cached)
      const tokens = { cacheRead: cacheReadTokens, cacheWrite: cacheWriteTokens }
      telling.say({
        event: "cost",
        model,
        usage: { input, output: outputTokens, ...tokens },
        isTotal: false,
      })
    }
  } catch {
    // Without the file the turn is told without its tokens.
  }
}
