import { type Clock, compareText, type FileStat, type Log, parseJson, statFile } from "#ground/base"
import type {
  CallContext,
  CaptureAdvice,
  CostGroup,
  ImportState,
  PlanWindow,
  SessionsContext,
  SessionsCost,
  SessionsImported,
  SessionsLines,
  SessionsList,
  SessionsSearch,
  SessionsShow,
  SessionsWaste,
  WasteFix,
} from "#ground/contract"
import { PRICES_VERSION } from "#ground/tokens"
import { findTranscripts, type HostHome } from "#see/hosts"
import { SessionAmbiguous, SessionNotIndexed, WasteNotAnEdit, WasteUnknown } from "./errors.ts"
import { type FoundFile, importFile, isCovered } from "./import/import-file.ts"
import {
  CompactionRow,
  CountRow,
  countSessions,
  countSessionsSince,
  FileRow,
  IdRow,
  type LineFilter,
  LineRow,
  PathRow,
  type SessionFilter,
  SessionRow,
  type SessionsDb,
  StateRow,
  selectCompactions,
  selectFiles,
  selectFilesOf,
  selectIdsFrom,
  selectLines,
  selectNewestStates,
  selectPaths,
  selectSession,
  selectSessions,
  selectTools,
  shownLine,
  ToolRow,
} from "./queries.ts"
import { costCsv } from "./query/cost-csv.ts"
import { costMonth } from "./query/cost-month.ts"
import { costRows } from "./query/cost-rows.ts"
import { searchLines } from "./query/search.ts"
import { contextOverTime, describeSessions } from "./query/session-facts.ts"
import { budgetStates, reprice, sinceOf, spendBy, unpricedModels } from "./query/spend.ts"
import { TranscriptState } from "./transcript/transcript-state.ts"
import { createDismissedFindings } from "./waste/dismissed-findings.ts"
import { findSessionWaste, startSizes } from "./waste/find-waste.ts"
import { changeFor, createFixes, findingsOfAdvice } from "./waste/fixes.ts"

/** A server answers with what is indexed after this time, and continues to index. */
const SERVER_WAIT_MS = 1_500

/** A server looks for new lines this often; a palette asks at every letter. */
const LOOK_EVERY_MS = 2_000

/** Transcripts of one import, newest first; the store would grow without limit. */
const MAX_FILES = 20_000

type SessionIndexSettings = {
  readonly import: ImportState["setting"]
  readonly dayBudget: number
  readonly weekBudget: number
  readonly monthBudget: number
}

export type SessionIndexDeps = {
  db(): Promise<SessionsDb>
  readonly clock: Clock
  readonly log: Log
  hostHome(): HostHome
  settings(): SessionIndexSettings
  redact(): Promise<(text: string) => string>
  /** The main root of the repository that a directory belongs to. */
  repositoryOf(directory: string): Promise<string>
  /** The main root of the repository of this process. */
  ownRepository(): Promise<string>
  /** The working tree in which findings are fixed. */
  root(): string
  /** Of applied fixes with the bytes before them. */
  fixesFolder(): string
  /** A server answers before a long import is done; a command waits for it. */
  readonly staysOpen: boolean
}

export type SessionIndex = ReturnType<typeof createSessionIndex>

type Scope = "repository" | "machine"

type Waiting = Pick<ImportState, "waitingBytes" | "waitingFiles"> & { readonly at: number }

/** The index of all hosts' transcripts: import, list, search, context over time and cost. */
export function createSessionIndex(deps: SessionIndexDeps) {
  let running: Promise<Omit<SessionsImported, "import">> | undefined
  let lookedAt = Number.NEGATIVE_INFINITY
  let lastWaiting: Waiting | undefined

  const isRecent = (at: number): boolean =>
    deps.staysOpen && deps.clock.monotonicMs() - at < LOOK_EVERY_MS

  /** One import at a time in this process. */
  async function index(scope: Scope, context: CallContext) {
    while (running !== undefined) await running.catch(() => {})
    running = importAll(scope, deps, context).finally(() => {
      running = undefined
      lastWaiting = undefined
      lookedAt = deps.clock.monotonicMs()
    })
    return running
  }

  /**
   * Before each read, if the user agreed. A failed import does not cost the answer. In a server the
   * import outlives the request that started it.
   */
  async function refresh(context: CallContext): Promise<void> {
    const { import: setting } = deps.settings()
    if (setting !== "repository" && setting !== "machine") return
    if (running === undefined && isRecent(lookedAt)) return
    const own = deps.staysOpen ? { signal: new AbortController().signal } : context
    const work = (running ?? index(setting, own)).catch((error: unknown) => {
      context.signal.throwIfAborted()
      deps.log.warn("sessions not imported", { error })
    })
    if (!deps.staysOpen) return void (await work)
    const answered = new AbortController()
    const wait = deps.clock.sleep(SERVER_WAIT_MS, answered.signal).catch(() => {})
    await Promise.race([work.catch(() => {}), wait])
    answered.abort()
  }

  async function importState(): Promise<ImportState> {
    if (lastWaiting === undefined || !isRecent(lastWaiting.at)) {
      const at = deps.clock.monotonicMs()
      const waiting = await listWaiting(deps, undefined)
      const waitingBytes = waiting.reduce((sum, it) => sum + it.stat.sizeBytes, 0)
      lastWaiting = { at, waitingFiles: waiting.length, waitingBytes }
    }
    const { waitingFiles, waitingBytes } = lastWaiting
    const { import: setting } = deps.settings()
    return { setting, isRunning: running !== undefined, waitingFiles, waitingBytes }
  }

  async function sessionOf(idPrefix: string): Promise<SessionRow> {
    const db = await deps.db()
    const exact = await db.get(SessionRow, selectSession(idPrefix))
    if (exact !== undefined) return exact
    const ids = await db.all(IdRow, selectIdsFrom(idPrefix))
    if (ids.length > 1) throw SessionAmbiguous({ session: idPrefix, count: ids.length })
    const [only] = ids
    const row = only === undefined ? undefined : await db.get(SessionRow, selectSession(only.id))
    if (row === undefined) throw SessionNotIndexed({ session: idPrefix })
    return row
  }

  function fixes() {
    return createFixes({ folder: deps.fixesFolder(), root: deps.root(), clock: deps.clock })
  }

  const dismissed = () => createDismissedFindings({ folder: deps.fixesFolder(), clock: deps.clock })

  async function appliedFixes(db: SessionsDb, filter: SessionFilter): Promise<WasteFix[]> {
    const applied = await fixes().list()
    if (applied.length === 0) return []
    const starts = await startSizes(db, filter)
    return applied.map((fix) => ({ ...fix, ...realisedBy(fix.appliedAt, starts) }))
  }

  return {
    async import({ scope }: { readonly scope: Scope }, context: CallContext) {
      const done = await index(scope, context)
      return { ...done, import: await importState() } satisfies SessionsImported
    },

    async list(
      { limit, ...filter }: SessionFilter & { readonly limit: number },
      context: CallContext,
    ): Promise<SessionsList> {
      await refresh(context)
      const db = await deps.db()
      const rows = await db.all(SessionRow, selectSessions(filter, limit))
      const total = (await db.get(CountRow, countSessions(filter)))?.count ?? 0
      return { sessions: await describeSessions(db, rows), total, import: await importState() }
    },

    async show({ session: idPrefix }: { readonly session: string }, context: CallContext) {
      await refresh(context)
      const row = await sessionOf(idPrefix)
      const db = await deps.db()
      const [session] = await describeSessions(db, [row])
      if (session === undefined) throw SessionNotIndexed({ session: idPrefix })
      const ever = { since: 0, until: Number.MAX_SAFE_INTEGER }
      const filter = { session: row.id }
      const agents = await spendBy(db, "agent", { ...ever, filter })
      const files = await db.all(FileRow, selectFilesOf(row.id))
      const compactions = await db.all(CompactionRow, selectCompactions(row.id))
      return {
        session,
        paths: await db.all(PathRow, selectPaths(row.id)),
        agents: agents.map((it) => ({ agent: it.key, spend: it.spend })),
        tools: await db.all(ToolRow, selectTools(filter, ever)),
        compactions: compactions.map((it) => ({
          at: it.at,
          turn: it.turn,
          cause: it.cause,
          tokensBefore: it.tokens_before,
          tokensAfter: it.tokens_after,
        })),
        problems: files.flatMap(({ file, problem }) =>
          problem === null ? [] : [{ file, problem }],
        ),
      } satisfies Omit<SessionsShow, "ledger">
    },

    async lines({ session, limit, ...filter }: LinesRequest): Promise<SessionsLines> {
      const row = await sessionOf(session)
      const rows = await (await deps.db()).all(LineRow, selectLines(row.id, filter, limit))
      const next = rows.length < limit ? null : (rows.at(-1)?.id ?? null)
      return { lines: rows.map(shownLine), next }
    },

    async search(
      { query, limit, session, ...filter }: SessionFilter & SearchInput,
      context: CallContext,
    ): Promise<SessionsSearch> {
      await refresh(context)
      const db = await deps.db()
      const id = session === undefined ? undefined : (await sessionOf(session)).id
      // A secret matches no line, because lines are redacted too; the response names its words.
      const words = (await deps.redact())(query)
      const search = { query: words, limit, filter: { ...filter, session: id } }
      const results = await searchLines(db, search)
      return { ...results, import: await importState() }
    },

    async context(
      { session, agent, limit }: { session: string; agent: string; limit: number },
      context: CallContext,
    ): Promise<SessionsContext> {
      await refresh(context)
      return contextOverTime(await deps.db(), await sessionOf(session), { agent, limit })
    },

    async cost(
      { since: sinceText, by, format, ...filter }: SessionFilter & CostInput,
      context: CallContext,
    ): Promise<SessionsCost> {
      await refresh(context)
      const db = await deps.db()
      await reprice(db)
      const now = deps.clock.now()
      const period = { since: sinceOf(sinceText, now), until: now + 1 }
      const cost: SessionsCost = {
        by,
        ...period,
        ...(await costRows(db, by, { ...period, filter })),
        tools: by === "tool" ? await db.all(ToolRow, selectTools(filter, period)) : [],
        unpricedModels: await unpricedModels(db, period),
        priceTable: PRICES_VERSION,
        budgets: await budgetStates(db, deps.settings(), now),
        month: await costMonth(db, now),
        planWindows: await planWindows(db, now),
        import: await importState(),
      }
      return format === "csv" ? { ...cost, csv: costCsv(cost) } : cost
    },

    /** Findings of the transcripts, and of the start context by the given advice. */
    async waste(
      { since: sinceText, advice }: { readonly since: string; readonly advice: Advice },
      context: CallContext,
    ): Promise<Omit<SessionsWaste, "problems">> {
      await refresh(context)
      const db = await deps.db()
      const now = deps.clock.now()
      const filter = { repository: await deps.ownRepository() }
      const period = { since: sinceOf(sinceText, now), until: now + 1 }
      const findings = [
        ...(await findSessionWaste(db, { ...period, filter })),
        ...(await findingsOfAdvice(advice, deps.root())),
      ]
      return {
        since: period.since,
        sessions: await sessionsSince(db, period.since, filter),
        ...(await dismissed().split(
          findings.toSorted((a, b) => b.tokens - a.tokens || compareText(a.id, b.id)),
        )),
        applied: await appliedFixes(db, filter),
      }
    },

    /** Makes the edit of one of the given advice. */
    async applyFix({ id, advice }: { readonly id: string; readonly advice: Advice }) {
      const db = await deps.db()
      const findings = await findingsOfAdvice(advice, deps.root())
      const index = findings.findIndex((it) => it.id === id)
      const finding = findings[index]
      const item = advice[index]
      if (finding === undefined || item === undefined) throw WasteUnknown({ id })
      const change = await changeFor(item, deps.root())
      if (change === undefined) throw WasteNotAnEdit({ id })
      await fixes().apply(finding, change)
      const applied = await appliedFixes(db, { repository: await deps.ownRepository() })
      const fix = applied.find((it) => it.id === id)
      if (fix === undefined) throw WasteUnknown({ id })
      return fix
    },

    undoFix: (id: string) => fixes().undo(id),

    dismissFinding: (id: string) => dismissed().dismiss(id),

    restoreFinding: (id: string) => dismissed().restore(id),
  }
}

type Advice = readonly CaptureAdvice[]

const SAMPLED_SESSIONS = 10

/** The usual start of the sessions before, less that of the sessions after. */
function realisedBy(
  appliedAt: number,
  starts: readonly { readonly started: number; readonly tokens: number }[],
): Pick<WasteFix, "realisedTokens" | "sessionsAfter"> {
  const after = starts.filter((it) => it.started >= appliedAt)
  const before = starts.filter((it) => it.started < appliedAt).slice(0, SAMPLED_SESSIONS)
  const sessionsAfter = after.length
  if (after.length === 0 || before.length === 0) return { realisedTokens: null, sessionsAfter }
  const usual = (all: typeof starts) => median(all.map((it) => it.tokens))
  const realisedTokens = Math.round(usual(before) - usual(after.slice(-SAMPLED_SESSIONS)))
  return { realisedTokens, sessionsAfter }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length / 2
  const [low = 0, high = low] = sorted.slice(Math.ceil(half) - 1, Math.floor(half) + 1)
  return (low + high) / 2
}

type LinesRequest = LineFilter & { readonly session: string; readonly limit: number }
type SearchInput = { readonly query: string; readonly limit: number }
type CostInput = {
  readonly since: string
  readonly by: CostGroup
  readonly format?: "csv" | undefined
}

async function sessionsSince(
  db: SessionsDb,
  since: number,
  filter: SessionFilter,
): Promise<number> {
  return (await db.get(CountRow, countSessionsSince(since, filter)))?.count ?? 0
}

/** Only Codex writes them into its transcripts. A window that has reset since says nothing. */
async function planWindows(db: SessionsDb, now: number): Promise<PlanWindow[]> {
  const states = (await db.all(StateRow, selectNewestStates("codex"))).map((it) =>
    TranscriptState.parse(parseJson(it.state) ?? {}),
  )
  const newest = states
    .map((it) => it.planWindows)
    .toSorted((a, b) => (b[0]?.at ?? 0) - (a[0]?.at ?? 0))[0]
  return (newest ?? [])
    .filter((it) => it.resetsAt === null || it.resetsAt > now)
    .map((it) => ({ host: "codex", ...it, windowMinutes: it.windowMinutes || null }))
}

/** Transcripts with something to read, newest first. */
async function listWaiting(
  deps: SessionIndexDeps,
  only: string | undefined,
): Promise<readonly FoundFile[]> {
  const db = await deps.db()
  const rows = new Map((await db.all(FileRow, selectFiles())).map((it) => [it.file, it]))
  const waiting: FoundFile[] = []
  let count = 0
  for await (const transcript of findTranscripts(deps.hostHome())) {
    count += 1
    if (count > MAX_FILES) break
    const stat = transcript.rows?.stat ?? (await statOf(transcript.file))
    if (stat === undefined) continue
    const file = { ...transcript, stat }
    if (!isCovered(rows.get(file.file), file, only)) waiting.push(file)
  }
  return waiting.toSorted((a, b) => b.stat.modifiedAtMs - a.stat.modifiedAtMs)
}

async function statOf(file: string): Promise<FileStat | undefined> {
  const stat = await statFile(file)
  return stat.kind === "found" && stat.what === "regular file" ? stat.stat : undefined
}

async function importAll(
  scope: Scope,
  deps: SessionIndexDeps,
  { signal, onProgress }: CallContext,
) {
  const only = scope === "repository" ? await deps.ownRepository() : undefined
  const db = await deps.db()
  const redact = await deps.redact()
  const waiting = await listWaiting(deps, only)
  const importDeps = { db, redact, repositoryOf: deps.repositoryOf, only }
  const sessions = new Set<string>()
  const skipped: { file: string; reason: string }[] = []
  let [files, lines, bytes] = [0, 0, 0]
  for (const [index, file] of waiting.entries()) {
    onProgress?.({ what: "indexing transcripts", done: index, total: waiting.length })
    signal.throwIfAborted()
    const done = await importFile(file, importDeps, signal)
    if (done.kind === "skipped") skipped.push({ file: file.file, reason: done.reason })
    if (done.kind !== "indexed") continue
    sessions.add(file.sessionId)
    files += 1
    lines += done.lines
    bytes += done.bytes
  }
  onProgress?.({ what: "indexing transcripts", done: waiting.length, total: waiting.length })
  return { files, sessions: sessions.size, lines, bytes, skipped }
}
