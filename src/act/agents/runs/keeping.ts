import { type Clock, createFile, FileExists, type Ids, writeFileAtomic } from "#ground/base"
import type {
  AgentsExport,
  AgentsHandoff,
  AgentsSaved,
  HostSession,
  Message,
  Run,
} from "#ground/contract"
import type { Db } from "#ground/store"
import { SessionUnknown } from "../errors.ts"
import { FOLDED_AT_ONCE, HANDED_OVER_FIRST, HANDED_OVER_LAST } from "../limits.ts"
import { findTranscript, type HostPlaces } from "../sessions/find-sessions.ts"
import { handoffOf } from "../sessions/handoff.ts"
import { listHostSessions } from "../sessions/list-sessions.ts"
import { openSessionFile, pagesOf, toLines } from "../sessions/session-file.ts"
import { exportHtml } from "../views/export-html.ts"
import type { Book } from "./kept/book.ts"
import { insertMessages, setLastSeq } from "./kept/queries.ts"
import type { StartInput } from "./new-run.ts"
import { readIntoRun } from "./read-into-run.ts"

export type KeepingDeps = {
  readonly db: Db<"agents">
  readonly book: Book
  readonly clock: Clock
  readonly ids: Ids
  root(): string
  redact(text: string): string
  redactJson(value: unknown): unknown
  hostPlaces(): HostPlaces
  /** A path as the person gave it, made absolute. */
  resolve(path: string): string
  count(): Promise<(text: string) => number>
  /** Random, so that no text can hold it. */
  delimiter(): string
  start(input: StartInput): Promise<Run>
}

type ExportInput = { readonly id: string; readonly format: "jsonl" | "html" }

/** Runs in and out of the store: as files, from hosts' transcripts, into a fresh session. */
export function createKeeping(deps: KeepingDeps) {
  return { ...createFiling(deps), ...createTakingOver(deps) }
}

function createFiling(deps: KeepingDeps) {
  const { book } = deps
  const pages = (id: string) =>
    pagesOf((after) => book.messages(id, { after, limit: FOLDED_AT_ONCE }))

  async function exportRun({ id, format }: ExportInput): Promise<AgentsExport> {
    const { run } = await book.find(id)
    const chunks =
      format === "html"
        ? exportHtml({ run, pages: pages(id), exportedAt: deps.clock.now() })
        : toLines(run, pages(id))
    const text = (await gathered(chunks)).join("")
    return { text, messages: run.lastSeq, sizeBytes: Buffer.byteLength(text) }
  }
  return {
    exportRun,
    /** Never over a file that is there. */
    async saveRun({
      file,
      ...asked
    }: ExportInput & { readonly file: string }): Promise<AgentsSaved> {
      const { text, ...facts } = await exportRun(asked)
      const target = deps.resolve(file)
      const made = await createFile(target)
      if (made.kind !== "created") throw FileExists({ path: target })
      await writeFileAtomic(target, text)
      return { file: target, ...facts }
    },
    async importRun(file: string): Promise<Run> {
      const { run, pages: read } = await openSessionFile(deps.resolve(file), {
        ...deps,
        cwd: deps.root(),
      })
      // The run is written last: until then nobody sees its messages.
      const lastSeq = await keepPages(run.id, read(), deps.db)
      await book.add({ ...run, lastSeq: 0 }, { configuration: { mode: run.mode }, ...NOBODYS })
      await deps.db.run(setLastSeq(run.id, lastSeq))
      return (await book.find(run.id)).run
    },
  }
}

function createTakingOver(deps: KeepingDeps) {
  const { book } = deps
  return {
    async sessions(filter: { limit: number; everywhere: boolean }): Promise<HostSession[]> {
      const found = await listHostSessions({
        ...deps.hostPlaces(),
        ...filter,
        root: deps.root(),
        redact: deps.redact,
      })
      const withRun = async (it: (typeof found)[number]): Promise<HostSession> => ({
        ...it,
        runId: (await book.ofSession(it.sessionId))?.run.id ?? null,
      })
      return Promise.all(found.map(withRun))
    },
    async readSession(sessionId: string): Promise<Run> {
      const known = await book.ofSession(sessionId)
      // A run of ours was heard whole while it worked.
      if (known !== undefined && known.run.origin !== "read") return known.run
      const transcript = await transcriptOf(sessionId, deps.hostPlaces())
      return readIntoRun(transcript, known, deps)
    },
    async handoff(id: string, mustStart: boolean): Promise<AgentsHandoff> {
      const { run, hidden } = await book.find(id)
      const count = await deps.count()
      const messages = await endsOf(run, book)
      const made = handoffOf({ run, messages, delimiter: deps.delimiter(), count })
      if (!mustStart) return { ...made, run: null }
      // The package is as old as the run; what came of it since is in the words.
      const { env: _env, resume: _resume, pack: _pack, ...kept } = hidden.configuration
      const configuration = { ...kept, mode: run.mode, cwd: run.cwd }
      const started = await deps.start({ type: run.type, prompt: made.text, configuration })
      const title = `${run.title}, continued`
      return { ...made, run: await book.edit(started.id, { title, isTitleOwn: run.isTitleOwn }) }
    },
  }
}

const NOBODYS = { owner: null, leaseUntil: 0 } as const

async function transcriptOf(sessionId: string, places: HostPlaces) {
  for (const host of ["claude-code", "codex"] as const) {
    const file = await findTranscript(host, sessionId, places)
    if (file !== undefined) return { host, sessionId, file }
  }
  throw SessionUnknown({ id: sessionId })
}

async function gathered(chunks: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = []
  for await (const chunk of chunks) all.push(chunk)
  return all
}

/** Gives the number of the last one. */
async function keepPages(
  runId: string,
  pages: AsyncIterable<readonly Message[]>,
  db: Db<"agents">,
): Promise<number> {
  let last = 0
  for await (const page of pages) {
    if (page.length === 0) continue
    await db.run(insertMessages(runId, page))
    last = page.at(-1)?.seq ?? last
  }
  return last
}

/** How it began and where it stands; the middle of a long run is in its diffs and its words. */
async function endsOf({ id, lastSeq }: Run, book: Book): Promise<Message[]> {
  const first = await book.messages(id, { after: 0, limit: HANDED_OVER_FIRST })
  const from = Math.max(HANDED_OVER_FIRST, lastSeq - HANDED_OVER_LAST)
  const last = await book.messages(id, { after: from, limit: HANDED_OVER_LAST })
  return [...first, ...last]
}
