import { formatShown, visibleLine } from "../../base/format.ts"
import type { Status } from "../../base/status.ts"
import {
  formatExact,
  type GuardVerdicts,
  type HookName,
  plural,
  type VerdictKind,
  type VerdictLine,
} from "../../contract.ts"
import type { GuardParams } from "../../data/paths.ts"

export const RULES_IN_WORDS: Readonly<
  Record<HookName, { readonly level: number; readonly handlers: string }>
> = {
  boot: {
    level: 2,
    handlers:
      "At session start: reports the distance to upstream, the latest session, open claims and memories.",
  },
  track: {
    level: 2,
    handlers:
      "After an edit: adds it to the ledger of the session, renews its claims, and warns if another session claims the file.",
  },
  drift: {
    level: 2,
    handlers:
      "At stop: if two or more important files changed and the session is not registered, blocks the stop once and says what to register.",
  },
  concurrency: {
    level: 3,
    handlers:
      "Before an edit: warns if another live session or another program changed the file; denies the edit if an earlier live claim exists.",
  },
  secrets: {
    level: 2,
    handlers:
      "Before a read or a shell command: denies it if it would print a file of secrets, such as .env or a private key. An override of the file permits it.",
  },
  budget: {
    level: 3,
    handlers:
      "Before a tool, if `sessions.stopAtBudget` is on: denies it while the spending limit of the day or the week is reached. An override of the repository permits it.",
  },
  window: {
    level: 3,
    handlers:
      "After an edit or with a prompt: tells the agent once that its context window is 50, 70 or 85 % full, as the status line reports.",
  },
  risk: {
    level: 5,
    handlers:
      "Before an edit of a high-risk path: denies it unless a simulation of the last four hours or an override covers it.",
  },
  guideline: {
    level: 5,
    handlers:
      "Before a tool: applies .qm/guidelines.json. A tool restriction denies, a gate asks the user, telemetry is logged.",
  },
  prompt: {
    level: 5,
    handlers: "At a prompt of four words or more: adds a package selected from the prompt.",
  },
  compaction: {
    level: 2,
    handlers:
      "Before and after a compaction: names the plan, the open branch, claims, decisions, files and last prompts, so that the summary keeps them.",
  },
  results: {
    level: 4,
    handlers:
      "After a tool other than a file read: replaces an output over `guard.largeResultKb` by its first and last lines and a handle.",
  },
  pitfall: {
    level: 5,
    handlers: "Before an edit: shows known pitfalls of the file, at most once a day.",
  },
  package: {
    level: 4,
    handlers: "At sub-agent start: adds a package selected from the prompt of the sub-agent.",
  },
  loaded: {
    level: 2,
    handlers: "Records which instructions the host reports as loaded.",
  },
}

type VerdictLook = {
  readonly label: string
  readonly tone: "2" | "3" | "warn" | "bad" | "accent"
  readonly mark: Status
  readonly means: string
}

export const VERDICT_LOOKS: Readonly<Record<VerdictKind, VerdictLook>> = {
  silent: {
    label: "Silent",
    tone: "3",
    mark: "cancelled",
    means: "no message; the agent continued",
  },
  context: { label: "Context", tone: "2", mark: "done", means: "context was added for the agent" },
  warn: { label: "Warned", tone: "warn", mark: "warned", means: "the agent continued" },
  ask: { label: "Asked", tone: "warn", mark: "queued", means: "the host asked the user first" },
  deny: { label: "Denied", tone: "bad", mark: "failed", means: "the edit was not made" },
  block: { label: "Blocked", tone: "bad", mark: "paused", means: "the stop was blocked once" },
  override: {
    label: "Override",
    tone: "accent",
    mark: "waiting",
    means: "it would have been denied, but an override allowed it",
  },
}

const EVENTS: Readonly<Record<string, string>> = {
  "session-start": "session starts",
  "before-edit": "before an edit",
  "after-edit": "after an edit",
  "after-tool": "after a tool",
  "before-agent": "before a sub-agent",
  "agent-start": "sub-agent starts",
  stop: "session stops",
  loaded: "instructions loaded",
}

export function describeEvent(event: string): string {
  return EVENTS[event] ?? visibleLine(event)
}

export function describeVerdict({ verdict, rule }: VerdictLine): string {
  const { label } = VERDICT_LOOKS[verdict]
  return rule === null ? label : `${label} by ${rule}`
}

export function describeMorePaths(paths: readonly string[]): string {
  return paths.length < 2 ? "" : `and ${formatExact(paths.length - 1)} more`
}

const HOURS: Readonly<Record<GuardParams["hours"], string>> = {
  1: "1 hour",
  24: "24 hours",
  168: "7 days",
  720: "30 days",
}

export function formatHours(hours: GuardParams["hours"]): string {
  return HOURS[hours]
}

export function describeCounts(
  counts: GuardVerdicts["counts"],
  hours: GuardParams["hours"],
  shown = totalOf(counts),
): string {
  const all = totalOf(counts)
  if (shown < all) return `${formatShown({ shown, all }, "verdict")} in ${formatHours(hours)}`
  const refused = [
    [counts.deny, "denied"],
    [counts.block, "blocked"],
  ] as const
  const parts = refused.flatMap(([count, label]) =>
    count === 0 ? [] : [`${formatExact(count)} ${label}`],
  )
  return [`${plural(all, "verdict")} in ${formatHours(hours)}`, ...parts].join(", ")
}

export function totalOf(counts: GuardVerdicts["counts"]): number {
  return Object.values(counts).reduce((sum, it) => sum + it, 0)
}

const PLAIN = /^[\w@%+=:,./-]+$/

/**
 * Quoted for a shell; undefined if a name has a control character, because it must not be pasted.
 */
export function pathsForShell(paths: readonly string[]): string | undefined {
  if (paths.some((it) => visibleLine(it) !== it)) return undefined
  return paths.map((it) => quote(it.startsWith("-") ? `./${it}` : it)).join(" ")
}

function quote(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
