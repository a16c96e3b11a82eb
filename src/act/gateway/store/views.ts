import { sliceText } from "#ground/base"
import type {
  GatewayCache,
  GatewayList,
  GatewayManifest,
  GatewayRequest,
  GatewayShow,
  GatewayTexts,
  GatewayTotals,
  OperationInput,
  ProxiedSession,
  WireItem,
} from "#ground/contract"
import { ProxiedSessionNotNamed, ProxiedSessionUnknown, RequestUnknown } from "../errors.ts"
import { listOf } from "./chain.ts"
import {
  selectLinks,
  selectProxiedSession,
  selectProxiedSessions,
  selectRequest,
  selectRequests,
  selectTexts,
  selectTotals,
} from "./queries.ts"
import { conversationKey, conversationOf } from "./record.ts"
import {
  LinkRow,
  mapInTurns,
  ProxiedSessionRow,
  proxiedSessionOf,
  RequestRow,
  requestOf,
  type StoreDeps,
  TextRow,
  TotalsRow,
  textOf,
} from "./rows.ts"

/** Each restart of the host is one. */
const MOST_SESSIONS_OF_RUN = 500

/** More than a screen, and than most tool results. */
export const LONGEST_SHOWN_TEXT_UNITS = 100_000

const MOST_SEARCHED_WORDS = 10

/** Each may have hundreds of kilobytes. */
const TEXTS_PER_STATEMENT = 20

type ViewDeps = Pick<StoreDeps, "db" | "root" | "owner" | "isAlive">

export function listProxiedSessions(deps: ViewDeps) {
  return async (input: OperationInput<"gateway.list">): Promise<GatewayList> => {
    const { run, session, limit = 50 } = input
    const conversation =
      session === undefined ? undefined : conversationKey(conversationOf(session))
    const rows = await deps.db.all(
      ProxiedSessionRow,
      selectProxiedSessions({ root: deps.root(), run, conversation, limit }),
    )
    if (run !== undefined && session === undefined && rows.length === 0)
      throw ProxiedSessionUnknown({ id: run })
    return { sessions: rows.map((it) => proxiedSessionOf(it, deps)) }
  }
}

/** All sessions of a run, or one: the newest requests in order, totals over all. */
export function showProxiedSessions(deps: ViewDeps) {
  return async ({ id, limit = 500 }: OperationInput<"gateway.show">): Promise<GatewayShow> => {
    const sessions = await findProxiedSessions(deps, id)
    const ids = sessions.map((it) => it.id)
    const query = { root: deps.root(), sessionIds: ids, limit }
    const rows = await deps.db.all(RequestRow, selectRequests(query))
    const requests = await mapInTurns(rows.toReversed(), (it) => requestOf(it).request)
    const totals = await totalsOf(deps, ids)
    const earlier = Math.max(0, totals.requests - requests.length)
    return { sessions: [...sessions], requests: [...requests], earlier, totals }
  }
}

/** The cache reports of the newest requests, and the sum of what was lost. */
export function explainCaches(deps: ViewDeps) {
  const show = showProxiedSessions(deps)
  return async (input: OperationInput<"gateway.cache">): Promise<GatewayCache> => {
    const { id, limit = 500, misses: isMissesOnly = false } = input
    const { sessions, requests, earlier } = await show({ id, limit })
    const explained = requests.flatMap(({ cache, ...it }) =>
      cache === undefined ? [] : [{ ...pickFacts(it), cache }],
    )
    const missed = explained.filter((it) => it.cache.verdict === "miss")
    const costs = missed.flatMap((it) => it.cache.lostUsd ?? [])
    return {
      sessions,
      requests: isMissesOnly ? missed : explained,
      earlier,
      misses: missed.length,
      lostTokens: lostBy(missed),
      lostUsd: missed.length > 0 && costs.length === 0 ? null : costs.reduce((a, b) => a + b, 0),
      causes: causesOf(missed),
    }
  }
}

type ExplainedRequest = GatewayCache["requests"][number]

function pickFacts(request: Omit<GatewayRequest, "cache">): Omit<ExplainedRequest, "cache"> {
  const { proxiedSession, seq, at, agent, model, usage, tokens } = request
  return { proxiedSession, seq, at, agent, model, usage, tokens }
}

function lostBy(missed: readonly ExplainedRequest[]): number {
  return missed.reduce((sum, it) => sum + (it.cache.lostTokens ?? 0), 0)
}

function causesOf(missed: readonly ExplainedRequest[]): GatewayCache["causes"] {
  const byCause = Map.groupBy(missed, (it) => it.cache.cause ?? "unknown")
  return [...byCause]
    .map(([cause, requests]) => ({
      cause,
      misses: requests.length,
      lostTokens: lostBy(requests),
    }))
    .toSorted((a, b) => b.lostTokens - a.lostTokens)
}

async function findProxiedSessions(deps: ViewDeps, id: string): Promise<readonly ProxiedSession[]> {
  const rows = await findRows(deps, id)
  if (rows.length === 0) throw ProxiedSessionUnknown({ id })
  return rows.toReversed().map((it) => proxiedSessionOf(it, deps))
}

async function findRows({ db, ...deps }: ViewDeps, id: string): Promise<ProxiedSessionRow[]> {
  const root = deps.root()
  if (id === "last") return db.all(ProxiedSessionRow, selectProxiedSessions({ root, limit: 1 }))
  // Other ids cannot exist, and the store would reject them.
  if (!/^[\x21-\x7e]+$/.test(id)) return []
  const session = await db.get(ProxiedSessionRow, selectProxiedSession({ root, id }))
  if (session !== undefined) return [session]
  return db.all(
    ProxiedSessionRow,
    selectProxiedSessions({ root, run: id, limit: MOST_SESSIONS_OF_RUN }),
  )
}

async function totalsOf(deps: ViewDeps, ids: readonly string[]): Promise<GatewayTotals> {
  const row = await deps.db.get(TotalsRow, selectTotals(deps.root(), ids))
  const {
    input = 0,
    output = 0,
    cache_read: cacheRead = 0,
    cache_write: cacheWrite = 0,
  } = row ?? {}
  const inputTokens = input + cacheRead + cacheWrite
  return {
    requests: row?.requests ?? 0,
    usage: { input, output, cacheRead, cacheWrite },
    unknownUsage: row?.unknown ?? 0,
    costUsd: row?.cost_usd ?? null,
    unknownCosts: row?.unpriced ?? 0,
    savedTokens: row?.saved_tokens ?? 0,
    savedBytes: row?.saved_bytes ?? 0,
    cacheShare: inputTokens === 0 ? null : cacheRead / inputTokens,
  }
}

/** For a run with several sessions the user must name one. */
async function findProxiedSession(deps: ViewDeps, id: string): Promise<ProxiedSession> {
  const sessions = await findProxiedSessions(deps, id)
  const [session] = sessions
  if (session === undefined) throw ProxiedSessionUnknown({ id })
  if (sessions.length > 1) throw ProxiedSessionNotNamed({ run: id, sessions: sessions.length })
  return session
}

export function manifestOf(deps: ViewDeps) {
  return async ({ id, seq }: OperationInput<"gateway.request">): Promise<GatewayManifest> => {
    const session = await findProxiedSession(deps, id)
    return readManifest(deps, session.id, seq)
  }
}

export async function readManifest(
  deps: Pick<ViewDeps, "db" | "root">,
  id: string,
  seq: number,
): Promise<GatewayManifest> {
  const own = { root: deps.root(), id }
  const row = await deps.db.get(RequestRow, selectRequest(own, seq))
  if (row === undefined) throw RequestUnknown({ proxiedSession: id, seq })
  const { request, headers } = requestOf(row)
  const links = await deps.db.all(LinkRow, selectLinks(own, seq))
  const { items, missing } = listOf(links, seq)
  return { request: withProblem(request, missing), items: [...items], headers }
}

function withProblem(request: GatewayRequest, missing: number): GatewayRequest {
  if (missing === 0) return request
  const problem = `its first ${missing} items are no longer stored`
  return {
    ...request,
    problem: request.problem === null ? problem : `${request.problem}; ${problem}`,
  }
}

type NumberedItem = WireItem & { readonly place: number }

export function textsOf(deps: ViewDeps) {
  return async (input: OperationInput<"gateway.texts">): Promise<GatewayTexts> => {
    const { seq, query = "", from = 0, limit = 100 } = input
    const { id } = await findProxiedSession(deps, input.id)
    const { items } = await readManifest(deps, id, seq)
    const placed = items.map((item, place) => ({ ...item, place }))
    const words = wordsOf(query)
    const fitting = words.length === 0 ? placed : await having(deps, { id, placed, words })
    const shown = fitting.slice(from, from + limit)
    const texts = new Map<string, string>()
    for await (const [sha256, text] of readTexts(deps, id, shown)) texts.set(sha256, text)
    return {
      total: fitting.length,
      pieces: shown.map((item) => {
        const text = texts.get(item.sha256)
        const isSearched = words.length > 0 && text !== undefined
        return { ...item, ...cutText(text), ...(isSearched ? linesWith(text, words) : {}) }
      }),
    }
  }
}

function wordsOf(query: string): readonly string[] {
  const words = query.toLowerCase().split(/\s+/)
  return words.filter((it) => it !== "").slice(0, MOST_SEARCHED_WORDS)
}

type Search = {
  readonly id: string
  readonly placed: readonly NumberedItem[]
  readonly words: readonly string[]
}

async function having(
  deps: ViewDeps,
  { id, placed, words }: Search,
): Promise<readonly NumberedItem[]> {
  const matching = new Set<string>()
  for await (const [sha256, text] of readTexts(deps, id, placed)) {
    const lower = text.toLowerCase()
    if (words.every((it) => lower.includes(it))) matching.add(sha256)
  }
  return placed.filter((it) => matching.has(it.sha256))
}

async function* readTexts(
  deps: ViewDeps,
  id: string,
  pieces: readonly NumberedItem[],
): AsyncGenerator<readonly [sha256: string, text: string]> {
  const hashes = [...new Set(pieces.map((it) => it.sha256))]
  for (let at = 0; at < hashes.length; at += TEXTS_PER_STATEMENT) {
    const some = hashes.slice(at, at + TEXTS_PER_STATEMENT)
    const rows = await deps.db.all(TextRow, selectTexts({ root: deps.root(), id }, some))
    yield* await mapInTurns(rows, (it) => [it.sha256, textOf(it.body)] as const)
  }
}

function cutText(text: string | undefined): { text: string | null; isCut: boolean } {
  if (text === undefined) return { text: null, isCut: false }
  if (text.length <= LONGEST_SHOWN_TEXT_UNITS) return { text, isCut: false }
  return { text: sliceText(text, LONGEST_SHOWN_TEXT_UNITS).toWellFormed(), isCut: true }
}

const MOST_FOUND_LINES = 20

/** About three lines on a screen. */
const LONGEST_FOUND_LINE_UNITS = 240

const UNITS_BEFORE_FOUND = 60

type FoundLines = Required<Pick<GatewayTexts["pieces"][number], "lines" | "moreLines">>

function linesWith(text: string, words: readonly string[]): FoundLines {
  const lines = text.split(/\r\n|\n|\r/).map((line, at) => {
    const lower = line.toLowerCase()
    const places = words.map((it) => lower.indexOf(it)).filter((it) => it !== -1)
    return { number: at + 1, line, places }
  })
  const whole = lines.filter((it) => it.places.length === words.length)
  const matches = whole.length > 0 ? whole : lines.filter((it) => it.places.length > 0)
  const shown = matches.slice(0, MOST_FOUND_LINES)
  return {
    lines: shown.map((it) => ({
      number: it.number,
      text: around(it.line, Math.min(...it.places)),
    })),
    moreLines: matches.length - shown.length,
  }
}

/** A line may be as long as a file. */
function around(line: string, at: number): string {
  if (line.length <= LONGEST_FOUND_LINE_UNITS) return line
  const start = Math.max(0, at - UNITS_BEFORE_FOUND)
  const end = Math.min(line.length, start + LONGEST_FOUND_LINE_UNITS)
  const shown = line.slice(start, end).toWellFormed()
  return `${start === 0 ? "" : "…"}${shown}${end === line.length ? "" : "…"}`
}
