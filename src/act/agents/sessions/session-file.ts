import { z } from "zod"
import { type Clock, type Ids, type JsonlItem, statFile, streamJsonl } from "#ground/base"
import { AgentMode, Message, Run, RunStatus } from "#ground/contract"
import {
  SessionFileCorrupt,
  SessionFileForeign,
  SessionFileMissing,
  SessionFileNewer,
  SessionFileTooLarge,
} from "../errors.ts"
import { LONGEST_CONTENT_CHARACTERS, LONGEST_RAW_CHARACTERS } from "../limits.ts"
import { isEnded } from "../status.ts"
import {
  LARGEST_SESSION_FILE_BYTES,
  LONGEST_SESSION_LINE_BYTES,
  MOST_SESSION_MESSAGES,
  SESSION_PAGE_MESSAGES,
} from "./limits.ts"

/** The first line of a session's file: what a reader wants to know before it reads on. */
const SESSION_FORMAT = "quartermaster-session"
export const SESSION_VERSION = 1

/** Who wrote it and how; the rest of the line is judged only when the version is ours. */
export const SessionMark = z.object({
  format: z.literal(SESSION_FORMAT),
  version: z.int().positive(),
})

export const SessionHeader = SessionMark.extend({
  messageCount: z.int().nonnegative(),
  usage: Run.shape.cost.shape.usage,
  mode: AgentMode,
  status: RunStatus,
  labels: z.array(z.string()),
  run: Run,
})
export type SessionHeader = z.infer<typeof SessionHeader>

/** A run's first line. Its words for the outside stand before the run, so that `head -c` shows them. */
export function headerOf(run: Run): SessionHeader {
  const { mode, status, labels, cost, lastSeq: messageCount } = run
  const { usage } = cost
  const mark = { format: SESSION_FORMAT, version: SESSION_VERSION } as const
  return { ...mark, messageCount, usage, mode, status, labels, run }
}

/**
 * A run as lines, each with its newline: the header, then a message a line. Messages that came after
 * the run was looked at are left for the next time, so that the header's count is true.
 */
export async function* toLines(
  run: Run,
  pages: AsyncIterable<readonly Message[]>,
): AsyncGenerator<string> {
  yield lineOf(headerOf(run))
  for await (const page of pages) {
    const known = page.filter((it) => it.seq <= run.lastSeq)
    for (const message of known) yield lineOf(message)
    if (known.length < page.length) return
  }
}

function lineOf(record: SessionHeader | Message): string {
  return `${JSON.stringify(record)}\n`
}

/** The messages of a run, page by page, from after a number on. */
export async function* pagesOf(
  read: (after: number) => Promise<readonly Message[]>,
  after = 0,
): AsyncGenerator<readonly Message[]> {
  let last = after
  for (let page = await read(last); page.length > 0; page = await read(last)) {
    yield page
    last = page.at(-1)?.seq ?? last
  }
}

export type ImportDeps = Scrub & {
  readonly ids: Ids
  readonly clock: Clock
  /** Where a run works that came from elsewhere: never where a file says. */
  readonly cwd: string
}

export type SessionImport = {
  readonly run: Run
  /** The last line was torn or no message, and was left out. */
  readonly isTailTorn: boolean
  /** The messages, renamed and numbered from 1, page by page; the file is read again for them. */
  pages(): AsyncGenerator<readonly Message[]>
}

/**
 * A session file as a run of ours. It is read to its end before anything is given, so that a file
 * with a corrupt line changes nothing; what it says is redacted again, because it may be anyone's.
 */
export async function openSessionFile(path: string, deps: ImportDeps): Promise<SessionImport> {
  const found = await statFile(path)
  if (found.kind !== "found") throw SessionFileMissing({ path })
  if (found.what !== "regular file") throw SessionFileForeign({ path, reason: `a ${found.what}` })
  const whole = await checkSession(path)
  return {
    run: importedRun(whole.header.run, whole.messages, deps),
    isTailTorn: whole.isTailTorn,
    pages: () => readPages(path, deps),
  }
}

type Checked = {
  readonly header: SessionHeader
  readonly messages: number
  readonly isTailTorn: boolean
}

async function checkSession(path: string): Promise<Checked> {
  let header: SessionHeader | undefined
  let messages = 0
  let isTailTorn = false
  for await (const item of readSession(path)) {
    if (item.kind === "header") header = item.header
    else if (item.kind === "message") messages += 1
    else isTailTorn = true
    if (messages > MOST_SESSION_MESSAGES) {
      throw SessionFileTooLarge({ path, limit: `${MOST_SESSION_MESSAGES} messages` })
    }
  }
  if (header === undefined) throw SessionFileForeign({ path, reason: "it has no first line" })
  return { header, messages, isTailTorn }
}

type SessionItem =
  | { readonly kind: "header"; readonly header: SessionHeader }
  | { readonly kind: "message"; readonly message: Message }
  | { readonly kind: "torn" }

type Bad = { readonly line: number; readonly reason: string }

/** A bad line is forgiven only when nothing comes after it: its writer died there. */
async function* readSession(path: string): AsyncGenerator<SessionItem> {
  const limits = { maxBytes: LARGEST_SESSION_FILE_BYTES, maxLineBytes: LONGEST_SESSION_LINE_BYTES }
  let bad: Bad | undefined
  let isFirst = true
  for await (const item of streamJsonl(path, limits)) {
    if (bad !== undefined) throw SessionFileCorrupt({ path, ...bad })
    const judged = isFirst ? headerIn(item, path) : messageIn(item, path)
    isFirst = false
    if (judged.kind === "bad") bad = judged
    else if (judged.kind !== "none") yield judged
  }
  if (bad !== undefined) yield { kind: "torn" }
}

function headerIn(item: JsonlItem, path: string): SessionItem {
  if (item.kind === "warning")
    throw SessionFileForeign({ path, reason: "its first line is no JSON" })
  const mark = SessionMark.safeParse(item.record)
  if (!mark.success) throw SessionFileForeign({ path, reason: "its first line says nothing of it" })
  const { version } = mark.data
  if (version > SESSION_VERSION) throw SessionFileNewer({ path, version, ours: SESSION_VERSION })
  const header = SessionHeader.safeParse(item.record)
  if (header.success) return { kind: "header", header: header.data }
  const field = header.error.issues[0]?.path.join(".") ?? ""
  throw SessionFileCorrupt({ path, line: 1, reason: `${field} of the run is missing or wrong` })
}

type Judged = SessionItem | (Bad & { readonly kind: "bad" }) | { readonly kind: "none" }

function messageIn(item: JsonlItem, path: string): Judged {
  if (item.kind === "record") {
    const message = Message.safeParse(item.record)
    if (message.success) return { kind: "message", message: message.data }
    const field = message.error.issues[0]?.path.join(".") ?? ""
    return { kind: "bad", line: item.line, reason: `${field} is missing or wrong` }
  }
  const { warning } = item
  switch (warning.kind) {
    case "cut_short":
      throw SessionFileTooLarge({ path, limit: `${LARGEST_SESSION_FILE_BYTES} bytes` })
    case "too_long":
      return { kind: "bad", line: warning.line, reason: `it has ${warning.sizeBytes} bytes` }
    case "truncated_tail":
      return { kind: "bad", line: warning.line, reason: "it has no end" }
    case "bad_line":
      // Read all the same, if there was a message between the NULs.
      return warning.reason === "nul_bytes"
        ? { kind: "none" }
        : { kind: "bad", line: warning.line, reason: warning.reason.replaceAll("_", " ") }
    default:
      return warning satisfies never
  }
}

/**
 * The run with a name of ours. It is nobody's session any more: the host's id is of another machine
 * or time, the directory is ours, and no file decides how much an agent may do.
 */
function importedRun(run: Run, messages: number, deps: ImportDeps): Run {
  const mode = run.mode === "plan" ? "plan" : "ask"
  return {
    ...run,
    id: deps.ids.next("run"),
    title: deps.redact(run.title),
    prompt: deps.redact(run.prompt),
    error: run.error === null ? null : deps.redact(run.error),
    labels: run.labels.map((it) => deps.redact(it)),
    workflow: deps.redact(run.workflow),
    status: importedStatus(run.status),
    mode,
    cwd: deps.cwd,
    sessionId: null,
    endedAt: run.endedAt ?? run.updatedAt,
    updatedAt: deps.clock.now(),
    lastSeq: messages,
    origin: "imported",
    openApprovals: 0,
    queuedTurns: 0,
  }
}

function importedStatus(status: RunStatus): RunStatus {
  return isEnded(status) ? status : "interrupted"
}

async function* readPages(path: string, deps: ImportDeps): AsyncGenerator<readonly Message[]> {
  let page: Message[] = []
  let seq = 0
  for await (const item of readSession(path)) {
    if (item.kind !== "message") continue
    seq += 1
    page.push({ ...scrubbed(item.message, deps), id: deps.ids.next("msg"), seq })
    if (page.length < SESSION_PAGE_MESSAGES) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

/** Redacted whole and then cut: half a secret would not be found. */
function scrubbed(message: Message, deps: Scrub): Message {
  const { content, raw, metadata, ...rest } = message
  const text = deps.redact(content)
  const own = raw === undefined ? undefined : deps.redact(raw)
  const kept = Message.shape.metadata.safeParse(deps.redactJson(metadata))
  return {
    ...rest,
    content: cut(text, LONGEST_CONTENT_CHARACTERS),
    metadata: kept.success ? kept.data : {},
    ...(own === undefined ? {} : { raw: cut(own, LONGEST_RAW_CHARACTERS) }),
  }
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`
}

/** Secrets are replaced before anything of a file is kept or told; who knows them hands this in. */
export type Scrub = {
  redact(text: string): string
  /** Of anything JSON can hold: the same structure with its strings redacted. */
  redactJson(value: unknown): unknown
}
