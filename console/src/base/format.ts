import { formatUsd } from "#ground/base/format"
import { sliceText } from "#ground/base/truncate"
import { formatCount, formatDuration, formatExact, plural } from "../contract.ts"

const DAY = new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long" })
const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" })
const SECONDS = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
})
const SHORT_DATE = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" })
const DATE = new Intl.DateTimeFormat("en-CA", { year: "numeric", month: "2-digit", day: "2-digit" })

export function formatDay(at: number): string {
  return DAY.format(at).replace(",", "")
}

export function formatClock(at: number): string {
  return CLOCK.format(at)
}

export function formatClockFine(at: number): string {
  return SECONDS.format(at)
}

/** For lines of a log. */
export function formatSeconds(at: number): string {
  return formatClockFine(at).slice(0, -4)
}

export function formatMoment(at: number): string {
  return `${DATE.format(at)} ${formatClockFine(at)}`
}

export function nameDay(at: number, now: number): string {
  if (DATE.format(at) === DATE.format(now)) return "Today"
  return DATE.format(at) === DATE.format(now - DAY_MS) ? "Yesterday" : formatDay(at)
}

/** `formatMoment` in the tooltip has the exact time. */
export function formatWhen(at: number, now: number): string {
  return `${formatNearDay(at, now)} ${formatClock(at)}`
}

/** For logs. */
export function formatWhenFine(at: number, now: number): string {
  return `${formatNearDay(at, now)} ${formatSeconds(at)}`
}

/** As fine as needed: with seconds if another of these moments is in the same minute, and so on. */
export function formatWhenAmong(at: number, now: number, moments: readonly number[]): string {
  const isAlone = (unitMs: number) =>
    moments.every((it) => it === at || Math.floor(it / unitMs) !== Math.floor(at / unitMs))
  if (isAlone(MINUTE_MS)) return formatWhen(at, now)
  if (isAlone(1_000)) return formatWhenFine(at, now)
  return `${formatNearDay(at, now)} ${formatClockFine(at)}`
}

function formatNearDay(at: number, now: number): string {
  const day = nameDay(at, now)
  return day === "Today" || day === "Yesterday" ? day.toLowerCase() : formatMonthDay(at)
}

/** 17 November. */
export function formatMonthDay(at: number): string {
  const day = formatDay(at)
  return day.slice(day.indexOf(" ") + 1)
}

export function formatDate(at: number): string {
  return SHORT_DATE.format(at)
}

export function formatAge(at: number, now: number): string {
  const age = Math.max(0, now - at)
  if (age < MINUTE_MS) return "under 1 min"
  if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)} min`
  if (age < DAY_MS) return `${Math.floor(age / HOUR_MS)} h`
  const days = Math.floor(age / DAY_MS)
  return days === 1 ? "1 day" : `${days} days`
}

export function formatMinutes(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
}

export function formatRunTime(ms: number): string {
  return ms < 1_000 ? formatDuration(ms) : formatMinutes(ms)
}

export function formatLeft(ms: number): string {
  return ms < HOUR_MS ? formatRunTime(ms) : formatDuration(ms)
}

export function formatRound(count: number): string {
  return formatCount(count).replace(/\.0(?=[kM]$)/, "")
}

export function formatElapsed(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`
  const seconds = Math.round(ms / 1_000)
  if (seconds < 600) return `${seconds} s`
  return `${Math.round(seconds / 60)} min`
}

export function formatShare(share: number): string {
  if (share === 0) return "0 %"
  if (share < 0.001) return "under 0.1 %"
  return `${(share * 100).toFixed(1)} %`
}

/** A score, risk or rank between 0 and 1. */
export function formatScore(score: number): string {
  return score.toFixed(2)
}

/** "under $0.01" for less than a cent; the tooltip has the exact cost. */
export function formatCents(usd: number): string {
  return usd > 0 && usd < 0.01 ? "under $0.01" : formatUsd(usd)
}

/** A width, height or position in CSS. */
export function cssPercent(share: number): string {
  return `${(Math.min(1, Math.max(0, share)) * 100).toFixed(2)}%`
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/**
 * Characters that move the cursor, are invisible or change the text direction, by Unicode category:
 * the rule of the engine's terminal output, which the console cannot import. Newline and tab are
 * allowed.
 */
const UNSAFE = /(?![\n\t])[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** Escapes characters in text from outside that would affect the display. */
export function visible(text: string): string {
  return text.replace(UNSAFE, (character) => {
    const point = character.codePointAt(0) ?? 0
    return point <= 0xff
      ? `\\x${point.toString(16).padStart(2, "0")}`
      : `\\u{${point.toString(16)}}`
  })
}

export function visibleLine(text: string): string {
  return visible(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t")
}

/** The head of a list that may be filtered: "3 runs", "0 of 3 runs". */
export function formatShown(
  { shown, all }: { readonly shown: number; readonly all: number },
  one: string,
  many?: string,
): string {
  const whole = plural(all, one, many)
  return shown === all ? whole : `${formatExact(shown)} of ${whole}`
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-/i

export function shortSession(session: string): string {
  return UUID.test(session) ? session.slice(0, 8) : visibleLine(session)
}

/** Longer blocks would be laid out in every frame. */
const LONGEST_BLOCK_CHARACTERS = 60_000

export function capText(text: string): string {
  const shown = sliceText(text, LONGEST_BLOCK_CHARACTERS)
  const left = text.length - shown.length
  return left === 0 ? text : `${shown}\n… ${left} more characters are not shown here`
}
