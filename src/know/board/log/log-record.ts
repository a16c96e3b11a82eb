import { hash } from "node:crypto"
import { z } from "zod"
import { isRecord, parseJson } from "#ground/base"
import { BoardActor, Lane } from "#ground/contract"

/**
 * One line of an event log. `order` is a Lamport clock: higher than that of every event the writer
 * has seen, so all clones sort the same events the same way.
 */
export type LogRecord = {
  readonly v: 1
  readonly id: string
  readonly ticket: string
  readonly ts: number
  readonly order: number
  readonly actor: BoardActor
  readonly session: string
  readonly kind: "move" | "approve" | "reject" | "undo" | "evidence"
  readonly from?: Lane | undefined
  readonly to?: Lane | undefined
  readonly inverse?: { readonly from: Lane; readonly to: Lane } | undefined
  readonly by?:
    | {
        readonly agent?: string | undefined
        readonly runId?: string | undefined
        readonly workstream?: string | undefined
        readonly person?: string | undefined
      }
    | undefined
  readonly undoes?: string | undefined
  readonly feedback?: string | undefined
  /** HEAD when the work started. */
  readonly commit?: string | undefined
  /** Of an approval: ids of the evidence, or the reason why none is needed. */
  readonly proof?: readonly string[] | undefined
  readonly exempt?: "docs" | undefined
  readonly evidence?: EvidenceFacts | undefined
  /** HMAC of the evidence with this clone's key. */
  readonly seal?: string | undefined
}

export type EvidenceFacts = {
  readonly command: string
  readonly exitCode: number | null
  readonly tree: string
  readonly outputHash: string
  readonly outputBytes: number
  readonly durationMs: number
}

const Text = z.string().max(8_192)
const Word = z.string().min(1).max(200)
const Moved = z.object({ from: Lane, to: Lane })

/** An id is a part of a file name. */
const EventId = z.string().regex(/^[\w-]{1,60}$/)

const LogLine = z.object({
  v: z.literal(1),
  id: EventId,
  ticket: Word,
  ts: z.int(),
  order: z.int().min(1),
  actor: BoardActor,
  session: Word,
  kind: z.enum(["move", "approve", "reject", "undo", "evidence"]),
  from: Lane.optional(),
  to: Lane.optional(),
  inverse: Moved.optional(),
  by: z
    .object({
      agent: Word.optional(),
      runId: Word.optional(),
      workstream: Word.optional(),
      person: Word.optional(),
    })
    .optional(),
  undoes: EventId.optional(),
  feedback: Text.optional(),
  commit: Word.optional(),
  proof: z.array(EventId).max(100).optional(),
  exempt: z.literal("docs").optional(),
  evidence: z
    .object({
      command: z.string().max(20_000),
      exitCode: z.int().nullable(),
      tree: Word,
      outputHash: Word,
      outputBytes: z.int().nonnegative(),
      durationMs: z.int().nonnegative(),
    })
    .optional(),
  seal: Word.optional(),
})

/** The line of a record. `prev` is the hash of the previous line, so an edit breaks the chain. */
export function writeLine(record: LogRecord, previousLine: string | undefined): string {
  return JSON.stringify({ ...record, prev: hashOfLine(previousLine) })
}

export function hashOfLine(line: string | undefined): string {
  return line === undefined ? "" : hash("sha256", line, "hex").slice(0, 24)
}

type ReadLog = {
  readonly records: readonly LogRecord[]
  /** Line from which on the log was edited or damaged; later lines are not used. */
  readonly brokenAt: number | undefined
  readonly lastLine: string | undefined
  readonly lines: number
}

/** A half-written last line is a broken one: its writer died. */
export function readLog(text: string): ReadLog {
  const lines = text.split("\n")
  if (lines.at(-1) === "") lines.pop()
  const records: LogRecord[] = []
  let previous: string | undefined
  for (const [at, line] of lines.entries()) {
    const record = parseLine(line, previous)
    if (record === undefined)
      return { records, brokenAt: at + 1, lastLine: previous, lines: lines.length }
    records.push(record)
    previous = line
  }
  return { records, brokenAt: undefined, lastLine: previous, lines: lines.length }
}

function parseLine(line: string, previous: string | undefined): LogRecord | undefined {
  const value = parseJson(line)
  if (!isRecord(value) || value["prev"] !== hashOfLine(previous)) return undefined
  const plain = plainMove(value)
  if (plain !== undefined) return plain
  const parsed = LogLine.safeParse(value)
  return parsed.success ? parsed.data : undefined
}

const PLAIN_FIELDS = new Set(
  "v id ticket ts order actor session kind from to inverse commit prev".split(" "),
)
const LANE_NAMES: ReadonlySet<unknown> = new Set(Lane.options)
const ACTOR_NAMES: ReadonlySet<unknown> = new Set(BoardActor.options)
const EVENT_ID = /^[\w-]{1,60}$/

/**
 * A move without further fields, checked by hand: most lines of a long log are such moves, and the
 * schema takes twice the time of everything else. Undefined leaves the line to the schema.
 */
function plainMove(value: Readonly<Record<string, unknown>>): LogRecord | undefined {
  for (const field in value) if (!PLAIN_FIELDS.has(field)) return undefined
  const { id, ticket, ts, order, session, actor, from, to, inverse, commit } = value
  const isPlain =
    value["v"] === 1 &&
    value["kind"] === "move" &&
    typeof id === "string" &&
    EVENT_ID.test(id) &&
    isWord(ticket) &&
    isWord(session) &&
    Number.isSafeInteger(ts) &&
    Number.isSafeInteger(order) &&
    Number(order) >= 1 &&
    (commit === undefined || isWord(commit)) &&
    isActor(actor) &&
    isLane(from) &&
    isLane(to) &&
    isMove(inverse)
  if (!isPlain) return undefined
  return {
    v: 1,
    id,
    ticket,
    ts: Number(ts),
    order: Number(order),
    actor,
    session,
    kind: "move",
    from,
    to,
    inverse: { from: inverse.from, to: inverse.to },
    ...(commit === undefined ? {} : { commit }),
  }
}

const isWord = (it: unknown): it is string =>
  typeof it === "string" && it.length >= 1 && it.length <= 200
const isLane = (it: unknown): it is Lane => LANE_NAMES.has(it)
const isMove = (it: unknown): it is { readonly from: Lane; readonly to: Lane } =>
  isRecord(it) && isLane(it["from"]) && isLane(it["to"])
const isActor = (it: unknown): it is BoardActor => ACTOR_NAMES.has(it)
