import { formatDuration } from "../contract.ts"

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

/** Today, Yesterday, or the day. */
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

/** 6:12 for a run, as a clock would say it. */
export function formatRunTime(ms: number): string {
  return ms < 1_000 ? formatDuration(ms) : `${Math.floor(ms / MINUTE_MS)}:${seconds(ms)}`
}

function seconds(ms: number): string {
  return String(Math.floor((ms % MINUTE_MS) / 1_000)).padStart(2, "0")
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
