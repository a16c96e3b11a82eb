import { z } from "zod"
import {
  type Clock,
  createFile,
  FileExists,
  type Ids,
  parseJson,
  writeFileAtomic,
} from "#ground/base"
import type {
  AgentsExport,
  AgentsHandoff,
  AgentsSaved,
  ContextPart,
  HostSession,
  Message,
  Run,
} from "#ground/contract"
import type { Db } from "#ground/store"
import type { HostHome } from "#see/hosts"
import { SessionUnknown } from "../errors.ts"
import { findTranscript, type ReadableTranscript } from "../sessions/find-sessions.ts"
import { handoffOf } from "../sessions/handoff-text.ts"
import { createSessionHeads, listHostSessions } from "../sessions/list-sessions.ts"
import { readTranscript, type TranscriptPage } from "../sessions/read-transcript.ts"
import { restoredContext } from "../sessions/restore-context.ts"
import { openSessionFile, pagesOf, toLines } from "../sessions/session-file.ts"
import { newRun, type StartInput } from "./run-commands.ts"
import type { PriceOf } from "./run-progress.ts"
import { insertMessages } from "./stores/message-store.ts"
import { noteReading, type RunRow, setLastSeq } from "./stores/run-store.ts"
import type { Stores } from "./stores/stores.ts"

type Deps = {
  readonly db: Db<"agents">
  readonly stores: Stores
  readonly clock: Clock
  readonly ids: Ids
  readonly priceOf: PriceOf
  root(): string
  redact(text: string): string
  redactJson(value: unknown): unknown
  hostPlaces(): HostHome
  resolve(path: string): string
}

type ExportInput = { readonly id: string; readonly format: "jsonl" | "html" }

export function createImportExport(deps: Deps) {
  const { runs, messages } = deps.stores

  async function exportRun({ id, format }: ExportInput): Promise<AgentsExport> {
    const { run } = await runs.find(id)
    const pages = pagesOf((after) => messages.list(id, { after, limit: 1_000 }))
    const chunks =
      format === "html"
        ? (await import("../views/export-html.ts")).exportHtml({
            run,
            pages,
            exportedAt: deps.clock.now(),
          })
        : toLines(run, pages)
    const text = (await Array.fromAsync(chunks)).join("")
    return { text, messages: run.lastSeq, sizeBytes: Buffer.byteLength(text) }
  }
  const heads = createSessionHeads()
  return {
    exportRun,
    async saveRun({
      file,
      ...input
    }: ExportInput & { readonly file: string }): Promise<AgentsSaved> {
      const { text, ...facts } = await exportRun(input)
      const target = deps.resolve(file)
      const made = await createFile(target)
      if (made.kind !== "created") throw FileExists({ path: target })
      await writeFileAtomic(target, text)
      return { file: target, ...facts }
    },
    async importRun(file: string): Promise<Run> {
      const options = { ...deps, cwd: deps.root() }
      const { run, pages } = await openSessionFile(deps.resolve(file), options)
      // Store the run last: until then its messages cannot be read.
      const lastSeq = await insertPages(run.id, pages(), deps.db)
      // A name in a file proves nothing.
      const added = { ...run, lastSeq: 0, startedBy: null }
      await runs.add(added, { configuration: { mode: run.mode }, ...NO_OWNER })
      await deps.db.run(setLastSeq(run.id, lastSeq))
      return (await runs.find(run.id)).run
    },
    async sessions(filter: { limit: number; everywhere: boolean }): Promise<HostSession[]> {
      const { redact } = deps
      const options = { ...deps.hostPlaces(), ...filter, root: deps.root(), redact, heads }
      const sessions = await listHostSessions(options)
      return Promise.all(
        sessions.map(async (it) => ({
          ...it,
          runId: (await runs.findBySession(it.sessionId))?.run.id ?? null,
        })),
      )
    },
    async readSession(sessionId: string): Promise<Run> {
      const row = await runs.findBySession(sessionId)
      // Our own runs were stored while they were active.
      if (row !== undefined && row.run.origin !== "read") return row.run
      for (const host of ["claude-code", "codex"] as const) {
        const file = await findTranscript(host, sessionId, deps.hostPlaces())
        if (file !== undefined) return readIntoRun({ host, sessionId, file }, row, deps)
      }
      throw SessionUnknown({ id: sessionId })
    },
  }
}

const NO_OWNER = { owner: null, leaseUntil: 0 } as const

async function insertPages(
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

const ReadFrom = z.object({ file: z.string(), head: z.string() })

async function readIntoRun(
  transcript: ReadableTranscript,
  row: RunRow | undefined,
  deps: Deps,
): Promise<Run> {
  const { runs } = deps.stores
  const from = ReadFrom.safeParse(parseJson(row?.hidden.readFrom ?? "null"))
  const after =
    row !== undefined && from.success
      ? { offset: row.hidden.readUntil, head: from.data.head }
      : undefined
  const id = row?.run.id ?? deps.ids.next("run")
  let lastSeq = row?.run.lastSeq ?? 0
  let isNew = row === undefined
  for await (const page of readTranscript(transcript, { ...deps, after })) {
    if (page.isFromStart && !isNew) {
      // Another file under the same name: the run keeps its id and loses its messages.
      await runs.remove(id)
      lastSeq = 0
      isNew = true
    }
    const run = runOf(page, { id, transcript }, deps)
    const configuration = { mode: "ask" } as const
    if (isNew) await runs.add(run, { configuration, ...NO_OWNER })
    lastSeq = await storePage(page, { id, lastSeq, transcript }, deps)
    isNew = false
  }
  return (await runs.find(id)).run
}

async function storePage(
  { messages: added, until, facts }: TranscriptPage,
  {
    id,
    lastSeq: before,
    transcript,
  }: {
    readonly id: string
    readonly lastSeq: number
    readonly transcript: ReadableTranscript
  },
  deps: Deps,
): Promise<number> {
  const now = deps.clock.now()
  const messages = added.map(({ message, at }, index) => ({
    ...message,
    id: deps.ids.next("msg"),
    seq: before + index + 1,
    timestamp: at ?? now,
  }))
  const lastSeq = before + messages.length
  const { usage, costUsd: reportedUsd, model, version, context } = facts
  const cost = { usage, reportedUsd, computedUsd: priceOfAll(facts, deps) }
  const from = JSON.stringify({ file: transcript.file, head: until.head })
  await deps.db.transaction(async (tx) => {
    if (messages.length > 0) await tx.run(insertMessages(id, messages))
    await tx.run(setLastSeq(id, lastSeq))
    await tx.run(noteReading(id, { from, until: until.offset, cost, model, version, context }))
    tx.emit("agents.advanced", { id, seq: lastSeq })
  })
  return lastSeq
}

/** Null if the price of one of its models is unknown. */
function priceOfAll({ usageByModel }: TranscriptPage["facts"], { priceOf }: Deps): number | null {
  const prices = [...usageByModel].map(([model, usage]) => priceOf(usage, model))
  if (prices.length === 0) return null
  return prices.every((it) => it !== undefined) ? prices.reduce((sum, it) => sum + it, 0) : null
}

function runOf(
  { facts, messages }: TranscriptPage,
  { id, transcript }: { readonly id: string; readonly transcript: ReadableTranscript },
  deps: Deps,
): Run {
  const { host, sessionId } = transcript
  const turns = messages.filter((it) => it.message.type === "user")
  const prompt = turns[0]?.message.content ?? facts.title ?? sessionId
  const at = messages[0]?.at ?? deps.clock.now()
  const input = { type: host, prompt, configuration: { mode: "ask" } } as const
  const run = newRun(input, { id, cwd: facts.cwd ?? deps.root(), at })
  return {
    ...run,
    title: facts.title === null ? run.title : deps.redact(facts.title),
    status: "completed",
    sessionId,
    model: facts.model,
    hostVersion: facts.version,
    startedAt: at,
    endedAt: messages.at(-1)?.at ?? at,
    turns: turns.length,
    origin: "read",
  }
}

type HandoffDeps = {
  readonly stores: Stores
  count(): Promise<(text: string) => number>
  /** Random, so that no text can contain it. */
  delimiter(): string
}

/** Messages from the start and the end of a run; the middle of a long run is in its diffs. */
const FIRST_MESSAGES = 200
const LAST_MESSAGES = 1_800

export function createHandoff(deps: HandoffDeps & { start(input: StartInput): Promise<Run> }) {
  const { runs } = deps.stores
  return async (id: string, mustStart: boolean, by?: string): Promise<AgentsHandoff> => {
    const { run, hidden } = await runs.find(id)
    const messages = await readEnds(run, deps.stores)
    const [count, delimiter] = [await deps.count(), deps.delimiter()]
    const made = handoffOf({ run, messages, delimiter, count })
    if (!mustStart) return { ...made, run: null }
    // The package is as old as the run; its effects are in the messages.
    const { env: _env, resume: _resume, pack: _pack, ...inherited } = hidden.configuration
    const configuration = { ...inherited, mode: run.mode, cwd: run.cwd }
    const started = await deps.start({ type: run.type, prompt: made.text, configuration, by })
    const title = `${run.title}, continued`
    return { ...made, run: await runs.edit(started.id, { title, isTitleOwn: run.isTitleOwn }) }
  }
}

async function readEnds({ id, lastSeq }: Run, { messages }: Stores): Promise<Message[]> {
  const first = await messages.list(id, { after: 0, limit: FIRST_MESSAGES })
  const after = Math.max(FIRST_MESSAGES, lastSeq - LAST_MESSAGES)
  return [...first, ...(await messages.list(id, { after, limit: LAST_MESSAGES }))]
}

export async function restoreRun(run: Run, deps: HandoffDeps): Promise<ContextPart> {
  const before = Number.MAX_SAFE_INTEGER
  const messages = await deps.stores.messages.list(run.id, { after: 0, before, limit: 400 })
  const count = await deps.count()
  const restored = restoredContext({ messages, parts: [], delimiter: deps.delimiter(), count })
  return {
    label: "earlier conversation",
    text: restored?.text ?? "",
    tokens: restored?.tokens ?? 0,
  }
}
