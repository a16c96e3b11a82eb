import path from "node:path"
import {
  type FileStat,
  isRecord,
  type JsonlRecord,
  realPath,
  statFile,
  streamJsonl,
} from "#ground/base"
import type { HostSession } from "#ground/contract"
import { textField, titleLine } from "../wire/tool-text.ts"
import {
  checkTranscriptResumable,
  claudeFiles,
  codexFiles,
  type HostPlaces,
  sessionsFolder,
  slugOf,
  type TranscriptFile,
} from "./find-sessions.ts"
import { LISTED_HEAD_BYTES, MOST_LISTED_FILES } from "./limits.ts"
import type { Scrub } from "./session-file.ts"

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

export type Glance = { readonly title: string; readonly cwd: string | null }

type Seen = { cwd: string | null; given: string; proposed: string; said: string }

/** What stands in a list: from the beginning of a transcript, which is enough for both. */
export async function lookAt(
  { host, file, sessionId }: TranscriptFile,
  redact: (text: string) => string,
): Promise<Glance> {
  const seen: Seen = { cwd: null, given: "", proposed: "", said: "" }
  const note = host === "claude-code" ? noteClaude : noteCodex
  try {
    for await (const item of streamJsonl(file, { maxBytes: LISTED_HEAD_BYTES })) {
      if (item.kind === "record") note(seen, item.record)
    }
  } catch {
    // A list shows what can be seen; reading it will say what is wrong.
  }
  const title = [seen.given, seen.proposed, seen.said].find((it) => it !== "")
  return { title: titleLine(redact(title ?? sessionId)), cwd: seen.cwd }
}

/** A person's title before the host's own, the host's before the first words. */
function noteClaude(seen: Seen, line: JsonlRecord): void {
  seen.cwd ??= textField(line, "cwd") ?? null
  switch (line["type"]) {
    case "custom-title":
      seen.given = textField(line, "customTitle", "title") ?? seen.given
      break
    case "ai-title":
      seen.proposed = textField(line, "aiTitle", "title") ?? seen.proposed
      break
    case "summary":
      seen.proposed = textField(line, "summary") ?? seen.proposed
      break
    case "user":
      if (seen.said === "" && isPrompt(line)) seen.said = textOf(line["message"])
      break
    default:
  }
}

/** A turn of a person: not what the host put there for itself, and no command of its own. */
export function isPrompt(line: JsonlRecord): boolean {
  const isOwn = line["isMeta"] === true || line["isCompactSummary"] === true
  const isInner = line["isSidechain"] === true || isFromHost(line)
  const text = textOf(line["message"])
  return !isOwn && !isInner && text !== "" && !HOST_WORDS.test(text)
}

/** A turn that the host began by itself, such as the word of a task that ended. */
export function isFromHost(line: JsonlRecord): boolean {
  const { origin } = line
  return isRecord(origin) && origin["kind"] !== "human"
}

/** Tags in which the host puts its own commands and their output. */
const HOST_WORDS =
  /^\s*<(?:command-(?:name|message|args)|local-command-\w+|system-reminder|task-notification|bash-\w+)>/

/** The text of a message: a string, or blocks of which some are texts. */
export function textOf(message: unknown): string {
  const content = isRecord(message) ? message["content"] : undefined
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content.flatMap((it: unknown) => textField(it, "text") ?? []).join("\n")
}

function noteCodex(seen: Seen, line: JsonlRecord): void {
  const payload = isRecord(line["payload"]) ? line["payload"] : {}
  seen.cwd ??= textField(payload, "cwd") ?? null
  if (seen.said === "" && line["type"] === "event_msg") seen.said = userText(payload)
}

/** What a person said, in the form of now and in that of before. */
export function userText(payload: Readonly<Record<string, unknown>>): string {
  if (payload["type"] === "user_message") return textField(payload, "message") ?? ""
  const item = payload["item"]
  const isUser = payload["type"] === "item_completed" && isRecord(item)
  return isUser && item["type"] === "UserMessage" ? textOf(item) : ""
}
