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
import { cutContent } from "../event-message.ts"
import { isEnded } from "../runs/run-progress.ts"

const MAX_SESSION_MESSAGES = 200_000

const MAX_SESSION_FILE_BYTES = 512 * 1024 * 1024

const SESSION_FORMAT = "quartermaster-session"
const SESSION_VERSION = 1

/** Parsed first: the rest of the line may be of a newer version. */
const SessionMark = z.object({
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

export function headerOf(run: Run): SessionHeader {
  const { mode, status, labels, cost, lastSeq: messageCount } = run
  const { usage } = cost
  const mark = { format: SESSION_FORMAT, version: SESSION_VERSION } as const
  return { ...mark, messageCount, usage, mode, status, labels, run }
}

export async function* toLines(
  run: Run,
  pages: AsyncIterable<readonly Message[]>,
): AsyncGenerator<string> {
  yield `${JSON.stringify(headerOf(run))}\n`
  for await (const page of pages) {
    const counted = page.filter((it) => it.seq <= run.lastSeq)
    for (const message of counted) yield `${JSON.stringify(message)}\n`
    if (counted.length < page.length) return
  }
}

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

type ImportDeps = Redaction & {
  readonly ids: Ids
  readonly clock: Clock
  /** Never the directory that the file names. */
  readonly cwd: string
}

type SessionImport = {
  readonly run: Run
  /** The last line was incomplete or not a message, and was left out. */
  readonly isTailTorn: boolean
  /** New ids, numbered from 1; the file is read again for them. */
  pages(): AsyncGenerator<readonly Message[]>
}

/**
 * Opens a session file as a run. It is checked to its end first, so that a file with a corrupt line
 * changes nothing, and redacted again, because it may come from anyone.
 */
export async function openSessionFile(path: string, deps: ImportDeps): Promise<SessionImport> {
  const stat = await statFile(path)
  if (stat.kind !== "found") throw SessionFileMissing({ path })
  if (stat.what !== "regular file") throw SessionFileForeign({ path, reason: `a ${stat.what}` })
  const whole = await checkSession(path)
  return {
    run: importedRun(whole.header.run, whole.messages, deps),
    isTailTorn: whole.isTailTorn,
    pages: () => readPages(path, deps),
  }
}

async function checkSession(path: string) {
  let header: SessionHeader | undefined
  let messages = 0
  let isTailTorn = false
  for await (const item of readSession(path)) {
    if (item.kind === "header") header = item.header
    else if (item.kind === "message") messages += 1
    else isTailTorn = true
    if (messages > MAX_SESSION_MESSAGES) {
      throw SessionFileTooLarge({ path, limit: `${MAX_SESSION_MESSAGES} messages` })
    }
  }
  if (header === undefined) throw SessionFileForeign({ path, reason: "it is empty" })
  return { header, messages, isTailTorn }
}

type SessionItem =
  | { readonly kind: "header"; readonly header: SessionHeader }
  | { readonly kind: "message"; readonly message: Message }
  | { readonly kind: "torn" }

type BadLine = { readonly line: number; readonly reason: string }

/** A bad line is accepted only as the last one: its writer died there. */
async function* readSession(path: string): AsyncGenerator<SessionItem> {
  const limits = { maxBytes: MAX_SESSION_FILE_BYTES, maxLineBytes: 8 * 1024 * 1024 }
  let bad: BadLine | undefined
  let isFirst = true
  for await (const item of streamJsonl(path, limits)) {
    if (bad !== undefined) throw SessionFileCorrupt({ path, ...bad })
    const parsed = isFirst ? headerIn(item, path) : messageIn(item, path)
    isFirst = false
    if (parsed.kind === "bad") bad = parsed
    else if (parsed.kind !== "none") yield parsed
  }
  if (bad !== undefined) yield { kind: "torn" }
}

function headerIn(item: JsonlItem, path: string): SessionItem {
  if (item.kind === "warning")
    throw SessionFileForeign({ path, reason: "its first line is not JSON" })
  const mark = SessionMark.safeParse(item.record)
  if (!mark.success)
    throw SessionFileForeign({ path, reason: "its first line is not a session header" })
  const { version } = mark.data
  if (version > SESSION_VERSION) throw SessionFileNewer({ path, version, ours: SESSION_VERSION })
  const header = SessionHeader.safeParse(item.record)
  if (header.success) return { kind: "header", header: header.data }
  const field = header.error.issues[0]?.path.join(".") ?? ""
  throw SessionFileCorrupt({
    path,
    line: 1,
    reason: `field ${field} of the run is missing or invalid`,
  })
}

type ParsedLine = SessionItem | (BadLine & { readonly kind: "bad" }) | { readonly kind: "none" }

function messageIn(item: JsonlItem, path: string): ParsedLine {
  if (item.kind === "record") {
    const message = Message.safeParse(item.record)
    if (message.success) return { kind: "message", message: message.data }
    const field = message.error.issues[0]?.path.join(".") ?? ""
    return { kind: "bad", line: item.line, reason: `field ${field} is missing or invalid` }
  }
  const { warning } = item
  switch (warning.kind) {
    case "cut_short":
      throw SessionFileTooLarge({ path, limit: `${MAX_SESSION_FILE_BYTES} bytes` })
    case "too_long":
      return { kind: "bad", line: warning.line, reason: `it has ${warning.sizeBytes} bytes` }
    case "truncated_tail":
      return { kind: "bad", line: warning.line, reason: "it is incomplete" }
    case "bad_line":
      // A message between the NULs comes as a separate record.
      return warning.reason === "nul_bytes"
        ? { kind: "none" }
        : { kind: "bad", line: warning.line, reason: warning.reason.replaceAll("_", " ") }
    default:
      return warning satisfies never
  }
}

/** With a new id, our directory, no host session, and a mode that allows nothing by itself. */
function importedRun(run: Run, messages: number, deps: ImportDeps): Run {
  return {
    ...run,
    id: deps.ids.next("run"),
    title: deps.redact(run.title),
    prompt: deps.redact(run.prompt),
    error: run.error === null ? null : deps.redact(run.error),
    labels: run.labels.map((it) => deps.redact(it)),
    workflow: deps.redact(run.workflow),
    status: isEnded(run.status) ? run.status : "interrupted",
    mode: run.mode === "plan" ? "plan" : "ask",
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

async function* readPages(path: string, deps: ImportDeps): AsyncGenerator<readonly Message[]> {
  let page: Message[] = []
  let seq = 0
  for await (const item of readSession(path)) {
    if (item.kind !== "message") continue
    seq += 1
    page.push({ ...redacted(item.message, deps), id: deps.ids.next("msg"), seq })
    if (page.length < 500) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

/** Redacted before it is truncated: half a secret is not recognised. */
function redacted(message: Message, { redact, redactJson }: Redaction): Message {
  const { content, raw, metadata, ...rest } = message
  return {
    ...rest,
    content: cutContent(redact(content)),
    metadata: Message.shape.metadata.safeParse(redactJson(metadata)).data ?? {},
    ...(raw === undefined ? {} : { raw: cutContent(redact(raw)) }),
  }
}

export type Redaction = {
  redact(text: string): string
  redactJson(value: unknown): unknown
}
