import path from "node:path"
import {
  isAppError,
  isRecord,
  type JsonRecord,
  openForeignDatabase,
  parseJsonRecord,
  realPath,
  statFile,
} from "#ground/base"
import type { HostHome, SessionFile } from "./find-transcripts.ts"

/** Sessions of opencode 1.18 are rows: `session`, `message` and `part`, with JSON in `data`. */

const MAX_SESSIONS = 20_000

/** A page is in memory at once; a message of a long tool result has several megabytes. */
const MESSAGES_PER_PAGE = 20

const MAX_PARTS = 2_000

/** Of one part; a longer one is left out. */
const MAX_PART_BYTES = 16 * 1024 * 1024

/** `opencode.db`, or that of another release channel; `OPENCODE_DB` is not followed elsewhere. */
const DATABASE = /^opencode(?:-[A-Za-z0-9._-]{1,100})?\.db$/

export async function opencodeFolder({ home, environment }: HostHome): Promise<string | undefined> {
  const data = environment["XDG_DATA_HOME"]
  const base = data === undefined || data === "" ? path.join(home, ".local/share") : data
  return realPath(path.join(path.resolve(base), "opencode")).catch(() => undefined)
}

/** A session that another one started is a sub-agent of the first one above it. */
export async function* opencodeSessions(
  folder: string,
  names: readonly string[],
): AsyncGenerator<SessionFile> {
  for (const name of names.filter((it) => DATABASE.test(it))) {
    const database = path.join(folder, name)
    const stat = await statFile(database)
    if (stat.kind !== "found" || stat.what !== "regular file") continue
    const rows = sessionRows(database)
    if (rows === undefined) continue
    const parents = new Map(rows.map((it) => [it.id, it.parent]))
    for (const row of rows) {
      const root = rootOf(row.id, parents)
      yield {
        host: "opencode",
        sessionId: root,
        file: `${database}#${row.id}`,
        subAgent: root === row.id ? null : row.id,
        rows: {
          database,
          id: row.id,
          agent: row.agent,
          stat: { ...stat.stat, sizeBytes: row.bytes, modifiedAtMs: row.updated },
        },
      }
    }
  }
}

type OpencodeSession = {
  readonly id: string
  readonly parent: string
  readonly agent: string
  readonly updated: number
  readonly bytes: number
}

/** `octet_length` reads the sizes without the texts. */
const SESSIONS = `SELECT s.id AS id, s.parent_id AS parent, s.agent AS agent,
    s.time_updated AS updated,
    (SELECT sum(octet_length(p.data)) FROM part p WHERE p.session_id = s.id) AS bytes
  FROM session s ORDER BY s.time_updated DESC LIMIT ${MAX_SESSIONS}`

/** Undefined for a database of another schema, such as that of a later version. */
function sessionRows(database: string): readonly OpencodeSession[] | undefined {
  try {
    using db = openForeignDatabase(database)
    return db.all(SESSIONS, []).flatMap((it) => {
      const id = textIn(it, "id")
      if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,199}$/.test(id)) return []
      const agent = textIn(it, "agent").slice(0, 100) || "sub-agent"
      const [updated, bytes] = [numberIn(it, "updated"), numberIn(it, "bytes")]
      return [{ id, parent: textIn(it, "parent"), agent, updated, bytes }]
    })
  } catch (error) {
    if (!isAppError(error)) throw error
    return undefined
  }
}

const MOST_LEVELS = 20

function rootOf(id: string, parents: ReadonlyMap<string, string>): string {
  let root = id
  for (let level = 0; level < MOST_LEVELS; level++) {
    const parent = parents.get(root) ?? ""
    if (!parents.has(parent)) break
    root = parent
  }
  return root
}

type OpencodeRows = NonNullable<SessionFile["rows"]>

const MESSAGE_ID = `SELECT id FROM message WHERE session_id = ? ORDER BY time_created, id
  LIMIT 1 OFFSET ?`

/** The id of the message at a position, counted from 0. Empty if there is none. */
export function opencodeMessageAt({ database, id }: OpencodeRows, position: number): string {
  using db = openForeignDatabase(database)
  const [row] = db.all(MESSAGE_ID, [id, position])
  return textIn(row, "id")
}

const MESSAGES = `SELECT id, time_created AS created, data FROM message WHERE session_id = ?
  ORDER BY time_created, id LIMIT ? OFFSET ?`
const PARTS = `SELECT CASE WHEN octet_length(data) <= ${MAX_PART_BYTES} THEN data END AS data
  FROM part WHERE message_id = ? ORDER BY id LIMIT ${MAX_PARTS}`
const SESSION = `SELECT title, directory, version, parent_id AS parent FROM session WHERE id = ?`

/**
 * The finished messages after a position, each as the records of its parts. A message is finished
 * if a later one exists, or if it is an answer with an end: the host still writes the last one.
 */
export function* opencodeMessages(
  { database, id }: OpencodeRows,
  from: number,
): Generator<{ readonly records: readonly JsonRecord[]; readonly end: number }> {
  using db = openForeignDatabase(database)
  const [session = {}] = db.all(SESSION, [id])
  for (let position = from; ; ) {
    const page = db.all(MESSAGES, [id, MESSAGES_PER_PAGE + 1, position])
    for (const [index, row] of page.slice(0, MESSAGES_PER_PAGE).entries()) {
      const message = parseJsonRecord(textIn(row, "data")) ?? {}
      if (index === page.length - 1 && !isFinished(message)) return
      const parts = db
        .all(PARTS, [textIn(row, "id")])
        .map((it) => parseJsonRecord(textIn(it, "data")) ?? {})
      const about = { id: textIn(row, "id"), createdMs: numberIn(row, "created"), session }
      position += 1
      yield { records: recordsOf(message, parts, about), end: position }
    }
    if (page.length <= MESSAGES_PER_PAGE) return
  }
}

function isFinished({ role, time, error }: JsonRecord): boolean {
  return role === "assistant" && (isRecord(error) || numberIn(time, "completed") > 0)
}

type MessageFacts = {
  readonly id: string
  readonly createdMs: number
  readonly session: JsonRecord
}

/** Parts have times of their own: a tool result is in the window of the next call only. */
function recordsOf(
  message: JsonRecord,
  parts: readonly JsonRecord[],
  { id, createdMs, session }: MessageFacts,
): readonly JsonRecord[] {
  const common = { id, role: message["role"], session, message }
  const record = (type: string, atMs: number, more: JsonRecord = {}): JsonRecord => ({
    type,
    timestamp: new Date(atMs || createdMs).toISOString(),
    ...common,
    ...more,
  })
  const records = parts.flatMap((part): JsonRecord[] => {
    const state = isRecord(part["state"]) ? part["state"] : {}
    if (part["type"] !== "tool") return [record("part", createdMs, { part })]
    return [
      record("tool call", numberIn(state["time"], "start"), { part, state }),
      record("tool result", numberIn(state["time"], "end"), { part, state }),
    ]
  })
  return [record("message", createdMs), ...records]
}

function textIn(row: unknown, name: string): string {
  const value = isRecord(row) ? row[name] : undefined
  return typeof value === "string" ? value : ""
}

function numberIn(row: unknown, name: string): number {
  const value = isRecord(row) ? row[name] : undefined
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0
}
