import { dirname, join } from "node:path"
import {
  type Clock,
  createJsonl,
  ensureDirectory,
  type Log,
  listDirectory,
  removeEmptyDirectory,
  removeFile,
  statFile,
  streamJsonl,
  writeFileAtomic,
} from "#ground/base"
import type { Message, Run } from "#ground/contract"
import { RunUnknown } from "../errors.ts"
import type { RunListeners } from "../runs/live-text.ts"
import type { Stores } from "../runs/stores.ts"
import { headerOf, pagesOf, SessionHeader, toLines } from "./session-file.ts"

/** A whole file is held in memory while it is written; a longer session is in the store only. */
const MAX_WRITTEN_BYTES = 64 * 1024 * 1024

type SessionWriterDeps = {
  readonly clock: Clock
  readonly log: Log
  /** `sessions` below the state directory of the repository; made when there is something to write. */
  readonly directory: string
  /** The next messages after a number, in order, as many as the store likes to give at once. */
  read(runId: string, after: number): Promise<readonly Message[]>
  /** The run as it is now; undefined when it was deleted. */
  run(runId: string): Promise<Run | undefined>
}

/**
 * Each session as a file beside the store, which stays the truth: nobody waits for it, what fails is
 * said in the log and tried again with the next message, and a start rebuilds what is stale.
 */
export function createSessionWriter(deps: SessionWriterDeps) {
  const dirty = new Set<string>()
  const known: Known = new Map()
  const closing = new AbortController()
  /** One after the other, so that a file has one writer of this process. */
  let last: Promise<void> = Promise.resolve()
  let looping: Promise<void> | undefined

  const enqueue = (runId: string, work: () => Promise<void>): Promise<void> =>
    (last = last.then(() => logged(runId, work, deps)))
  const flush = async (): Promise<void> => {
    const runIds = [...dirty]
    dirty.clear()
    for (const runId of runIds) await enqueue(runId, () => bringUpToDate(runId, known, deps))
  }
  const loop = async (): Promise<void> => {
    while (dirty.size > 0 && !closing.signal.aborted) {
      await pause(deps.clock, closing.signal)
      await flush()
    }
    looping = undefined
  }

  return {
    /** Something of the run is new, a message or the run itself; it is written within half a second. */
    advanced(runId: string): void {
      if (closing.signal.aborted) return
      dirty.add(runId)
      looping ??= loop()
    },
    deleted(runId: string): Promise<void> {
      dirty.delete(runId)
      return enqueue(runId, () => removeSession(runId, known, deps))
    },
    /**
     * After a start: what does not say what the store says is written anew. Files of runs that the
     * store does not know stay: another store has them, or a lost one had.
     */
    async rebuild(runIds: readonly string[]): Promise<void> {
      for (const runId of runIds) await enqueue(runId, () => rebuildOne(runId, known, deps))
    },
    /** Writes what waits and then no more. */
    async close(): Promise<void> {
      closing.abort()
      await looping
      await flush()
      await last
    },
  }
}

/** By run: where its file is and what stands in it; absent until this process has written it. */
type Known = Map<string, Written>
type Written = {
  readonly file: string
  readonly header: string
  readonly seq: number
  readonly sizeBytes: number
  /** Longer than is held: its file stays as it was, and only the store has it all. */
  readonly isTooLong: boolean
}

async function pause(clock: Clock, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(500, signal)
  } catch {
    // Woken to write the last time.
  }
}

async function logged(
  runId: string,
  work: () => Promise<void>,
  deps: SessionWriterDeps,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    deps.log.warn("session file not written", { runId, error: String(error) })
  }
}

async function bringUpToDate(runId: string, known: Known, deps: SessionWriterDeps): Promise<void> {
  const run = await deps.run(runId)
  // Deleted by another process, which removes its file.
  if (run === undefined) return
  const before = known.get(runId)
  const mayAppend =
    before !== undefined &&
    before.sizeBytes >= 1024 * 1024 &&
    before.header === steadyPart(run) &&
    run.lastSeq - before.seq <= 50 &&
    (await isAsLeft(before))
  if (before?.isTooLong === true) return
  // Until it has succeeded nothing is known of the file: half a batch may stand in it.
  known.delete(runId)
  known.set(runId, await (mayAppend ? append(run, before, deps) : rewrite(run, before, deps)))
  // Deleted while we wrote: its file was removed before ours, so ours goes too.
  const isGone = (await deps.run(runId)) === undefined
  if (isGone) await removeSession(runId, known, deps)
}

/** Whether nobody took the file away or wrote to it since: an appended line needs a first one. */
async function isAsLeft({ file, sizeBytes }: Written): Promise<boolean> {
  const found = await statFile(file)
  return found.kind === "found" && found.stat.sizeBytes === sizeBytes
}

/** What of the first line may not lag behind, also while lines are only appended. */
function steadyPart(run: Run): string {
  const { status, mode, labels, title, workflow, isArchived } = run
  return JSON.stringify({ status, mode, labels, title, workflow, isArchived })
}

async function append(run: Run, before: Written, deps: SessionWriterDeps): Promise<Written> {
  const file = createJsonl(before.file, { maxLineBytes: 8 * 1024 * 1024 })
  let { seq, sizeBytes } = before
  for await (const page of pagesOf((after) => deps.read(run.id, after), seq)) {
    for (const message of page) await file.append(message)
    seq = page.at(-1)?.seq ?? seq
    sizeBytes += page.reduce((sum, it) => sum + Buffer.byteLength(JSON.stringify(it)) + 1, 0)
  }
  return { ...before, seq, sizeBytes }
}

/** The whole file, old or new and never a part. */
async function rewrite(
  run: Run,
  before: Written | undefined,
  deps: SessionWriterDeps,
): Promise<Written> {
  const folder = await folderOf(run, before, deps)
  const file = join(folder, FILE)
  const steady = { file, header: steadyPart(run), seq: run.lastSeq }
  const whole = await wholeFile(run, deps)
  if (whole === undefined) {
    const { id: runId } = run
    deps.log.warn("session too long for a file", { runId, mostBytes: MAX_WRITTEN_BYTES })
    return { ...steady, sizeBytes: 0, isTooLong: true }
  }
  await ensureDirectory(folder)
  await writeFileAtomic(file, whole)
  return { ...steady, sizeBytes: whole.length, isTooLong: false }
}

async function wholeFile(run: Run, deps: SessionWriterDeps): Promise<Buffer | undefined> {
  const lines: Buffer[] = []
  let sizeBytes = 0
  for await (const line of toLines(
    run,
    pagesOf((after) => deps.read(run.id, after)),
  )) {
    const bytes = Buffer.from(line)
    sizeBytes += bytes.length
    if (sizeBytes > MAX_WRITTEN_BYTES) return undefined
    lines.push(bytes)
  }
  return Buffer.concat(lines)
}

const FILE = "session.jsonl"

/** A session keeps the folder it first got: a new title does not move it. */
async function folderOf(run: Run, before: Written | undefined, deps: SessionWriterDeps) {
  if (before !== undefined) return dirname(before.file)
  const slug = (await findSlug(run.id, deps)) ?? slugOf(run)
  return join(deps.directory, slug)
}

async function findSlug(runId: string, deps: SessionWriterDeps): Promise<string | undefined> {
  const own = idInSlug(slugOf({ id: runId, title: "" }))
  return (await slugs(deps)).find((it) => idInSlug(it) === own)
}

async function slugs({ directory }: SessionWriterDeps): Promise<readonly string[]> {
  const listed = await listDirectory(directory)
  if (listed.kind !== "listed") return []
  return listed.entries.filter((it) => it.what === "directory").map((it) => it.name)
}

async function removeSession(runId: string, known: Known, deps: SessionWriterDeps): Promise<void> {
  known.delete(runId)
  const slug = await findSlug(runId, deps)
  if (slug === undefined) return
  await removeFile(join(deps.directory, slug, FILE))
  // Its name has words of the title.
  await removeEmptyDirectory(join(deps.directory, slug))
}

async function rebuildOne(runId: string, known: Known, deps: SessionWriterDeps): Promise<void> {
  const run = await deps.run(runId)
  if (run === undefined || (await isWhole(run, deps))) return
  known.delete(runId)
  known.set(runId, await rewrite(run, undefined, deps))
}

/**
 * Whether the file's first line is that of the run. Then it was written whole, with these messages:
 * lines are only appended below a first line that says fewer.
 */
async function isWhole(run: Run, deps: SessionWriterDeps): Promise<boolean> {
  const slug = await findSlug(run.id, deps)
  if (slug === undefined) return false
  for await (const item of streamJsonl(join(deps.directory, slug, FILE))) {
    const header = SessionHeader.safeParse(item.kind === "record" ? item.record : undefined)
    const wanted = SessionHeader.parse(headerOf(run))
    return header.success && JSON.stringify(header.data) === JSON.stringify(wanted)
  }
  return false
}

/**
 * The folder of a session: words of its title for people, its id for us. Lower case, digits and
 * hyphens, and never a reserved name, so that it is the same folder on every file system.
 */
export function slugOf(run: { readonly id: string; readonly title: string }): string {
  const plain = run.title.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
  const words = plain.replace(/[^a-z0-9]+/g, "-").replace(/^-+/, "")
  const short = words.slice(0, 40).replace(/-+$/, "")
  return `${short === "" ? "session" : short}${SEPARATOR}${safeId(run.id)}`
}

/** It never stands in the words of a title, so the id can be told from them. */
const SEPARATOR = "--"

/** The id in a folder's name; undefined for a folder that is not ours. */
export function idInSlug(slug: string): string | undefined {
  const at = slug.lastIndexOf(SEPARATOR)
  const id = at < 1 ? "" : slug.slice(at + SEPARATOR.length)
  return id !== "" && id === safeId(id) ? id : undefined
}

/** Our ids are as they should be; one from elsewhere must not become a path. */
function safeId(id: string): string {
  return id.replace(/[^A-Za-z0-9_]/g, "_")
}

type SessionFilesDeps = Pick<SessionWriterDeps, "clock" | "log"> & {
  readonly stores: Stores
  readonly listeners: RunListeners
  readonly sessionsDirectory: string
}

/** Writes each run of this process also as a file. */
export function createSessionFiles(deps: SessionFilesDeps) {
  const { log, stores } = deps
  const { runs, messages } = stores
  const files = createSessionWriter({
    ...deps,
    directory: deps.sessionsDirectory,
    read: (runId, after) => messages.list(runId, { after, limit: 1_000 }),
    async run(runId) {
      try {
        return (await runs.find(runId)).run
      } catch (error) {
        if (RunUnknown.is(error)) return undefined
        throw error
      }
    },
  })
  const stop = deps.listeners.onMessages((runId) => files.advanced(runId))
  return {
    deleted: files.deleted,
    /** After a start: the newest 500 runs. */
    async rebuild(): Promise<void> {
      try {
        const newest = await runs.list({ limit: 500, archived: false })
        await files.rebuild(newest.map((it) => it.id))
      } catch (error) {
        log.warn("session files were not looked at", { error: String(error) })
      }
    },
    async close(): Promise<void> {
      stop()
      await files.close()
    },
  }
}
