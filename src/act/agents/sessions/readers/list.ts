import path from "node:path"
import { type FileStat, realPath, statFile } from "#ground/base"
import type { HostSession } from "#ground/contract"
import { MOST_LISTED_FILES } from "../limits.ts"
import { checkTranscriptResumable } from "../resumable.ts"
import type { Scrub } from "../scrub.ts"
import { lookAt } from "./look.ts"
import {
  claudeFiles,
  codexFiles,
  type HostPlaces,
  sessionsFolder,
  slugOf,
  type TranscriptFile,
} from "./places.ts"

export type ListOptions = HostPlaces &
  Pick<Scrub, "redact"> & {
    /** The repository whose sessions are wanted, its folders among it. */
    readonly root: string
    /** Of all directories instead. */
    readonly everywhere: boolean
    readonly limit: number
  }

/** The sessions hosts kept on this machine, newest first; `runId` is for who knows the runs. */
export async function listHostSessions(
  options: ListOptions,
): Promise<readonly Omit<HostSession, "runId">[]> {
  const root = await realPath(options.root).catch(() => options.root)
  const files = [...(await claudeOf(root, options)), ...(await codexOf(options))]
  const dated = (await Promise.all(files.map(withStat))).flat()
  const newest = dated.toSorted((a, b) => b.stat.modifiedAtMs - a.stat.modifiedAtMs)
  const sessions: Omit<HostSession, "runId">[] = []
  for (const it of newest.slice(0, MOST_LISTED_FILES)) {
    if (sessions.length >= options.limit) break
    const session = await listed(it, root, options)
    if (session !== undefined) sessions.push(session)
  }
  return sessions
}

async function claudeOf(root: string, options: ListOptions): Promise<readonly TranscriptFile[]> {
  const folder = await sessionsFolder("claude-code", options)
  if (folder === undefined) return []
  // A folder below the root has the root's name and more; so have some beside it, judged later.
  const beginning = slugOf(root).slice(0, SURE_SLUG_UNITS)
  return claudeFiles(folder, (slug) => options.everywhere || slug.startsWith(beginning))
}

/** Beyond it a slug ends in a hash, which differs from folder to folder. */
const SURE_SLUG_UNITS = 200

async function codexOf(options: ListOptions): Promise<readonly TranscriptFile[]> {
  const folder = await sessionsFolder("codex", options)
  const files: TranscriptFile[] = []
  if (folder === undefined) return files
  for await (const it of codexFiles(folder)) {
    if (files.length >= MOST_LISTED_FILES) break
    files.push(it)
  }
  return files
}

type Dated = TranscriptFile & { readonly stat: FileStat }

async function withStat(it: TranscriptFile): Promise<readonly Dated[]> {
  const found = await statFile(it.file)
  return found.kind === "found" ? [{ ...it, stat: found.stat }] : []
}

async function listed(
  { stat, ...transcript }: Dated,
  root: string,
  options: ListOptions,
): Promise<Omit<HostSession, "runId"> | undefined> {
  const { cwd, title } = await lookAt(transcript, options.redact)
  const isOfRoot = cwd === null ? isNamedLike(transcript, root) : isInside(root, cwd)
  if (!options.everywhere && !isOfRoot) return undefined
  return {
    ...transcript,
    title,
    cwd,
    sizeBytes: stat.sizeBytes,
    changedAt: stat.modifiedAtMs,
    isResumable: await checkTranscriptResumable(transcript.host, transcript.file),
  }
}

/** A session that never said where it was is known by its folder. */
function isNamedLike({ host, file }: TranscriptFile, root: string): boolean {
  return host === "claude-code" && path.basename(path.dirname(file)) === slugOf(root)
}

function isInside(root: string, directory: string): boolean {
  const way = path.relative(root, directory)
  return way === "" || !(way === ".." || way.startsWith(`..${path.sep}`) || path.isAbsolute(way))
}
