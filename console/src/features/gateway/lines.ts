import {
  type ContextKind,
  formatCount,
  formatExact,
  type GatewayRequest,
  type GatewayShow,
  type ProxiedSession,
  plural,
} from "../../contract.ts"
import type { GatewayWho } from "../../data/paths.ts"
import type { AreaMark, AreaPoint } from "../../ui/area-chart/layout.ts"
import type { KindTokens } from "../../ui/budget-bar/layout.ts"
import { badgesOf, inputOf, isConversation, isCount } from "./words.ts"

export type RequestLine = {
  readonly kind: "request"
  readonly key: string
  readonly request: GatewayRequest
  readonly sinceMs: number
}
export type SessionLine = {
  readonly kind: "session"
  readonly key: string
  readonly session: ProxiedSession
  readonly count: number
}
export type CountsLine = {
  readonly kind: "counts"
  readonly key: string
  readonly count: number
  readonly sinceMs: number
  readonly isOpen: boolean
  readonly hasPicked: boolean
}
export type Line = RequestLine | SessionLine | CountsLine

function keyOf({ proxiedSession, seq }: Pick<GatewayRequest, "proxiedSession" | "seq">): string {
  return `${proxiedSession}.${seq}`
}

export function readKey(key: string): { proxiedSession: string; seq: number } | undefined {
  const match = /^(.+)\.(\d{1,15})$/.exec(key)
  const [proxiedSession, seq] = [match?.[1], Number(match?.[2])]
  return proxiedSession === undefined || seq < 1 ? undefined : { proxiedSession, seq }
}

function beginningOf({ sessions, requests }: GatewayShow): number {
  const moments = [...sessions.map((it) => it.startedAt), ...requests.map((it) => it.at)]
  return moments.length === 0 ? 0 : Math.min(...moments)
}

export function wholeMsOf(show: GatewayShow): number {
  const from = beginningOf(show)
  const ends = show.requests.map((it) => it.at + it.durationMs - from)
  return Math.max(1, ...ends)
}

export type Scale = {
  readonly wholeMs: number
  readonly longestMs: number
  readonly mostTokens: number
}

export function scaleOf(show: GatewayShow): Scale {
  const requests = show.requests.filter((it) => !isCount(it))
  return {
    wholeMs: wholeMsOf(show),
    longestMs: Math.max(1, ...show.requests.map((it) => it.durationMs)),
    mostTokens: Math.max(1, ...requests.map((it) => inputOf(it) ?? it.tokens)),
  }
}

type LineFilter = {
  readonly who: GatewayWho
  readonly opened: ReadonlySet<string>
  /** Key of the selected request; it is never collapsed. */
  readonly at: string
}

/**
 * One row per request, adjacent token counts together; if several processes proxied the run, each
 * is listed above its own requests.
 */
export function linesOf(show: GatewayShow, { who, ...shown }: LineFilter): readonly Line[] {
  const from = beginningOf(show)
  const matching = show.requests.filter((it) => isOf(it, who))
  const lineOf = (request: GatewayRequest): RequestLine => ({
    kind: "request",
    key: keyOf(request),
    request,
    sinceMs: request.at - from,
  })
  const foldedOf = (requests: readonly GatewayRequest[]) => foldCounts(requests.map(lineOf), shown)
  if (show.sessions.length < 2) return foldedOf(matching)
  return show.sessions.flatMap((session): readonly Line[] => {
    const own = matching.filter((it) => it.proxiedSession === session.id)
    if (own.length === 0) return []
    const heading: SessionLine = {
      kind: "session",
      key: session.id,
      session,
      count: own.length,
    }
    return [heading, ...foldedOf(own)]
  })
}

const FEWEST_FOLDED = 2

function foldCounts(
  lines: readonly RequestLine[],
  { opened, at }: Omit<LineFilter, "who">,
): readonly Line[] {
  return neighbours(lines).flatMap((run): readonly Line[] => {
    const [first] = run
    if (first === undefined || run.length < FEWEST_FOLDED) return run
    // Not a request key, so no detail opens.
    const key = `${first.key}+`
    const hasPicked = run.some((it) => it.key === at)
    const isOpen = opened.has(key) || hasPicked
    const [{ sinceMs }, count] = [first, run.length]
    const heading: CountsLine = { kind: "counts", key, count, sinceMs, isOpen, hasPicked }
    return isOpen ? [heading, ...run] : [heading]
  })
}

function neighbours(lines: readonly RequestLine[]): readonly (readonly RequestLine[])[] {
  const runs: RequestLine[][] = []
  for (const line of lines) {
    const last = runs.at(-1)
    const before = last?.at(-1)
    if (before !== undefined && isPlainCount(before) && isPlainCount(line)) last?.push(line)
    else runs.push([line])
  }
  return runs
}

function isPlainCount({ request }: RequestLine): boolean {
  return isCount(request) && badgesOf({ ...request, agent: null }).length === 1
}

function isOf({ agent }: GatewayRequest, who: GatewayWho): boolean {
  if (who === "all") return true
  return who === "main" ? agent === null : agent !== null
}

export function countByAgent({ requests }: GatewayShow): Readonly<Record<GatewayWho, number>> {
  const main = requests.filter((it) => it.agent === null).length
  return { all: requests.length, main, agents: requests.length - main }
}

/** The kinds are estimates, scaled to the provider's number; rounded parts sum to exactly that. */
export function kindsOf(request: GatewayRequest): KindTokens {
  const counted = request.kinds.reduce((sum, it) => sum + it.tokens, 0)
  const exact = inputOf(request)
  const factor = exact === null || counted === 0 ? 1 : exact / counted
  const amounts: Partial<Record<ContextKind, number>> = {}
  let sum = 0
  for (const { kind, tokens } of request.kinds) {
    const before = Math.round(sum * factor)
    sum += tokens
    amounts[kind] = (amounts[kind] ?? 0) + Math.round(sum * factor) - before
  }
  return amounts
}

export function chartOf(show: GatewayShow): {
  readonly points: readonly AreaPoint[]
  readonly marks: readonly AreaMark[]
} {
  const from = beginningOf(show)
  const requests = show.requests.filter(
    (it) => it.agent === null && isConversation(it) && it.kinds.length > 0,
  )
  const isOne = show.sessions.length < 2
  const points = requests.map(
    (it): AreaPoint => ({
      key: keyOf(it),
      atMs: it.at - from,
      kinds: kindsOf(it),
      name: `Request ${isOne ? it.seq : nameIn(show, it)}`,
      description: inputOf(it) === null ? "tokens, estimated" : "tokens, exact",
    }),
  )
  return { points, marks: marksOf(requests, from) }
}

/** With several proxied sessions, 2.14 is request 14 of the second one. */
function nameIn({ sessions }: GatewayShow, { proxiedSession, seq }: GatewayRequest): string {
  return `${sessions.findIndex((it) => it.id === proxiedSession) + 1}.${seq}`
}

/** A branch is marked once, at the first request without it. */
function marksOf(requests: readonly GatewayRequest[], from: number): readonly AreaMark[] {
  const branchIds = new Set<string>()
  return requests.flatMap((request): readonly AreaMark[] => {
    const fresh = request.folded.filter((one) => !branchIds.has(one.branchId))
    for (const one of fresh) branchIds.add(one.branchId)
    if (fresh.length === 0) return []
    const tokens = fresh.reduce((sum, one) => sum + one.tokens, 0)
    const what = plural(fresh.length, "branch", "branches")
    return [
      {
        key: keyOf(request),
        atMs: request.at - from,
        label: `−${formatCount(tokens)}`,
        title: `${what} folded at request ${request.seq}: ${formatExact(tokens)} tokens left out`,
      },
    ]
  })
}
