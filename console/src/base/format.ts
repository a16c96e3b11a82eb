import { formatCount, formatDuration } from "../contract.ts"

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

/** Sunday 15 November. */
export function formatDay(at: number): string {
  return DAY.format(at).replace(",", "")
}

/** 08:12. */
export function formatClock(at: number): string {
  return CLOCK.format(at)
}

/** 08:12:04.312. */
export function formatClockFine(at: number): string {
  return SECONDS.format(at)
}

/** 2026-11-15 08:12:04.312. */
export function formatMoment(at: number): string {
  return `${DATE.format(at)} ${formatClockFine(at)}`
}

export function nameDay(at: number, now: number): string {
  if (DATE.format(at) === DATE.format(now)) return "Today"
  return DATE.format(at) === DATE.format(now - DAY_MS) ? "Yesterday" : formatDay(at)
}

/** today 08:12, yesterday 18:40, 12 November 09:10: inside a sentence. */
export function formatWhen(at: number, now: number): string {
  const day = nameDay(at, now)
  const isNear = day === "Today" || day === "Yesterday"
  const date = isNear ? day.toLowerCase() : day.slice(day.indexOf(" ") + 1)
  return `${date} ${formatClock(at)}`
}

/** 14 Nov: where a column has no room for more. */
export function formatDate(at: number): string {
  return SHORT_DATE.format(at)
}

/** "11 min" for waiting; "under a minute" rather than seconds that nobody watches. */
export function formatAge(at: number, now: number): string {
  const age = Math.max(0, now - at)
  if (age < MINUTE_MS) return "under 1 min"
  if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)} min`
  if (age < DAY_MS) return `${Math.floor(age / HOUR_MS)} h`
  const days = Math.floor(age / DAY_MS)
  return days === 1 ? "1 day" : `${days} days`
}

/** 0:00, 4:22, 61:05. */
export function formatMinutes(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
}

/** As `formatMinutes`, with milliseconds below one second. */
export function formatRunTime(ms: number): string {
  return ms < 1_000 ? formatDuration(ms) : formatMinutes(ms)
}

/** Time left: 9:41, then hours. */
export function formatLeft(ms: number): string {
  return ms < HOUR_MS ? formatRunTime(ms) : formatDuration(ms)
}

/** 200k: without the decimal of a round figure. */
export function formatRound(count: number): string {
  return formatCount(count).replace(/\.0(?=[kM]$)/, "")
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/**
 * Whatever moves a cursor, hides itself or turns the line around, by what Unicode says of it: the
 * rule of the engine's terminal, which the console cannot import. Newline and tab may stay.
 */
const UNSAFE = /(?![\n\t])[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** Text from outside as a page may draw it: what would act on the line is shown instead. */
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

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-/i

export function shortSession(session: string): string {
  return UUID.test(session) ? session.slice(0, 8) : visibleLine(session)
}
