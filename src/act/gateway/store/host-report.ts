import type { GatewayManifest, GatewayRequest, HostName, WireContext } from "#ground/contract"
import type { UsageSample } from "#ground/tokens"
import {
  selectFirst,
  selectLast,
  selectNewestAnswered,
  selectNewestOfPlace,
  selectNewestUsages,
} from "./queries.ts"
import { conversationKey } from "./record.ts"
import { RequestRow, requestOf, type StoreDeps, WhereRow } from "./rows.ts"
import { readManifest } from "./views.ts"

type HostReportDeps = Pick<StoreDeps, "db" | "root">

export function wireContextOf({ db, root }: HostReportDeps) {
  return async (run: string): Promise<WireContext | undefined> => {
    const row = await db.get(RequestRow, selectNewestAnswered(root(), run))
    if (row === undefined) return undefined
    const { request } = requestOf(row)
    const { usage, at, proxiedSession, seq } = request
    if (usage === null) return undefined
    const used = usage.input + usage.cacheRead + usage.cacheWrite
    const savedTokens = request.folded.reduce((sum, it) => sum + it.tokens, 0)
    return { at, proxiedSession, seq, used, kinds: scaled(request.kinds, used), savedTokens }
  }
}

const MOST_SAMPLED_REQUESTS = 50

/** Our count and the provider's of the newest requests, newest first. */
export async function readUsageSamples({
  db,
  root,
}: HostReportDeps): Promise<readonly UsageSample[]> {
  const rows = await db.all(RequestRow, selectNewestUsages(root(), MOST_SAMPLED_REQUESTS))
  return rows.flatMap((row) => {
    const { model, tokens, usage } = requestOf(row).request
    if (model === null || usage === null) return []
    const providerTokens = usage.input + usage.cacheRead + usage.cacheWrite
    return [{ model, countedTokens: tokens, providerTokens }]
  })
}

type Kinds = GatewayRequest["kinds"]

/** Largest remainder: whole tokens that sum to the total. */
export function scaled(kinds: Kinds, total: number): Kinds {
  const counted = kinds.reduce((sum, it) => sum + it.tokens, 0)
  if (counted === 0) return []
  const exact = kinds.map((it) => (it.tokens / counted) * total)
  const whole = exact.map(Math.floor)
  const left = total - whole.reduce((sum, it) => sum + it, 0)
  const byRemainder = exact
    .map((share, at) => ({ at, remainder: share - Math.floor(share) }))
    .toSorted((a, b) => b.remainder - a.remainder || a.at - b.at)
  const favoured = new Set(byRemainder.slice(0, left).map((it) => it.at))
  return kinds.map(({ kind }, at) => ({
    kind,
    tokens: (whole[at] ?? 0) + (favoured.has(at) ? 1 : 0),
  }))
}

type HostReport = {
  readonly at: number
  readonly proxiedSession: string
  readonly seq: number
  readonly session: string | null
  readonly hostVersion: string | undefined
  readonly model: string | null
  /** Tokens of the request: as the provider counted them, else by our counter. */
  readonly tokens: number
  readonly kinds: GatewayRequest["kinds"]
  readonly tools: readonly {
    readonly name: string
    readonly tokens: number
    readonly isLoaded: boolean
  }[]
  readonly files: readonly {
    readonly kind: "instructions" | "memory"
    readonly path: string
    readonly sha256: string
    readonly tokens: number
    readonly isConfirmed: boolean
  }[]
}

/**
 * From the first request of the newest session in a folder: later ones also have lazily loaded
 * files.
 */
export function newestHostReport({ db, root }: HostReportDeps) {
  return async (workingDirectory: string, host: HostName): Promise<HostReport | undefined> => {
    const filter = { root: root(), workingDirectory, host }
    const newest = await db.get(WhereRow, selectNewestOfPlace(filter))
    if (newest === undefined) return undefined
    const { proxied_session: proxiedSession, conversation } = newest
    const first = await db.get(
      RequestRow,
      selectFirst({ root: root(), id: proxiedSession }, conversation),
    )
    const seq = first?.seq ?? newest.seq
    const manifest = await readManifest({ db, root }, proxiedSession, seq)
    const { at, session, model, usage, tokens, kinds } = manifest.request
    const used = usage === null ? tokens : usage.input + usage.cacheRead + usage.cacheWrite
    return {
      model,
      tokens: used,
      kinds: scaled(kinds, used),
      tools: toolsIn(manifest),
      at,
      proxiedSession,
      seq,
      session,
      hostVersion: versionIn(manifest),
      files: filesIn(manifest),
    }
  }
}

function toolsIn({ items }: GatewayManifest): HostReport["tools"] {
  return items
    .filter((it) => it.kind === "tool")
    .map(({ name, tokens, isDeferred }) => ({ name, tokens, isLoaded: isDeferred !== true }))
}

function versionIn({ headers }: GatewayManifest): string | undefined {
  const agent = headers.find((it) => it.name.toLowerCase() === "user-agent")?.value
  return agent?.match(/^[^\s/]+\/(\d[\w.+-]*)/)?.[1]
}

function filesIn({ items }: GatewayManifest): HostReport["files"] {
  return items.flatMap(({ kind, name, path = name, sha256, tokens, isConfirmed = false }) =>
    kind === "instructions" || kind === "memory"
      ? [{ kind, path, sha256, tokens, isConfirmed }]
      : [],
  )
}

/** The last request of a session, for a process that has not seen it. */
export function lastManifestOf({ db, root }: HostReportDeps) {
  return async (conversation: string): Promise<GatewayManifest | undefined> => {
    const last = await db.get(WhereRow, selectLast(root(), conversationKey(conversation)))
    if (last === undefined) return undefined
    return readManifest({ db, root }, last.proxied_session, last.seq)
  }
}
