import { formatDuration, formatExact, plural, sliceText } from "#ground/base"
import type { CacheCause, CacheReport, TokenUsage, WireItem, WireKind } from "#ground/contract"
import { CLEARED_RESULT_SHA256, SUMMARY_NAMES } from "../read/compaction.ts"
import {
  type CachedRequest,
  type Comparison,
  type NewRequest,
  type Section,
  scaleOf,
  sumTokens,
} from "./compare-requests.ts"

/** Providers cache no shorter prompts, and counts of two requests differ by less. */
export const SMALLEST_LOSS_TOKENS = 1_024

/** Our counter is off by a few percent. */
export const COUNT_ERROR = 0.03

const MINUTE_MS = 60_000

/** OpenAI and Gemini keep entries for 5 to 60 minutes and promise neither. */
const AUTOMATIC_LIFETIMES_MS = { shortest: 5 * MINUTE_MS, longest: 60 * MINUTE_MS }

const LONGEST_DETAIL_UNITS = 300

export type MissInput = {
  readonly comparison: Comparison
  readonly before: CachedRequest
  readonly now: NewRequest
  readonly usage: TokenUsage
  readonly expectedTokens: number
}

type NamedCause = Pick<CacheReport, "also" | "cause" | "detail" | "isCertain">
type Candidate = {
  readonly cause: CacheCause
  readonly detail: string
  readonly isCertain: boolean
}

/**
 * The first cause in the order in which the provider would meet them. It is certain only if the
 * usage agrees: a change late in the messages does not explain that nothing was read.
 */
export function nameCause(input: MissInput): NamedCause {
  const { before, now, usage, comparison } = input
  const scale = scaleOf(now, usage)
  const tolerance = Math.max(SMALLEST_LOSS_TOKENS, input.expectedTokens * COUNT_ERROR)
  const prefixTokens = sumTokens(comparison.items.slice(0, comparison.prefix)) * scale
  const unreadTokens = prefixTokens - usage.cacheRead
  const isUnexplained = unreadTokens > tolerance
  // It read more than our prefix: the difference that we see is none for the provider.
  const isFalseDifference = -unreadTokens > tolerance + prefixTokens * COUNT_ERROR
  const model = modelChange(before, now)
  const changed = isFalseDifference ? undefined : contentChange(input)
  const settings = settingsChange(before, now)
  const expired = expiry(before, now)
  // Only these leave the start of the messages unread.
  const early = isUnexplained && comparison.section !== "tools" ? [expired, settings] : []
  const tooFar = lookback(before, comparison)
  const ordered = [model, ...early, changed, settings, expired, tooFar, resumption(before, now)]
  const candidates = ordered.filter((it) => it !== undefined)
  const [first] = candidates
  if (first === undefined) return UNKNOWN
  const also = new Set(candidates.map((it) => it.cause).filter((it) => it !== first.cause))
  const headTokens = comparison.headTokens * scale
  const isHeadUnread = usage.cacheRead < headTokens / 2
  const isOfMessages = first === changed ? comparison.section === "messages" : first === settings
  const isContradicted = isOfMessages && isUnexplained && isHeadUnread && now.settings.markers > 1
  return {
    cause: first.cause,
    isCertain: first.isCertain && !isContradicted,
    also: [...also],
    detail: sliceText(first.detail, LONGEST_DETAIL_UNITS),
  }
}

const UNKNOWN: NamedCause = {
  cause: "unknown",
  isCertain: false,
  also: [],
  detail: "nothing in the request changed and its lifetime had not passed",
}

function modelChange(before: CachedRequest, now: NewRequest): Candidate | undefined {
  if (before.model === now.model || before.model === null || now.model === null) return undefined
  return { cause: "model", isCertain: true, detail: `model ${before.model} became ${now.model}` }
}

function settingsChange(before: CachedRequest, now: NewRequest): Candidate | undefined {
  const changes = (["effort", "thinking", "toolChoice"] as const).flatMap((name) => {
    const [was, is] = [before.settings[name], now.settings[name]]
    return was === is ? [] : [`${SETTING_NAMES[name]} ${was ?? "unset"} became ${is ?? "unset"}`]
  })
  if (changes.length === 0) return undefined
  return { cause: "effort", isCertain: true, detail: changes.join("; ") }
}

const SETTING_NAMES = { effort: "effort", thinking: "thinking", toolChoice: "tool choice" } as const

/** Certain when the lifetime passed between the response and the request, whichever end counts. */
function expiry(before: CachedRequest, now: NewRequest): Candidate | undefined {
  const stated = before.settings.lifetimeMs
  const isAutomatic = before.wire !== "anthropic"
  const usual = isAutomatic ? AUTOMATIC_LIFETIMES_MS.longest : 5 * MINUTE_MS
  const longestMs = stated ?? usual
  const shortestMs = isAutomatic ? AUTOMATIC_LIFETIMES_MS.shortest : longestMs
  const gapMs = now.sentAt - before.answeredAt
  if (now.sentAt - before.sentAt <= shortestMs) return undefined
  const lifetime = formatDuration(gapMs > longestMs ? longestMs : shortestMs)
  return {
    cause: "expired",
    isCertain: gapMs > longestMs,
    detail: `${formatDuration(Math.max(0, gapMs))} without a request; entries live ${lifetime}`,
  }
}

/** Anthropic looks for an entry within 20 blocks before a marker; an item is about one block. */
const LOOK_BACK_BLOCKS = 20

function lookback({ wire }: CachedRequest, comparison: Comparison): Candidate | undefined {
  const added = comparison.items.length - comparison.prefix
  if (wire !== "anthropic" || added <= LOOK_BACK_BLOCKS) return undefined
  const detail = `${formatExact(added)} blocks were added at once; the provider looks back ${LOOK_BACK_BLOCKS}`
  return { cause: "lookback", isCertain: false, detail }
}

/** A resumed host rebuilds the start of its requests; with equal items we only presume it. */
function resumption(before: CachedRequest, now: NewRequest): Candidate | undefined {
  if (before.proxiedSession === now.proxiedSession) return undefined
  const detail = "the session was resumed by another process"
  return { cause: "resume", isCertain: false, detail }
}

function contentChange({ before, now, comparison }: MissInput): Candidate | undefined {
  const { section, difference } = comparison
  if (section === null || difference === null) return undefined
  const own = changeIn(section, { before, now, comparison })
  const isOfGateway = own.cause === "fold" || own.cause === "compaction"
  if (before.proxiedSession === now.proxiedSession || isOfGateway) return own
  return { cause: "resume", isCertain: own.isCertain, detail: `resumed: ${own.detail}` }
}

type ChangeInput = Pick<MissInput, "before" | "comparison" | "now">

function changeIn(section: Section, input: ChangeInput): Candidate {
  const { comparison } = input
  const detail = wordsOf(comparison)
  if (section === "tools") return { cause: "tools", isCertain: true, detail: toolChanges(input) }
  if (section === "system") return { cause: "system", isCertain: true, detail }
  return messageChange(input, detail)
}

function messageChange({ before, now, comparison }: ChangeInput, detail: string): Candidate {
  const folds = now.folds.filter((it) => !before.folds.includes(it))
  const unfolded = before.folds.filter((it) => !now.folds.includes(it))
  if (folds.length > 0) {
    return { cause: "fold", isCertain: true, detail: `the gateway folded ${folds.join(", ")}` }
  }
  if (unfolded.length > 0) {
    const text = `the gateway no longer folded ${unfolded.join(", ")}`
    return { cause: "fold", isCertain: true, detail: text }
  }
  const masked = now.maskedResults - before.maskedResults
  if (masked !== 0 && isMaskPlace(comparison)) {
    const results = plural(Math.abs(masked), "old tool result")
    const text = `the gateway ${masked > 0 ? "masked" : "no longer masked"} ${results}`
    return { cause: "fold", isCertain: true, detail: text }
  }
  if (isCompacted(before, now, comparison)) {
    const gone = before.items.length - comparison.prefix
    const text = `the host compacted the conversation: ${formatExact(Math.max(0, gone))} items left`
    return { cause: "compaction", isCertain: true, detail: text }
  }
  const kind = causingKind(comparison)
  const cause = (kind === undefined ? undefined : CAUSE_OF_KIND[kind]) ?? "history"
  return { cause, isCertain: true, detail }
}

/** A mask changes a result, and removes thinking only after it. */
function isMaskPlace({ was, is }: Comparison): boolean {
  return was?.kind === "result" && is?.kind === "result"
}

/** The host put a summary in place of turns, or cleared old results. */
function isCompacted(before: CachedRequest, now: NewRequest, { is }: Comparison): boolean {
  const summaries = (items: readonly WireItem[]) =>
    items.filter((it) => SUMMARY_NAMES.has(it.name)).map((it) => it.sha256)
  const old = new Set(summaries(before.items))
  return is?.sha256 === CLEARED_RESULT_SHA256 || summaries(now.items).some((it) => !old.has(it))
}

const CAUSE_OF_KIND: Readonly<Partial<Record<WireKind, CacheCause>>> = {
  agent: "reminder",
  environment: "reminder",
  hook: "reminder",
  instructions: "instructions",
  memory: "instructions",
  reminder: "reminder",
  server: "reminder",
  skill: "reminder",
  style: "reminder",
  system: "reminder",
}

/** Text that the host writes itself explains a change; the turns around it only moved. */
function causingKind({ difference, was, is }: Comparison): WireKind | undefined {
  const isOfHost = (kind: WireKind | undefined) =>
    kind !== undefined && CAUSE_OF_KIND[kind] !== undefined
  if (isOfHost(difference?.kind)) return difference?.kind
  return [was?.kind, is?.kind].find(isOfHost) ?? difference?.kind
}

function wordsOf({ difference, was }: Comparison): string {
  if (difference === null) return ""
  const what =
    difference.kind === difference.name ? difference.kind : `${difference.kind} ${difference.name}`
  const size = was === undefined ? "" : ` (${formatExact(was.tokens)} tokens)`
  switch (difference.change) {
    case "added":
      return `${what} was inserted`
    case "removed":
      return `${what} was removed${size}`
    case "changed":
      return `${what} changed`
    case "moved":
      return `${what} moved${size}`
    default:
      return difference.change satisfies never
  }
}

const MOST_NAMED_TOOLS = 3

function toolChanges({ before, now }: ChangeInput): string {
  const of = (items: readonly WireItem[]) =>
    new Map(
      items
        .filter((it) => it.kind === "tool" && it.isDeferred !== true)
        .map((it) => [it.name, it.sha256]),
    )
  const [old, fresh] = [of(before.items), of(now.items)]
  const added = [...fresh.keys()].filter((it) => !old.has(it))
  const removed = [...old.keys()].filter((it) => !fresh.has(it))
  const changed = [...fresh].filter(([name, sha]) => (old.get(name) ?? sha) !== sha)
  const parts = [
    named("added", added),
    named("removed", removed),
    named(
      "changed",
      changed.map(([name]) => name),
    ),
  ].filter((it) => it !== "")
  return parts.length === 0 ? "tools were reordered" : `tools ${parts.join("; ")}`
}

function named(verb: string, names: readonly string[]): string {
  if (names.length === 0) return ""
  const more = names.length - MOST_NAMED_TOOLS
  const shown = names.slice(0, MOST_NAMED_TOOLS).join(", ")
  return `${verb}: ${shown}${more > 0 ? ` and ${formatExact(more)} more` : ""}`
}
