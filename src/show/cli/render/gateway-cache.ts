import { formatCount, formatExact, formatUsd, plural } from "#ground/base"
import type { CacheReport, GatewayCache } from "#ground/contract"
import { table } from "../terminal/layout.ts"
import type { Screen } from "../terminal/screen.ts"
import { listing, rowLimit, rowText, timeText } from "./lines.ts"

const MOST_ROWS = 60

export function renderGatewayCache(shown: GatewayCache, screen: Screen): string {
  const { paint } = screen
  const { requests, misses, lostTokens, lostUsd, earlier } = shown
  const cost = lostUsd === null || misses === 0 ? "" : `, ${formatUsd(lostUsd)}`
  const lost = `${plural(misses, "miss", "misses")}, ${formatExact(lostTokens)} tokens sent again${cost}`
  const head = [misses === 0 ? paint.ok("No cache misses.") : paint.bold(lost)]
  if (requests.length === 0) {
    return [...head, paint.muted(misses === 0 ? NOTHING : "")].filter((it) => it !== "").join("\n")
  }
  const newest = requests.slice(-rowLimit(MOST_ROWS, screen))
  const hidden = earlier + requests.length - newest.length
  const rest = `${plural(hidden, "earlier request")} not shown; list more with --limit or --json`
  return [
    ...head,
    ...(misses === 0 ? [] : ["", causeTable(shown, screen)]),
    "",
    listing(
      HEADINGS,
      newest.map((it) => rowOf(it, screen)),
      screen,
    ),
    ...(hidden === 0 ? [] : ["", paint.muted(rest)]),
  ].join("\n")
}

const NOTHING = "No recorded request has a cache report; requests of older versions have none."

const HEADINGS = ["#", "time", "read", "lost", "cost", "cache"]

function causeTable({ causes }: GatewayCache, screen: Screen): string {
  return table(
    causes.map((it) => [
      it.cause,
      plural(it.misses, "miss", "misses"),
      `${formatExact(it.lostTokens)} tokens`,
    ]),
    screen,
  )
}

function rowOf(request: GatewayCache["requests"][number], screen: Screen): readonly string[] {
  const { seq, at, usage, agent, cache } = request
  const { lostTokens, lostUsd } = cache
  const isMiss = cache.verdict === "miss"
  const words = `${agent === null ? "" : "↳ "}${describeCache(cache)}`
  return [
    String(seq),
    screen.paint.muted(timeText(at)),
    usage === null ? "–" : formatCount(usage.cacheRead),
    isMiss && lostTokens !== null ? formatCount(lostTokens) : "",
    isMiss && lostUsd !== null ? formatUsd(lostUsd) : "",
    isMiss ? screen.paint.warn(rowText(words)) : screen.paint.muted(rowText(words)),
  ]
}

const VERDICTS: Readonly<Record<Exclude<CacheReport["verdict"], "miss">, string>> = {
  first: "first request",
  hit: "hit",
  uncached: "nothing was cached before",
  unknown: "no usage reported",
}

export function describeCache(cache: CacheReport): string {
  if (cache.verdict !== "miss") return VERDICTS[cache.verdict]
  const also = cache.also.length === 0 ? "" : ` (also ${cache.also.join(", ")})`
  const doubt = cache.isCertain || cache.cause === "unknown" ? "" : ", not certain"
  return `${cache.cause ?? "unknown"}${doubt}: ${cache.detail}${also}`
}
