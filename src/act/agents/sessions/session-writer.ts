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
import type { Stores } from "../runs/stores/stores.ts"
import { headerOf, pagesOf, SessionHeader, toLines } from "./session-file.ts"

/** A file is in memory while it is written; a longer session is in the store only. */
const MAX_FILE_BYTES = 64 * 1024 * 1024

const FILE = "session.jsonl"

type Deps = {
  readonly clock: Clock
  readonly log: Log
  readonly directory: string
  read(runId: string, after: number): Promise<readonly Message[]>
  run(runId: string): Promise<Run | undefined>
}

type WrittenFile = {
  readonly file: string
  readonly header: string
  readonly seq: number
  readonly sizeBytes: number
  /** The file stays as it was, and only the store has everything. */
  readonly isTooLong: boolean
}

/**
 * Writes each session as a file beside the store, in the background: a failure is logged and
 * retried with the next message, and a start rebuilds stale files.
 */
export function createSessionWriter(deps: Deps) {
  const dirty = new Set<string>()
  const written = new Map<string, WrittenFile>()
  const closing = new AbortController()
  /** Serialised, so that a file has one writer in this process. */
  let last: Promise<void> = Promise.resolve()
  let looping: Promise<void> | undefined

  function enqueue(runId: string, work: () => Promise<void>): Promise<void> {
    last = last.then(work).catch((error: unknown) => {
      deps.log.warn("could not write a session file", { runId, error: String(error) })
    })
    return last
  }
  async function flush(): Promise<void> {
    const runIds = [...dirty]
    dirty.clear()
    for (const runId of runIds) await enqueue(runId, () => update(runId))
  }
  async function loop(): Promise<void> {
    while (dirty.size > 0 && !closing.signal.aborted) {
      // Rejects when closing: then the last flush follows immediately.
      await deps.clock.sleep(500, closing.signal).catch(() => {})
      await flush()
    }
    looping = undefined
  }
  async function update(runId: string): Promise<void> {
    const run = await deps.run(runId)
    // Deleted by another process, which removes its file.
    if (run === undefined) return
    const before = written.get(runId)
    if (before?.isTooLong === true) return
    const mayAppend =
      before !== undefined &&
      // Smaller files are rewritten, so that their header is always current.
      before.sizeBytes >= 1024 * 1024 &&
      before.header === steadyHeader(run) &&
      // Each appended line waits for the disk; for more lines, rewriting is faster.
      run.lastSeq - before.seq <= 50 &&
      (await isUnchanged(before))
    // Unknown until the write has succeeded: half a batch may be in the file.
    written.delete(runId)
    const file = mayAppend ? await append(run, before, deps) : await rewrite(run, before, deps)
    written.set(runId, file)
    // Deleted meanwhile: its file was removed before this write.
    if ((await deps.run(runId)) === undefined) await remove(runId)
  }
  async function remove(runId: string): Promise<void> {
    written.delete(runId)
    const slug = await findSlug(runId, deps)
    if (slug === undefined) return
    await removeFile(join(deps.directory, slug, FILE))
    // The folder's name contains words of the title.
    await removeEmptyDirectory(join(deps.directory, slug))
  }
  async function rebuildOne(runId: string): Promise<void> {
    const run = await deps.run(runId)
    if (run === undefined || (await isCurrent(run, deps))) return
    written.delete(runId)
    written.set(runId, await rewrite(run, undefined, deps))
  }
  return {
    advanced(runId: string): void {
      if (closing.signal.aborted) return
      dirty.add(runId)
      looping ??= loop()
    },
    deleted(runId: string): Promise<void> {
      dirty.delete(runId)
      return enqueue(runId, () => remove(runId))
    },
    /** Rewrites stale files. Files of unknown runs stay: they belong to another or a lost store. */
    async rebuild(runIds: readonly string[]): Promise<void> {
      for (const runId of runIds) await enqueue(runId, () => rebuildOne(runId))
    },
    async close(): Promise<void> {
      closing.abort()
      await looping
      await flush()
      await last
    },
  }
}

/** Appending relies on the header, so the file must be as we left it. */
async function isUnchanged({ file, sizeBytes }: WrittenFile): Promise<boolean> {
  const stat = await statFile(file)
  return stat.kind === "found" && stat.stat.sizeBytes === sizeBytes
}

/** The part of the header that must be current while lines are appended. */
function steadyHeader(run: Run): string {
  const { status, mode, labels, title, workflow, isArchived } = run
  return JSON.stringify({ status, mode, labels, title, workflow, isArchived })
}

async function append(run: Run, before: WrittenFile, deps: Deps): Promise<WrittenFile> {
  const file = createJsonl(before.file, { maxLineBytes: 8 * 1024 * 1024 })
  let { seq, sizeBytes } = before
  for await (const page of pagesOf((after) => deps.read(run.id, after), seq)) {
    for (const message of page) await file.append(message)
    seq = page.at(-1)?.seq ?? seq
    sizeBytes += page.reduce((sum, it) => sum + Buffer.byteLength(JSON.stringify(it)) + 1, 0)
  }
  return { ...before, seq, sizeBytes }
}

async function rewrite(
  run: Run,
  before: WrittenFile | undefined,
  deps: Deps,
): Promise<WrittenFile> {
  // A session keeps its first folder: a new title does not move it.
  const folder =
    before === undefined
      ? join(deps.directory, (await findSlug(run.id, deps)) ?? slugOf(run))
      : dirname(before.file)
  const facts = { file: join(folder, FILE), header: steadyHeader(run), seq: run.lastSeq }
  const bytes = await fileBytes(run, deps)
  if (bytes === undefined) {
    const { id: runId } = run
    deps.log.warn("session too long for a session file", { runId, mostBytes: MAX_FILE_BYTES })
    return { ...facts, sizeBytes: 0, isTooLong: true }
  }
  await ensureDirectory(folder)
  await writeFileAtomic(facts.file, bytes)
  return { ...facts, sizeBytes: bytes.length, isTooLong: false }
}

async function fileBytes(run: Run, deps: Deps): Promise<Buffer | undefined> {
  const lines: Buffer[] = []
  let sizeBytes = 0
  const pages = pagesOf((after) => deps.read(run.id, after))
  for await (const line of toLines(run, pages)) {
    const bytes = Buffer.from(line)
    sizeBytes += bytes.length
    if (sizeBytes > MAX_FILE_BYTES) return undefined
    lines.push(bytes)
  }
  return Buffer.concat(lines)
}

async function findSlug(runId: string, { directory }: Deps): Promise<string | undefined> {
  const own = idInSlug(slugOf({ id: runId, title: "" }))
  const listed = await listDirectory(directory)
  if (listed.kind !== "listed") return undefined
  const folders = listed.entries.filter((it) => it.what === "directory")
  return folders.find((it) => idInSlug(it.name) === own)?.name
}

/** A current header was written with all messages: lines are appended only below an older one. */
async function isCurrent(run: Run, deps: Deps): Promise<boolean> {
  const slug = await findSlug(run.id, deps)
  if (slug === undefined) return false
  for await (const item of streamJsonl(join(deps.directory, slug, FILE))) {
    const header = SessionHeader.safeParse(item.kind === "record" ? item.record : undefined)
    const current = SessionHeader.parse(headerOf(run))
    return header.success && JSON.stringify(header.data) === JSON.stringify(current)
  }
  return false
}

/**
 * Words of the title and the id, in lower case, digits and hyphens, and never a reserved name, so
 * that it is the same folder on every file system.
 */
export function slugOf(run: { readonly id: string; readonly title: string }): string {
  const plain = run.title.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
  const words = plain.replace(/[^a-z0-9]+/g, "-").replace(/^-+/, "")
  const short = words.slice(0, 40).replace(/-$/, "")
  return `${short === "" ? "session" : short}${SEPARATOR}${safeId(run.id)}`
}

/** Never occurs in the words of a title. */
const SEPARATOR = "--"

/** Returns undefined for a folder that is not ours. */
export function idInSlug(slug: string): string | undefined {
  const at = slug.lastIndexOf(SEPARATOR)
  const id = at < 1 ? "" : slug.slice(at + SEPARATOR.length)
  return id !== "" && id === safeId(id) ? id : undefined
}

/** An imported id must not become a path. */
function safeId(id: string): string {
  return id.replace(/[^A-Za-z0-9_]/g, "_")
}

type SessionFilesDeps = Pick<Deps, "clock" | "log"> & {
  readonly stores: Stores
  readonly listeners: RunListeners
  readonly sessionsDirectory: string
}

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
        log.warn("could not rebuild the session files", { error: String(error) })
      }
    },
    async close(): Promise<void> {
      stop()
      await files.close()
    },
  }
}
