import { z } from "zod"
import { type Clock, type Ids, sliceText, visibleLine } from "#ground/base"
import type { CredentialRequest } from "#ground/contract"
import { type Db, sql } from "#ground/store"
import { RequestAnswered, RequestUnknown, TooManyRequests } from "./errors.ts"

/** A person who is away for lunch still finds it; later the agent has moved on. */
const REQUEST_MS = 60 * 60_000

/** An agent in a loop must not fill the user's list. */
const MOST_OPEN_REQUESTS = 20

const MOST_LISTED = 200

const LONGEST_REASON_CHARACTERS = 300

const RequestRow = z.object({
  id: z.string(),
  session: z.string(),
  client: z.string(),
  name: z.string(),
  reason: z.string(),
  status: z.enum(["open", "given", "denied"]),
  requestedAt: z.coerce.number(),
  expiresAt: z.coerce.number(),
})

const COLUMNS = sql`id, session, client, name, reason, status, requested_at AS "requestedAt",
  expires_at AS "expiresAt"`

type RequestDeps = {
  db(): Promise<Db<"sources">>
  readonly clock: Pick<Clock, "now">
  readonly ids: Pick<Ids, "next">
  redact(text: string): Promise<string>
}

export type CredentialRequests = ReturnType<typeof createCredentialRequests>

/**
 * Credentials that agents ask for. The agent learns whether the user answered; the value goes from
 * the user to the credential store and nowhere else.
 */
export function createCredentialRequests({ db, clock, ids, redact }: RequestDeps) {
  const viewOf = (row: z.infer<typeof RequestRow>): CredentialRequest => ({
    ...row,
    status: row.status === "open" && row.expiresAt <= clock.now() ? "expired" : row.status,
  })
  async function newest(sessionName: string, name: string): Promise<CredentialRequest | undefined> {
    // A client may send a key in place of its session.
    const session = await redact(sessionName)
    const row = await (await db()).get(
      RequestRow,
      sql`SELECT ${COLUMNS} FROM credential_requests WHERE session = ${session} AND name = ${name}
        ORDER BY requested_at DESC, id DESC LIMIT 1`,
    )
    return row === undefined ? undefined : viewOf(row)
  }
  async function open(): Promise<readonly CredentialRequest[]> {
    const rows = await (await db()).all(
      RequestRow,
      sql`SELECT ${COLUMNS} FROM credential_requests WHERE status = 'open'
        AND expires_at > ${clock.now()} ORDER BY requested_at, id LIMIT ${MOST_LISTED}`,
    )
    return rows.map(viewOf)
  }
  return {
    open,
    newest,
    async ask(request: {
      readonly session: string
      readonly client: string
      readonly name: string
      readonly reason: string
    }): Promise<CredentialRequest> {
      const { client, name } = request
      const session = await redact(request.session)
      const earlier = await newest(session, name)
      if (earlier?.status === "open") return earlier
      if ((await open()).length >= MOST_OPEN_REQUESTS) {
        throw TooManyRequests({ most: MOST_OPEN_REQUESTS })
      }
      const reason = sliceText(visibleLine(await redact(request.reason)), LONGEST_REASON_CHARACTERS)
      const requestedAt = clock.now()
      const row = { id: ids.next("cr"), session, client, name, reason, requestedAt }
      await (await db()).transaction(async (tx) => {
        await tx.run(sql`INSERT INTO credential_requests
          (id, session, client, name, reason, status, requested_at, expires_at)
          VALUES (${row.id}, ${session}, ${client}, ${name}, ${reason}, 'open', ${requestedAt},
            ${requestedAt + REQUEST_MS})`)
        tx.emit("sources.credential", { id: row.id, name, status: "open" })
      })
      return { ...row, status: "open", expiresAt: requestedAt + REQUEST_MS }
    },
    /** Of two answers the first counts. */
    async answer(id: string, status: "given" | "denied"): Promise<CredentialRequest> {
      const database = await db()
      const find = () =>
        database.get(RequestRow, sql`SELECT ${COLUMNS} FROM credential_requests WHERE id = ${id}`)
      const row = await find()
      if (row === undefined) throw RequestUnknown({ id })
      const view = viewOf(row)
      if (view.status !== "open") throw RequestAnswered({ id, status: view.status })
      const isFirst = await database.transaction(async (tx) => {
        const { changes } = await tx.run(sql`UPDATE credential_requests SET status = ${status},
          answered_at = ${clock.now()} WHERE id = ${id} AND status = 'open'`)
        if (changes > 0) tx.emit("sources.credential", { id, name: row.name, status })
        return changes > 0
      })
      if (!isFirst) throw RequestAnswered({ id, status: (await find())?.status ?? "given" })
      return { ...view, status }
    },
    /** A credential that the user set by its name answers all requests for it. */
    async setByName(name: string): Promise<void> {
      const waiting = (await open()).filter((it) => it.name === name)
      if (waiting.length === 0) return
      await (await db()).transaction(async (tx) => {
        for (const { id } of waiting) {
          await tx.run(sql`UPDATE credential_requests SET status = 'given',
            answered_at = ${clock.now()} WHERE id = ${id} AND status = 'open'`)
          tx.emit("sources.credential", { id, name, status: "given" })
        }
      })
    },
  }
}
