import { join } from "node:path"
import { readJsonl } from "#ground/base"
import { digest } from "#know/ledger"
import type { HookEvent, Rule } from "../event.ts"
import { appendIn, markNotified } from "../notice-log.ts"

/** Percent of the context window at which the rule adds a line, once per session. */
const THRESHOLDS = [50, 70, 85] as const

/** Three lines of about 50 bytes for each change of model or compaction. */
const LARGEST_LOG_BYTES = 64 * 1024

/**
 * Tells the agent that its window fills up. Hook events do not have the figure, so it comes from the
 * status line; without a status line the rule is silent.
 */
export const windowRule: Rule = {
  name: "window",
  level: 3,
  kinds: ["prompt", "after-edit", "after-tool"],
  async judge(event, context) {
    const percent = await readWindow(event, context.stateDirectory)
    const reached = THRESHOLDS.findLast((it) => percent !== undefined && percent >= it)
    if (reached === undefined || event.agent !== undefined) return { kind: "silent" }
    if (!(await markNotified(["window", String(reached)], event, context)))
      return { kind: "silent" }
    return { kind: "context", text: TEXTS[reached] }
  },
}

const TEXTS: Readonly<Record<(typeof THRESHOLDS)[number], string>> = {
  50: "Your context window is half full. Use sub-agents or `branch` for work whose details you will not need.",
  70: "Your context window is 70 % full. Finish the current step; read only what it needs.",
  85: "Your context window is 85 % full and will be compacted soon. Write down decisions and open steps now.",
}

/** Claude Code 2.1.325 compacts when only this is free; measured with `get_context_usage`. */
const RESERVED_TOKENS = 33_000

/** The fill in tokens at which Claude Code compacts a conversation by itself. */
export function compactsAt(windowTokens: number): number {
  return Math.max(1, windowTokens - RESERVED_TOKENS)
}

type Environment = Readonly<Record<string, string | undefined>>

/** The part of its window that Claude Code fills before it compacts; users can make it smaller. */
export function compactWindow(windowTokens: number, environment: Environment): number {
  const named = Number(environment["CLAUDE_CODE_AUTO_COMPACT_WINDOW"])
  return Number.isSafeInteger(named) && named > 0 ? Math.min(named, windowTokens) : windowTokens
}

type NotedWindow = Pick<HookEvent, "at" | "session"> & { readonly percent: number }

/** Called by the status line. Writes only when a threshold is crossed, in either direction. */
export async function noteWindow(noted: NotedWindow, stateDirectory: string): Promise<void> {
  const { percent, at } = noted
  const before = await readWindow(noted, stateDirectory)
  if (bucketOf(percent) === bucketOf(before ?? 0)) return
  const { folder, file } = placeOf(stateDirectory, noted.session)
  await appendIn(folder, file, { percent: Math.round(percent), at })
}

const bucketOf = (percent: number): number => THRESHOLDS.filter((it) => percent >= it).length

async function readWindow(
  { session }: Pick<HookEvent, "session">,
  stateDirectory: string,
): Promise<number | undefined> {
  const { file } = placeOf(stateDirectory, session)
  const { records } = await readJsonl(file, { maxBytes: LARGEST_LOG_BYTES })
  const percent = records.at(-1)?.["percent"]
  return typeof percent === "number" ? percent : undefined
}

function placeOf(stateDirectory: string, session: string) {
  const folder = join(stateDirectory, "window")
  return { folder, file: join(folder, `${digest(session)}.jsonl`) }
}
