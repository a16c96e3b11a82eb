import { type Clock, giveOthersATurn, processIdentity } from "#ground/base"
import type {
  Caller,
  Claim as ClaimShown,
  claimOperations,
  Handlers,
  LiveSession,
  SessionShow,
  sessionOperations,
} from "#ground/contract"
import type { Claim, Claims } from "./claims.ts"
import type { Classifier } from "./classify.ts"
import type { Ledger } from "./ledger.ts"
import { listLogged } from "./sessions/session-log.ts"
import type { createSessions, SessionEntry } from "./sessions/sessions.ts"
import type { LiveRow } from "./summary.ts"

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const YEAR_MS = 365 * 24 * HOUR_MS

type HandlerDeps = {
  readonly clock: Pick<Clock, "now">
  claims(): Claims
  ledger(): Ledger
  sessions(): Promise<ReturnType<typeof createSessions>>
  classifier(): Classifier
  /** The level of the installed hooks. */
  level(): number
  root(): string
  /** Relative to the root; throws for a path outside the repository. */
  place(path: string): string
  /** The session of a call that names none. */
  sessionOf(caller: Caller | undefined): string
  loadedBy(session: string): Promise<Readonly<SessionShow["loaded"]>>
  /** The text of a registered session; throws if there is no such file. */
  recordOf(file: string): string
}

export const claimHandlers = (deps: HandlerDeps): Handlers<typeof claimOperations> => ({
  async take({ paths, minutes, session }, { caller }) {
    const claims = deps.claims()
    const holder = {
      session: session ?? deps.sessionOf(caller),
      process: holderOf(caller),
      leaseMs: minutes * MINUTE_MS,
    }
    const outcome = await claims.take(paths.map(deps.place), holder)
    if (outcome.kind === "taken") await (await deps.sessions()).renewIndices()
    return outcome.kind === "taken"
      ? { claims: outcome.claims.map((it) => shown(it, claims)), held: null }
      : { claims: [], held: shown(outcome.by, claims) }
  },
  async release({ paths, session }, { caller }) {
    const holder = session ?? deps.sessionOf(caller)
    const outcome = await release(paths.map(deps.place), holder, deps.claims())
    if (outcome.released.length > 0) await (await deps.sessions()).renewIndices()
    return outcome
  },
  async list({ path }) {
    const claims = deps.claims()
    const matching =
      path === undefined ? claims.list() : [claims.find(deps.place(path)) ?? []].flat()
    return { claims: matching.map((it) => shown(it, claims)) }
  },
})

async function release(paths: readonly string[], session: string, claims: Claims) {
  const released: string[] = []
  const notHeld: string[] = []
  for (const path of paths) {
    await giveOthersATurn()
    const held = claims.find(path)
    const isOurs = held !== undefined && held.path === path && held.session === session
    const isDone = isOurs && (await claims.release(held)).kind === "released"
    ;(isDone ? released : notHeld).push(path)
  }
  return { released, notHeld }
}

/** A process that lives as long as the claim: the shell, not the command. */
function holderOf(caller: Caller | undefined) {
  return processIdentity(caller === undefined ? process.ppid : process.pid)
}

function shown(claim: Claim, claims: Claims): ClaimShown {
  const { path, session, fence, machine, takenAt, heartbeatAt, expiresAt } = claim
  const isHolderAlive = claims.isHolderAlive(claim) ?? null
  return { path, session, fence, machine, isHolderAlive, takenAt, heartbeatAt, expiresAt }
}

export const sessionHandlers = (deps: HandlerDeps): Handlers<typeof sessionOperations> => ({
  register: ({ session, ...entry }, { caller }) =>
    register(deps, entry, session ?? deps.sessionOf(caller)),
  index: async () => ({
    indices: [...(await (await deps.sessions()).writeIndices()).written],
  }),
  list: ({ sinceHours, limit }) => list(deps, { sinceMs: sinceHours * HOUR_MS, limit }),
  show: ({ session }) => show(deps, session),
  activity: async ({ after, limit }) => ({
    entries: [...(await deps.ledger().activity({ afterMs: after ?? 0, limit }))],
  }),
})

type Entry = Omit<SessionEntry, "date"> & { readonly date?: string | undefined }

/** Writes the file first, then marks the session as registered in its ledger. */
async function register(deps: HandlerDeps, { date, ...entry }: Entry, session: string) {
  const now = deps.clock.now()
  const today = new Date(now).toISOString().slice(0, 10)
  const sessions = await deps.sessions()
  const upkeep = { level: deps.level(), now }
  const done = await sessions.register({ ...entry, date: date ?? today }, upkeep)
  await deps.ledger().registered(session, done.file)
  const { file, indices, archived, proposal } = done
  return {
    file,
    indices: [...indices.written],
    archived: [...archived],
    proposal: proposal === undefined ? null : { ...proposal, files: [...proposal.files] },
  }
}

async function list(
  deps: HandlerDeps,
  { sinceMs, limit }: { readonly sinceMs: number; readonly limit: number },
) {
  const { logged, count } = listLogged(deps.root(), limit)
  const since = deps.clock.now() - sinceMs
  const rows = await deps.ledger().listLive({ sinceMs: since, classifier: deps.classifier() })
  const held = deps.claims().list()
  const live = rows.slice(0, limit).map((it) => liveSession(it, held))
  return { live, logged: [...logged], loggedCount: count }
}

function liveSession(row: LiveRow, held: readonly Pick<Claim, "session">[]): LiveSession {
  return { ...row, claims: held.filter((it) => it.session === row.session).length }
}

/** By session id, or by the file of a registered session. */
async function show(deps: HandlerDeps, session: string): Promise<SessionShow> {
  const classifier = deps.classifier()
  const ledger = deps.ledger()
  const rows = await ledger.listLive({ sinceMs: deps.clock.now() - YEAR_MS, classifier })
  const row = rows.find((it) => it.session === session)
  if (row === undefined) return showRecord(deps.recordOf(session))
  const claims = deps.claims()
  const held = claims.list().filter((it) => it.session === session)
  const summary = await ledger.summarise(session)
  return {
    live: liveSession(row, held),
    files: summary.paths.map(({ path, edits, firstAt, lastAt }) => {
      return { path, edits, firstAt, lastAt, isImportant: classifier.isImportant(path) }
    }),
    outside: [...summary.outside],
    registered: [...summary.registered],
    nudges: summary.nudges.map(({ at }) => ({ at })),
    simulations: summary.simulations.map(({ id, risk, at, files }) => {
      return { id, risk, at, paths: files.map((it) => it.path) }
    }),
    loaded: [...(await deps.loadedBy(session))],
    claims: held.map((it) => shown(it, claims)),
    text: null,
  }
}

function showRecord(text: string): SessionShow {
  const none = { files: [], outside: [], registered: [], nudges: [], simulations: [] }
  return { ...none, live: null, loaded: [], claims: [], text }
}
