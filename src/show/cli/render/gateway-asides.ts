import { plural } from "#ground/base"
import { type GatewayRequest } from "#ground/contract"

/** Neighbours that only count are one group; every other request is its own. */
export function groupCounts(
  requests: readonly GatewayRequest[],
): readonly (readonly GatewayRequest[])[] {
  const groups: GatewayRequest[][] = []
  for (const request of requests) {
    const last = groups.at(-1)
    const isMore =
      last !== undefined &&
      isOfCounts(last) &&
      isOfCounts([request]) &&
      last[0]?.carry === request.carry
    if (isMore) last.push(request)
    else groups.push([request])
  }
  return groups
}

/** Those that went as they should: any other is worth a row. */
export function isOfCounts(group: readonly GatewayRequest[]): boolean {
  return group.every(
    ({ route, outcome, problem, fallback }) =>
      route === "count" && outcome === "answered" && problem === null && fallback === null,
  )
}

/** Hosts count each large file, by the dozen at once, and it costs nothing. */
export function sayCounts(group: readonly GatewayRequest[]): string {
  const first = sayClock(group[0]?.at ?? 0)
  const last = sayClock(group.at(-1)?.at ?? 0)
  const when = first === last ? first : `${first} to ${last}`
  return `${String(group[0]?.seq ?? "").padStart(3)}  ${plural(group.length, "count")}, ${when}`
}

export function sayClock(at: number): string {
  return new Date(at).toISOString().slice(11, 19)
}

/**
 * Hosts ask small things beside a conversation, a title for instance: without tools, in a session
 * whose other requests have them.
 */
export function asidesAmong(
  requests: readonly GatewayRequest[],
): (request: GatewayRequest) => boolean {
  const own = requests.filter((it) => it.agent === null)
  const withTools = new Set(own.filter(hasTools).map((it) => it.session))
  return (request) =>
    request.agent === null &&
    request.route !== "count" &&
    request.route !== "other" &&
    !hasTools(request) &&
    withTools.has(request.session)
}

function hasTools({ kinds }: GatewayRequest): boolean {
  return kinds.some((it) => it.kind === "tools")
}
