import type { AgentEvent } from "#ground/contract"
import { CONTEXT_WARNING_SHARES } from "../../limits.ts"

type ContextUsage = Extract<AgentEvent, { event: "context.usage" }>

/** Says once at each mark that the window is nearly full; after a compaction it may say so again. */
export function createMeter() {
  let told = 0
  return {
    take({ used, window }: ContextUsage): string | undefined {
      const share = used / window
      const mark = CONTEXT_WARNING_SHARES.findLast((it) => share >= it) ?? 0
      const isNews = mark > told
      told = mark
      if (!isNews) return undefined
      return `The window is ${Math.floor(share * 100)} % full; hand the work off to a fresh session before the host compacts`
    },
  }
}
