import { readLoaded, splitPatterns } from "#choose/guard"
import type { Handlers, LiveSession, SessionShow, sessionOperations } from "#ground/contract"
import {
  createClassifier,
  createLedger,
  createSessions,
  type LiveRow,
  listLogged,
  readLogged,
  type SessionEntry,
} from "#know/ledger"
import { SessionUnknown } from "../errors.ts"
import type { Services } from "../services.ts"
import { claimsOf, sessionOf, shown } from "./claims.ts"

const HOUR_MS = 3_600_000
const YEAR_MS = 365 * 24 * HOUR_MS

type SessionDeps = Pick<
  Services,
  "clock" | "config" | "environment" | "places" | "random" | "secrets"
>

export const sessionHandlers = (deps: SessionDeps): Handlers<typeof sessionOperations> => ({
  register: ({ session, ...entry }, { caller }) =>
    register(deps, entry, session ?? sessionOf(caller, deps)),
  index: async () => ({
    indices: [...(await (await sessionsOf(deps)).writeIndices()).written],
  }),
  list: ({ sinceHours, limit }) => list(deps, { sinceMs: sinceHours * HOUR_MS, limit }),
  show: ({ session }) => show(deps, session),
  activity: async ({ after, limit }) => ({
    entries: [...(await ledgerOf(deps).activity({ afterMs: after ?? 0, limit }))],
  }),
})

type Entry = Omit<SessionEntry, "date"> & { readonly date?: string | undefined }

/** Writes the file first, then marks the session as registered in its ledger. */
async function register(deps: SessionDeps, { date, ...entry }: Entry, session: string) {
  const now = deps.clock.now()
  const today = new Date(now).toISOString().slice(0, 10)
  const sessions = await sessionsOf(deps)
  const upkeep = { level: deps.config().kit.level, now }
  const done = await sessions.register({ ...entry, date: date ?? today }, upkeep)
  await ledgerOf(deps).registered(session, done.file)
  const { file, indices, archived, proposal } = done
  return {
    file,
    indices: [...indices.written],
    archived: [...archived],
    proposal: proposal === undefined ? null : { ...proposal, files: [...proposal.files] },
  }
}

async function list(
  deps: SessionDeps,
  { sinceMs, limit }: { readonly sinceMs: number; readonly limit: number },
) {
  const { logged, count } = listLogged(deps.places().repository.root, limit)
  const since = deps.clock.now() - sinceMs
  const rows = await ledgerOf(deps).listLive({ sinceMs: since, classifier: classifierOf(deps) })
  const held = claimsOf(deps).list()
  const live = rows.slice(0, limit).map((it) => liveSession(it, held))
  return { live, logged: [...logged], loggedCount: count }
}

type HeldClaims = readonly { readonly session: string }[]

function liveSession(row: LiveRow, held: HeldClaims): LiveSession {
  return {
    ...row,
    claims: held.filter((it) => it.session === row.session).length,
  }
}

/** By session id, or by the file of a registered session. */
async function show(deps: SessionDeps, session: string): Promise<SessionShow> {
  const { root, stateDirectory } = deps.places().repository
  const since = { sinceMs: deps.clock.now() - YEAR_MS, classifier: classifierOf(deps) }
  const row = (await ledgerOf(deps).listLive(since)).find((it) => it.session === session)
  if (row === undefined) return showLogged(root, session)
  const claims = claimsOf(deps)
  const held = claims.list().filter((it) => it.session === session)
  const summary = await ledgerOf(deps).summarise(session)
  const { isImportant } = since.classifier
  return {
    live: liveSession(row, held),
    files: summary.paths.map(({ path, edits, firstAt, lastAt }) => {
      return { path, edits, firstAt, lastAt, isImportant: isImportant(path) }
    }),
    outside: [...summary.outside],
    registered: [...summary.registered],
    nudges: summary.nudges.map(({ at }) => ({ at })),
    simulations: summary.simulations.map(({ id, risk, at, files }) => {
      return { id, risk, at, paths: files.map((it) => it.path) }
    }),
    loaded: [...(await readLoaded(stateDirectory, session))],
    claims: held.map((it) => shown(it, claims)),
    text: null,
  }
}

function showLogged(root: string, file: string): SessionShow {
  const record = readLogged(root, file)
  if (record === undefined) throw SessionUnknown({ session: file })
  const none = { files: [], outside: [], registered: [], nudges: [], simulations: [] }
  return { ...none, live: null, loaded: [], claims: [], text: record.text }
}

function ledgerOf(deps: SessionDeps) {
  const { stateDirectory } = deps.places().repository
  return createLedger({ stateDirectory, clock: deps.clock, random: deps.random })
}

function classifierOf(deps: SessionDeps) {
  const { ignored, important, registration } = deps.config().kit
  return createClassifier({
    ...(ignored !== "" && { ignored: splitPatterns(ignored) }),
    ...(important !== "" && { important: splitPatterns(important) }),
    ...(registration !== "" && { registration: splitPatterns(registration) }),
  })
}

async function sessionsOf(deps: SessionDeps) {
  const { root, stateDirectory } = deps.places().repository
  const { redact } = await deps.secrets()
  return createSessions({
    root: () => root,
    stateDirectory,
    redact: (text) => redact(text).text,
  })
}
