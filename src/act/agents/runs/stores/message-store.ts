import { z } from "zod"
import { type Clock, type Ids, invariant, type Log, sliceText } from "#ground/base"
import { Message } from "#ground/contract"
import { type Db, join, jsonColumn, type Sql, sql, type Tx } from "#ground/store"
import { MessageUnknown } from "../../errors.ts"
import { eventOf, type NewMessage } from "../../event-message.ts"
import type { Claim } from "./claim.ts"
import { retryWhileAway } from "./retry-write.ts"
import { MAX_SEARCHED_RUNS } from "./run-search.ts"
import { type RunStore, setLastSeq } from "./run-store.ts"

const ADVANCE_EVERY_MS = 250

type MessageFilter = {
  readonly after: number
  readonly before?: number | undefined
  readonly limit: number
  readonly brief?: boolean | undefined
}

const MessageRow = Message.extend({
  metadata: jsonColumn(Message.shape.metadata),
  raw: z.string().nullable(),
}).transform(({ raw, ...row }): Message => ({ ...row, ...(raw === null ? {} : { raw }) }))

export type FileRead = { readonly path: string; readonly cwd: string }

const ReadRow = z.object({ metadata: jsonColumn(Message.shape.metadata), cwd: z.string() })

/** Some hundred reads for each run that is searched. */
const MAX_READS = 50_000

const COLUMNS = sql`id, seq, type, role, content, at AS "timestamp", metadata, raw`

export const LastSeqRow = z.object({ last_seq: z.int() })

export const advance = ({ runId, fence }: Claim, by: number): Sql => sql`
  UPDATE runs SET last_seq = last_seq + ${by} WHERE id = ${runId} AND fence = ${fence}
  RETURNING last_seq`

export const insertMessages = (runId: string, messages: readonly Message[]): Sql => sql`
  INSERT INTO run_messages (run_id, seq, id, type, role, content, at, metadata, raw) VALUES ${join(
    messages.map(
      (it) => sql`(${runId}, ${it.seq}, ${it.id}, ${it.type}, ${it.role}, ${it.content},
        ${it.timestamp}, ${JSON.stringify(it.metadata)}, ${it.raw ?? null})`,
    ),
  )}`

/** The ids of messages are the key by which a repeated write finds what it has stored. */
const selectSeq = (named: readonly { readonly id: string }[]): Sql => sql`
  SELECT seq AS last_seq FROM run_messages WHERE id = ${named.at(-1)?.id ?? ""}`

const lockRun = (runId: string, at: number): Sql => sql`
  UPDATE runs SET updated_at = ${at} WHERE id = ${runId} RETURNING last_seq`

/** Newest first, so that the search ends at the first match. */
const selectLastOf = (runId: string, prefix: string): Sql => sql`
  SELECT id FROM run_messages
  WHERE run_id = ${runId} AND substr(id, 1, ${prefix.length}) = ${prefix}
  ORDER BY seq DESC LIMIT 1`

export type ForeignMessage = Pick<Message, "type" | "role" | "content" | "metadata"> & {
  readonly order: number
  readonly at: number
}

type Deps = {
  readonly db: Db<"agents">
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly runs: RunStore
  notify(runId: string, lastSeq: number): void
}

export type MessageStore = ReturnType<typeof createMessageStore>

/**
 * Messages are numbered, stored with the change that belongs to them, and only then announced: to
 * this process immediately, to others through the journal.
 */
export function createMessageStore(deps: Deps) {
  const { db, runs } = deps
  const announcer = createAnnouncer(deps)

  return {
    /**
     * Returns false, and writes nothing, when another process has claimed the run. While the
     * database is away it tries again; the messages are stored once.
     */
    async append(
      claim: Claim,
      added: readonly NewMessage[],
      writeBeside: (tx: Tx<"agents">) => Promise<void> = async () => {},
    ): Promise<boolean> {
      invariant(added.length > 0, "at least one message is appended")
      const { runId } = claim
      const timestamp = deps.clock.now()
      const named = added.map((it) => ({ ...it, id: deps.ids.next("msg"), timestamp }))
      const isDue = announcer.takeTurn(runId)
      const add = async (tx: Tx<"agents">): Promise<number | undefined> => {
        const last = (await tx.get(LastSeqRow, advance(claim, named.length)))?.last_seq
        if (last === undefined) return undefined
        const first = last - named.length + 1
        const messages = named.map((it, index) => ({ ...it, seq: first + index }))
        await tx.run(insertMessages(runId, messages))
        await writeBeside(tx)
        if (isDue) tx.emit("agents.advanced", { id: runId, seq: last })
        return last
      }
      const lastSeq = await retryWhileAway(deps.clock, (isRepeated) =>
        db.transaction(async (tx) => {
          const stored = isRepeated ? await tx.get(LastSeqRow, selectSeq(named)) : undefined
          return stored?.last_seq ?? add(tx)
        }),
      )
      if (lastSeq === undefined) return false
      if (!isDue) announcer.announceLater(runId, lastSeq)
      deps.notify(runId, lastSeq)
      return true
    },
    /**
     * Appends messages of another source, such as a pipeline of the session, also while another
     * process works on the run. `order` grows within a source; what is stored up to an order is skipped, so a source may
     * send its messages again.
     */
    async appendFrom(
      runId: string,
      source: string,
      added: readonly ForeignMessage[],
    ): Promise<void> {
      const prefix = `${source}.`
      const missing = async (from: Pick<Db<"agents">, "get">) => {
        const stored = await from.get(z.object({ id: z.string() }), selectLastOf(runId, prefix))
        const done = stored === undefined ? -1 : Number(stored.id.slice(prefix.length))
        return added.filter((it) => it.order > done)
      }
      // A source that sends everything again after a restart must not change the run.
      if ((await missing(db)).length === 0) return
      const isDue = announcer.takeTurn(runId)
      const lastSeq = await db.transaction(async (tx) => {
        // Locks the run's row first, so that two processes do not append the same messages.
        const before = (await tx.get(LastSeqRow, lockRun(runId, deps.clock.now())))?.last_seq
        if (before === undefined) return undefined
        const fresh = await missing(tx)
        if (fresh.length === 0) return undefined
        const messages = fresh.map(({ order, at, ...it }, index) => ({
          ...it,
          id: `${prefix}${order}`,
          timestamp: at,
          seq: before + index + 1,
        }))
        await tx.run(insertMessages(runId, messages))
        const last = before + messages.length
        await tx.run(setLastSeq(runId, last))
        if (isDue) tx.emit("agents.advanced", { id: runId, seq: last })
        return last
      })
      if (lastSeq === undefined) return
      if (!isDue) announcer.announceLater(runId, lastSeq)
      deps.notify(runId, lastSeq)
    },
    runEnded(runId: string, lastSeq: number): void {
      announcer.forget(runId)
      deps.notify(runId, lastSeq)
    },
    async list(id: string, filter: MessageFilter): Promise<Message[]> {
      await runs.find(id)
      const { after, before, limit, brief } = filter
      const page =
        before === undefined
          ? await db.all(
              MessageRow,
              sql`SELECT ${COLUMNS} FROM run_messages
                WHERE run_id = ${id} AND seq > ${after} ORDER BY seq LIMIT ${limit}`,
            )
          : await db.all(
              MessageRow,
              sql`SELECT ${COLUMNS} FROM run_messages
                WHERE run_id = ${id} AND seq < ${before} ORDER BY seq DESC LIMIT ${limit}`,
            )
      const inOrder = before === undefined ? page : page.toReversed()
      const newer = inOrder.filter((it) => it.seq > after)
      return brief === true ? newer.map(briefMessage) : newer
    },
    async find(id: string, seq: number): Promise<Message> {
      await runs.find(id)
      const message = await db.get(
        MessageRow,
        sql`SELECT ${COLUMNS} FROM run_messages WHERE run_id = ${id} AND seq = ${seq}`,
      )
      if (message === undefined) throw MessageUnknown({ id, seq })
      return message
    },
    async hasPackPart(id: string): Promise<boolean> {
      const row = await db.get(
        z.object({ seq: z.int() }),
        sql`SELECT seq FROM run_messages
          WHERE run_id = ${id} AND type = 'user' AND metadata LIKE '%"pack":%' LIMIT 1`,
      )
      return row !== undefined
    },
    /** Files that agents read since a time, newest first, with the working directory of the run. */
    async reads(sinceMs: number): Promise<readonly FileRead[]> {
      const newest = sql`SELECT id FROM runs ORDER BY created_at DESC, id DESC
        LIMIT ${MAX_SEARCHED_RUNS}`
      const rows = await db.all(
        ReadRow,
        sql`SELECT m.metadata AS metadata, r.cwd AS cwd FROM run_messages m
          JOIN runs r ON r.id = m.run_id
          WHERE m.run_id IN (${newest}) AND m.type = 'tool' AND m.role = 'assistant'
            AND m.at >= ${sinceMs} AND m.metadata LIKE '%"kind":"read"%'
          ORDER BY m.at DESC LIMIT ${MAX_READS}`,
      )
      return rows.flatMap(({ metadata, cwd }) => {
        const event = eventOf({ metadata })
        const isRead = event?.event === "activity.started" && event.kind === "read"
        return isRead && event.path !== undefined ? [{ path: event.path, cwd }] : []
      })
    },
    close: announcer.close,
  }
}

/** Keeps a page of a long run below a hundred megabytes. */
function briefMessage(whole: Message): Message {
  const { raw: _, ...message } = whole
  const { content, metadata } = message
  const brief = sliceText(content, 4_000)
  if (brief === content) return message
  return { ...message, content: brief, metadata: { ...metadata, cut: content.length } }
}

/** Announces to other processes at most every ADVANCE_EVERY_MS, and the last of a burst later. */
function createAnnouncer(deps: Pick<Deps, "db" | "clock" | "log">) {
  const announcedAt = new Map<string, number>()
  const waiting = new Map<string, number>()
  const closing = new AbortController()

  async function announce(runId: string): Promise<void> {
    try {
      await deps.clock.sleep(ADVANCE_EVERY_MS, closing.signal)
      const seq = waiting.get(runId)
      if (seq === undefined) return
      waiting.delete(runId)
      await deps.db.transaction(async (tx) => tx.emit("agents.advanced", { id: runId, seq }))
    } catch (error) {
      // Other processes poll as well; they only learn of it later.
      if (!closing.signal.aborted)
        deps.log.info("could not notify other processes of new messages", { error: String(error) })
    }
  }
  return {
    takeTurn(runId: string): boolean {
      const now = deps.clock.monotonicMs()
      const last = announcedAt.get(runId)
      const isDue = last === undefined || now - last >= ADVANCE_EVERY_MS
      if (isDue) announcedAt.set(runId, now)
      if (isDue) waiting.delete(runId)
      return isDue
    },
    announceLater(runId: string, seq: number): void {
      const isNew = !waiting.has(runId)
      waiting.set(runId, seq)
      if (isNew) void announce(runId)
    },
    forget(runId: string): void {
      announcedAt.delete(runId)
      waiting.delete(runId)
    },
    close: () => closing.abort(),
  }
}
