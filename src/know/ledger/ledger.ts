import { join } from "node:path"
import {
  type Clock,
  createJsonl,
  ensureDirectory,
  openFolder,
  type Random,
  statFile,
} from "#ground/base"
import type { ActivityEntry } from "#ground/contract"
import type { Classifier } from "./classify.ts"
import { type Drift, type NudgeDue, readDrift, readNudgeDue } from "./drift.ts"
import { LedgerUnreadable } from "./errors.ts"
import { digest } from "./paths.ts"
import { type LedgerRecord, readLedger, readLines } from "./records.ts"
import {
  activityOf,
  type LedgerSummary,
  type LiveRow,
  liveOf,
  type Simulation,
  simulationOf,
  summaryOf,
} from "./summary.ts"

const MOST_LEDGER_ENTRIES = 20_000

const MOST_LEDGERS = 200

type LedgerDeps = {
  /** Shared by all worktrees, not tracked by git. */
  readonly stateDirectory: string
  readonly clock: Pick<Clock, "now">
  readonly random: Random
}

export type Ledger = ReturnType<typeof createLedger>

export type LedgerSession = {
  readonly sessionId: string
  readonly host: string | undefined
  readonly lastAt: number
}

export type TreeSession = LedgerSession & {
  /** Files of this worktree that it edited. */
  readonly paths: readonly string[]
}

export type Touch = {
  readonly sessionId: string
  readonly path: string
  readonly tool: string
  readonly at: number
  readonly tree: string | undefined
}

export function createLedger(deps: LedgerDeps) {
  const folder = join(deps.stateDirectory, "ledger")
  const files: LedgerFolder = { folder, fileOf: (id) => join(folder, `${digest(id)}.jsonl`) }
  return {
    ...writers(files, deps),
    ...readers(files),
    ...acrossSessions(files),
    ...openers(files, deps),
  }
}

type LedgerFolder = { readonly folder: string; fileOf(sessionId: string): string }

function writers(files: LedgerFolder, { clock, random }: LedgerDeps) {
  const append = (sessionId: string, entry: Entry) =>
    appendTo(files, sessionId, { ...entry, at: clock.now() })
  return {
    modified: (sessionId: string, { path, tool, sha, tree }: Modification) =>
      append(sessionId, { kind: "modified", path, tool, sha, tree }),
    changedOutside: (sessionId: string, path: string) =>
      append(sessionId, { kind: "outside", path }),
    simulated: (sessionId: string, it: Omit<Simulation, "at">) =>
      append(sessionId, { kind: "simulated", id: it.id, files: it.files, risk: it.risk }),
    registered: (sessionId: string, file: string) =>
      append(sessionId, { kind: "registered", file }),
    /** True for exactly one caller per session and fingerprint: the one whose line is first. */
    async nudge(sessionId: string, fingerprint: string): Promise<boolean> {
      const nonce = Buffer.from(random.bytes(16)).toString("hex")
      await append(sessionId, { kind: "nudged", fingerprint, nonce })
      const mark = `"fingerprint":${JSON.stringify(fingerprint)}`
      const nudges = await readLines(files.fileOf(sessionId), mark)
      const first = nudges.find((it) => it.kind === "nudged" && it.fingerprint === fingerprint)
      return first?.kind === "nudged" && first.nonce === nonce
    },
  }
}

function openers(files: LedgerFolder, { clock }: LedgerDeps) {
  return {
    /** Once per host and worktree. */
    async opened(sessionId: string, host: string, tree?: string): Promise<void> {
      const file = files.fileOf(sessionId)
      const last = (await openedIn(file)).findLast((it) => it.host !== undefined)
      if (last?.host === host && (tree === undefined || last.tree === tree)) return
      await ensureDirectory(files.folder)
      await linesOf(file).append({ kind: "opened", sessionId, host, tree, at: clock.now() })
    },
  }
}

type Modification = {
  readonly path: string
  readonly tool: string
  readonly sha?: string | undefined
  readonly tree?: string | undefined
}

export function treeName(root: string): string {
  return digest(root).slice(0, 12)
}

/** The session that holds the claims of a worktree, whichever session works in it. */
export function worktreeSession(root: string): string {
  return `worktree:${treeName(root)}`
}

/** A line without a worktree counts everywhere. */
export function isInTree(it: { readonly tree: string | undefined }, tree: string | undefined) {
  return it.tree === undefined || tree === undefined || it.tree === tree
}

function readers({ fileOf }: LedgerFolder) {
  return {
    async summarise(sessionId: string): Promise<LedgerSummary> {
      return summaryOf(sessionId, await readLedger(fileOf(sessionId)))
    },
    drift: (sessionId: string, classifier: Classifier): Promise<Drift> =>
      readDrift(fileOf(sessionId), classifier),
    nudgeDue: (sessionId: string, classifier: Classifier): Promise<NudgeDue> =>
      readNudgeDue(fileOf(sessionId), classifier),
    async simulations(sessionId: string): Promise<readonly Simulation[]> {
      const lines = await readLines(fileOf(sessionId), '"kind":"simulated"')
      return lines.flatMap((it) => simulationOf(it) ?? [])
    },
    /** Files that the session edited, the newest edit last. */
    async editedPaths(sessionId: string): Promise<readonly string[]> {
      const lines = await readLines(fileOf(sessionId), '{"kind":"modified"')
      const paths = lines.flatMap((it) => (it.kind === "modified" ? [it.path] : []))
      return [...new Set(paths.toReversed())].toReversed()
    },
    ownEdits: (sessionId: string, path: string): Promise<readonly ModifiedRecord[]> =>
      edits(fileOf(sessionId), path),
    async ownSha(sessionId: string, path: string, tree?: string): Promise<string | undefined> {
      const own = await edits(fileOf(sessionId), path)
      return own.findLast((it) => isInTree(it, tree))?.sha
    },
  }
}

function acrossSessions({ folder, fileOf }: LedgerFolder) {
  return {
    async touchesOfOthers(
      path: string,
      options: { readonly exceptSessionId: string; readonly sinceMs: number },
    ): Promise<readonly Touch[]> {
      const own = fileOf(options.exceptSessionId)
      const files = recentFiles(folder, options.sinceMs).filter((it) => it !== own)
      const touches = await Promise.all(files.map((it) => lastTouch(it, path)))
      return touches
        .flatMap((it) => (it === undefined || it.at < options.sinceMs ? [] : [it]))
        .toSorted((a, b) => b.at - a.at)
    },
    /** Other sessions that were opened in this worktree or edited files of it since then. */
    async othersInTree(
      tree: string,
      options: { readonly exceptSessionId: string; readonly sinceMs: number },
    ): Promise<readonly TreeSession[]> {
      const own = fileOf(options.exceptSessionId)
      const others = recentFiles(folder, options.sinceMs).filter((it) => it !== own)
      const sessions = await Promise.all(others.map((it) => treeSessionIn(it, tree, options)))
      return sessions.flatMap((it) => it ?? []).toSorted((a, b) => b.lastAt - a.lastAt)
    },
    async sessions(options: {
      readonly sinceMs: number
      readonly most?: number
    }): Promise<readonly LedgerSession[]> {
      const recent = recentFiles(folder, options.sinceMs).slice(0, options.most ?? MOST_LEDGERS)
      const sessions = await Promise.all(recent.map(sessionOf))
      return sessions.flatMap((it) => it ?? []).toSorted((a, b) => b.lastAt - a.lastAt)
    },
    async activity(options: { readonly afterMs: number; readonly limit: number }) {
      const activities = await Promise.all(
        recentFiles(folder, options.afterMs).map((it) => activityIn(it).catch(unlessUnreadable)),
      )
      return activities
        .flatMap((it) => it ?? [])
        .filter((it) => it.at > options.afterMs)
        .toSorted((a, b) => a.at - b.at)
        .slice(-options.limit)
    },
    async listLive(options: {
      readonly sinceMs: number
      readonly classifier: Classifier
    }): Promise<readonly LiveRow[]> {
      const rows: LiveRow[] = []
      for (const file of recentFiles(folder, options.sinceMs)) {
        const row = await liveIn(file, options.classifier).catch(unlessUnreadable)
        if (row !== undefined) rows.push(row)
      }
      return rows.toSorted((a, b) => b.lastAt - a.lastAt)
    },
  }
}

type Kinds = Exclude<LedgerRecord, { kind: "opened" }>
type Entry = Kinds extends infer One ? (One extends Kinds ? Omit<One, "at"> : never) : never

/**
 * Not flushed, because a hook would wait for the disk at every edit. A power cut may lose the last
 * lines; a crash of the process loses nothing.
 */
function linesOf(file: string) {
  return createJsonl(file, { isDurable: false })
}

/**
 * The first line has the session id, which the file name does not. Two processes may both write it.
 */
async function appendTo(
  { folder, fileOf }: LedgerFolder,
  sessionId: string,
  record: Entry & { readonly at: number },
): Promise<void> {
  const file = fileOf(sessionId)
  const lines = linesOf(file)
  if ((await statFile(file)).kind === "missing") {
    await ensureDirectory(folder)
    await lines.append({ kind: "opened", sessionId, at: record.at })
  }
  await lines.append(record)
}

type ModifiedRecord = Extract<LedgerRecord, { kind: "modified" }>

async function edits(file: string, path: string): Promise<readonly ModifiedRecord[]> {
  const lines = await readLines(file, `"path":${JSON.stringify(path)}`)
  return lines.flatMap((it) => (it.kind === "modified" && it.path === path ? [it] : []))
}

async function lastTouch(file: string, path: string): Promise<Touch | undefined> {
  const last = (await edits(file, path)).at(-1)
  const session = last === undefined ? undefined : await sessionOf(file)
  if (last === undefined || session === undefined) return undefined
  const { tool, at, tree } = last
  return { sessionId: session.sessionId, path, tool, at, tree }
}

/** If a session moved to another host, the last recorded host wins. */
async function sessionOf(file: string): Promise<LedgerSession | undefined> {
  const openings = await openedIn(file)
  const fileStat = await statFile(file)
  const [first] = openings
  if (first === undefined || fileStat.kind !== "found") return undefined
  const host = openings.findLast((it) => it.host !== undefined)?.host
  return { sessionId: first.sessionId, host, lastAt: fileStat.stat.modifiedAtMs }
}

async function treeSessionIn(
  file: string,
  tree: string,
  { sinceMs }: { readonly sinceMs: number },
): Promise<TreeSession | undefined> {
  const session = await sessionOf(file)
  if (session === undefined) return undefined
  const lines = await readLines(file, '"tree":')
  const edited = lines.filter((it) => it.kind === "modified" && it.tree === tree)
  const recent = edited.flatMap((it) =>
    it.kind === "modified" && it.at >= sinceMs ? [it.path] : [],
  )
  const opened = lines.findLast((it) => it.kind === "opened")
  const isHere = opened?.kind === "opened" && opened.tree === tree
  if (!isHere && recent.length === 0) return undefined
  return { ...session, paths: [...new Set(recent)] }
}

async function openedIn(file: string) {
  const lines = await readLines(file, '{"kind":"opened"')
  return lines.filter((it) => it.kind === "opened")
}

async function liveIn(file: string, classifier: Classifier): Promise<LiveRow | undefined> {
  const ledgerSession = await sessionOf(file)
  if (ledgerSession === undefined) return undefined
  const { sessionId: session, host, lastAt } = ledgerSession
  return liveOf({ session, host, lastAt }, await readLedger(file), classifier)
}

async function activityIn(file: string): Promise<readonly ActivityEntry[]> {
  const session = (await sessionOf(file))?.sessionId
  if (session === undefined) return []
  return activityOf(session, await readLedger(file))
}

function unlessUnreadable(error: unknown): undefined {
  if (!LedgerUnreadable.is(error)) throw error
}

function recentFiles(folder: string, sinceMs: number): readonly string[] {
  const opened = openFolder(folder)
  if (opened.kind !== "open") return []
  using held = opened.folder
  const listed = held.list({ maxEntries: MOST_LEDGER_ENTRIES })
  const entries = listed.kind === "listed" ? listed.entries : []
  const files = entries.flatMap(({ name, what }) => {
    const fileStat =
      what === "regular file" && name.endsWith(".jsonl") ? held.stat(name) : undefined
    const modifiedAtMs = fileStat?.kind === "found" ? fileStat.stat.modifiedAtMs : -1
    return modifiedAtMs >= sinceMs ? [{ name, modifiedAtMs }] : []
  })
  const newest = files.toSorted((a, b) => b.modifiedAtMs - a.modifiedAtMs).slice(0, MOST_LEDGERS)
  return newest.map((it) => join(folder, it.name))
}
