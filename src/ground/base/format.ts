export function formatCount(count: number): string {
  if (count < 1_000) return String(Math.round(count))
  if (count < 999_950) return `${(count / 1_000).toFixed(1)}k`
  return `${(count / 1_000_000).toFixed(1)}M`
}

export function formatExact(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(?:\d{3}){1,7}$)/g, ",")
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${Math.round(bytes)} B`
  if (bytes < 999_950) return `${(bytes / 1_000).toFixed(1)} kB`
  if (bytes < 999_950_000) return `${(bytes / 1_000_000).toFixed(1)} MB`
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`
}

/** 8 ms, 1.3 s, 6:12 min, 2 h 05 min. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 99_950) return `${(ms / 1_000).toFixed(1)} s`
  const seconds = Math.round(ms / 1_000)
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}:${two(seconds % 60)} min`
  return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`
}

/** $0.42; below one cent $0.0042. */
export function formatUsd(usd: number): string {
  const text = usd > 0 && usd < 0.01 ? usd.toFixed(4) : usd.toFixed(2)
  return `$${text.replace(/\B(?=(?:\d{3}){1,7}\.)/g, ",")}`
}

/** A sum of costs of which some are not known: `$1.20 and 2 unknown`, or `2 unknown`. */
export function formatCostSum(usd: number, unknown: number): string {
  if (unknown === 0) return formatUsd(usd)
  return usd === 0
    ? `${formatExact(unknown)} unknown`
    : `${formatUsd(usd)} and ${formatExact(unknown)} unknown`
}

/** Against the cost of a period before: +9 %, −4 %, `new` if it was 0, `unknown` if either is not known. */
export function formatCostChange(change: {
  percent: number | null
  beforeUsd: number | null
}): string {
  const { percent, beforeUsd } = change
  if (percent === null) return beforeUsd === 0 ? "new" : "unknown"
  const rounded = Math.round(percent)
  const sign = rounded > 0 ? "+" : "−"
  return rounded === 0 ? "0 %" : `${sign}${formatExact(Math.abs(rounded))} %`
}

/**
 * `about $315 by 30 November, $15 over`. An estimate of $10 or more has no cents. Undefined without
 * one.
 */
export function formatForecast(
  month: { readonly until: number; readonly forecastUsd: number | null },
  limitUsd: number | undefined,
): string | undefined {
  const { until, forecastUsd } = month
  if (forecastUsd === null) return undefined
  const over = Math.round(forecastUsd) - (limitUsd ?? Number.POSITIVE_INFINITY)
  const text = `about ${formatRoughUsd(forecastUsd)} by ${LAST_DAY.format(until - 1)}`
  return over > 0 ? `${text}, ${formatRoughUsd(over)} over` : text
}

const LAST_DAY = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "long",
  timeZone: "UTC",
})

const formatRoughUsd = (usd: number): string =>
  usd < 10 ? formatUsd(usd) : formatUsd(Math.round(usd)).replace(".00", "")

/** How long ago: "just now", "5 minutes ago", "3 hours ago", "2 days ago". */
export function formatAgo(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 1) return "just now"
  if (minutes < 60) return `${plural(minutes, "minute")} ago`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${plural(hours, "hour")} ago` : `${Math.floor(hours / 24)} days ago`
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatExact(count)} ${count === 1 ? one : many}`
}

function two(value: number): string {
  return String(value).padStart(2, "0")
}
