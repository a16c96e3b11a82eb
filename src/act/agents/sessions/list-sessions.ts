import path from "node:path"
import {
  createRecentCache,
  type FileStat,
  isInside,
  isRecord,
  type JsonlRecord,
  realPath,
  statFile,
  streamJsonl,
} from "#ground/base"
import type { HostSession } from "#ground/contract"
import {
  claudeFiles,
  claudeProjectSlug,
  codexFiles,
  type HostHome,
  isPrompt,
  sessionsFolder,
  textOf,
  userText,
  withoutInjectedContext,
} from "#see/hosts"
import { textField, titleLine } from "../wire/tool-text.ts"
import { checkTranscriptResumable, type ReadableTranscript } from "./find-sessions.ts"
import type { Redaction } from "./session-file.ts"

const MAX_LISTED_FILES = 2_000

export type ListOptions = HostHome &
  Pick<Redaction, "redact"> & {
    readonly root: string
    readonly everywhere: boolean
    readonly limit: number
    readonly heads: SessionHeads
  }

type SessionHead = Pick<HostSession, "title" | "cwd" | "isResumable">

type SessionHeads = ReturnType<typeof createSessionHeads>

/** Titles and folders of unchanged transcripts: reading one takes up to 8 MB, a list has up to 2,000. */
export function createSessionHeads() {
  return createRecentCache<string, SessionHead>({ maxSize: MAX_LISTED_FILES, sizeOf: () => 1 })
}

export async function listHostSessions(
  options: ListOptions,
): Promise<readonly Omit<HostSession, "runId">[]> {
  const root = await realPath(options.root).catch(() => options.root)
  const files = [...(await claudeOf(root, options)), ...(await codexOf(options))]
  const dated = (await Promise.all(files.map(withStat))).flat()
  const newest = dated.toSorted((a, b) => b.stat.modifiedAtMs - a.stat.modifiedAtMs)
  const sessions: Omit<HostSession, "runId">[] = []
  for (const file of newest.slice(0, MAX_LISTED_FILES)) {
    if (sessions.length >= options.limit) break
    const session = await listed(file, root, options)
    if (session !== undefined) sessions.push(session)
  }
  return sessions
}

async function claudeOf(
  root: string,
  options: ListOptions,
): Promise<readonly ReadableTranscript[]> {
  const folder = await sessionsFolder("claude-code", options)
  if (folder === undefined) return []
  // Folders below the root share this prefix. So do some siblings, which `listed` drops.
  const beginning = claudeProjectSlug(root).slice(0, 200)
  return claudeFiles(folder, (slug) => options.everywhere || slug.startsWith(beginning))
}

async function codexOf(options: ListOptions): Promise<readonly ReadableTranscript[]> {
  const folder = await sessionsFolder("codex", options)
  const files: ReadableTranscript[] = []
  if (folder === undefined) return files
  for await (const file of codexFiles(folder)) {
    if (files.length >= MAX_LISTED_FILES) break
    files.push(file)
  }
  return files
}

type DatedTranscript = ReadableTranscript & { readonly stat: FileStat }

async function withStat(transcript: ReadableTranscript): Promise<readonly DatedTranscript[]> {
  const stat = await statFile(transcript.file)
  return stat.kind === "found" ? [{ ...transcript, stat: stat.stat }] : []
}

async function listed(
  { stat, ...transcript }: DatedTranscript,
  root: string,
  options: ListOptions,
): Promise<Omit<HostSession, "runId"> | undefined> {
  const key = `${transcript.file}\n${stat.sizeBytes}\n${stat.modifiedAtMs}`
  const head = options.heads.get(key) ?? (await readSession(transcript, options.redact))
  options.heads.set(key, head)
  const { cwd } = head
  const isOfRoot = cwd === null ? isNamedLike(transcript, root) : isInside(root, cwd)
  if (!options.everywhere && !isOfRoot) return undefined
  return {
    ...transcript,
    ...head,
    sizeBytes: stat.sizeBytes,
    changedAt: stat.modifiedAtMs,
  }
}

async function readSession(
  transcript: ReadableTranscript,
  redact: (text: string) => string,
): Promise<SessionHead> {
  const isResumable = await checkTranscriptResumable(transcript.host, transcript.file)
  return { ...(await readHead(transcript, redact)), isResumable }
}

function isNamedLike({ host, file }: ReadableTranscript, root: string): boolean {
  return host === "claude-code" && path.basename(path.dirname(file)) === claudeProjectSlug(root)
}

type TranscriptHead = { cwd: string | null; own: string; proposed: string; prompt: string }

export async function readHead(
  { host, file, sessionId }: ReadableTranscript,
  redact: (text: string) => string,
): Promise<{ readonly title: string; readonly cwd: string | null }> {
  const head: TranscriptHead = { cwd: null, own: "", proposed: "", prompt: "" }
  const note = host === "claude-code" ? noteClaude : noteCodex
  try {
    for await (const item of streamJsonl(file, { maxBytes: 512 * 1024 })) {
      if (item.kind === "record") note(head, item.record)
    }
  } catch {
    // The list shows what was read so far; reading the session reports the problem.
  }
  const title = [head.own, head.proposed, head.prompt].find((it) => it !== "")
  return { title: titleLine(redact(title ?? sessionId)), cwd: head.cwd }
}

function noteClaude(head: TranscriptHead, line: JsonlRecord): void {
  head.cwd ??= textField(line, "cwd") ?? null
  switch (line["type"]) {
    case "custom-title":
      head.own = textField(line, "customTitle", "title") ?? head.own
      break
    case "ai-title":
      head.proposed = textField(line, "aiTitle", "title") ?? head.proposed
      break
    case "summary":
      head.proposed = textField(line, "summary") ?? head.proposed
      break
    case "user":
      if (head.prompt === "" && isPrompt(line))
        head.prompt = withoutInjectedContext(textOf(line["message"]))
      break
    default:
  }
}

function noteCodex(head: TranscriptHead, line: JsonlRecord): void {
  const payload = isRecord(line["payload"]) ? line["payload"] : {}
  head.cwd ??= textField(payload, "cwd") ?? null
  if (head.prompt === "" && line["type"] === "event_msg") {
    head.prompt = withoutInjectedContext(userText(payload))
  }
}
