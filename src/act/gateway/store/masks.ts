import { z } from "zod"
import { type GatewayMasks, MaskKind, type OperationInput } from "#ground/contract"
import { join, jsonColumn, type Sql, sql } from "#ground/store"
import { ROWS_PER_STATEMENT } from "./cleanup.ts"
import type { StoreDeps } from "./rows.ts"
import { showProxiedSessions } from "./views.ts"

const MaskBody = z.object({
  /** The line in place of the result; never changes. */
  text: z.string(),
  label: z.string(),
  handle: z.string(),
  tokens: z.int().nonnegative(),
  /** Equal for a call with the same tool and input. */
  callKey: z.string(),
  /** Model turns of the conversation when it was masked. */
  turn: z.int().nonnegative(),
})
type MaskBody = z.infer<typeof MaskBody>

const MaskRow = z.object({
  call: z.string(),
  at: z.int(),
  kind: z.enum([...MaskKind.options, "thinking"]),
  reread: z.int().nullable(),
  body: jsonColumn(MaskBody.nullable()),
})

const ListedRow = MaskRow.extend({ session: z.string(), agent: z.string() })

const OrderBody = z.object({
  summary: z.string(),
  /** Hashes of the results' texts. */
  hashes: z.array(z.string()),
})
export type FoldOrder = z.infer<typeof OrderBody> & { readonly id: string }

const OrderRow = z
  .object({ id: z.string(), body: jsonColumn(OrderBody) })
  .transform(({ id, body }) => ({ id, ...body }))

const SourceRow = z.object({ session: z.string(), agent: z.string() })

export type ConversationKey = { readonly session: string; readonly agent: string }

export type StoredMask = MaskBody & {
  readonly callId: string
  readonly at: number
  readonly kind: MaskKind
  /** Model turns after which the text was read again; null if it was not. */
  readonly reread: number | null
}

export type StoredLatch = {
  readonly masks: readonly StoredMask[]
  /** Keys of removed thinking. */
  readonly thinking: readonly string[]
}

/** Calls at the start of a conversation by which its origin is recognized. */
const MOST_COMPARED_CALLS = 100

const MOST_ROWS = 20_000

export type MaskStore = ReturnType<typeof createMaskStore>

/** The latches of masks: what was changed once is changed in every later request. */
export function createMaskStore(deps: Pick<StoreDeps, "clock" | "db" | "root">) {
  const { db, root, clock } = deps
  const load = async (key: ConversationKey): Promise<StoredLatch> =>
    latchOf(await db.all(MaskRow, selectMasks(root(), key)))
  const add = async (key: ConversationKey, latch: StoredLatch): Promise<void> => {
    const at = clock.now()
    const rows = [
      ...latch.masks.map(({ callId, kind, reread, at: maskedAt, ...body }) => ({
        call: callId,
        kind,
        at: maskedAt,
        reread,
        body,
      })),
      ...latch.thinking.map((call) => ({ call, kind: "thinking", at, reread: null, body: null })),
    ]
    await db.transaction(async (tx) => {
      for (let from = 0; from < rows.length; from += ROWS_PER_STATEMENT) {
        await tx.run(insertMasks(root(), key, rows.slice(from, from + ROWS_PER_STATEMENT)))
      }
    })
  }
  return {
    load,
    add,
    /** The latches of the conversation that this one began as: a fork or a new session. */
    async inherit(key: ConversationKey, callIds: readonly string[]): Promise<StoredLatch> {
      const calls = callIds.slice(0, MOST_COMPARED_CALLS)
      if (calls.length === 0) return NO_LATCH
      const sources = await db.all(SourceRow, selectSources(root(), calls))
      const latches = await Promise.all(sources.map(load))
      const latch = {
        masks: latches.flatMap((it) => it.masks),
        thinking: [...new Set(latches.flatMap((it) => it.thinking))],
      }
      if (latch.masks.length > 0) await add(key, latch)
      return latch
    },
    /** Folds that a person asked for and that no request has yet. */
    orders: (session: string): Promise<readonly FoldOrder[]> =>
      db.all(OrderRow, selectOrders(root(), session)),
    async addOrder(session: string, order: FoldOrder): Promise<void> {
      await db.transaction((tx) =>
        tx.run(insertOrder({ root: root(), session, at: clock.now() }, order)),
      )
    },
    async deleteOrder(id: string): Promise<void> {
      await db.transaction((tx) => tx.run(deleteOrders(root(), id)))
    },
    async noteReread(key: ConversationKey, callId: string, turns: number): Promise<void> {
      await db.transaction((tx) => tx.run(setReread(root(), { ...key, callId }, turns)))
    },
  }
}

const NO_LATCH: StoredLatch = { masks: [], thinking: [] }

function latchOf(rows: readonly z.output<typeof MaskRow>[]): StoredLatch {
  return {
    masks: rows.flatMap(({ call, kind, body, at, reread }) =>
      kind === "thinking" || body === null ? [] : [{ ...body, callId: call, kind, at, reread }],
    ),
    thinking: rows.flatMap((it) => (it.kind === "thinking" ? [it.call] : [])),
  }
}

type NewRow = {
  readonly call: string
  readonly kind: string
  readonly at: number
  readonly reread: number | null
  readonly body: MaskBody | null
}

const insertMasks = (root: string, key: ConversationKey, rows: readonly NewRow[]): Sql => sql`
  INSERT INTO gateway_masks (root, session, agent, call, at, kind, reread, body)
  VALUES ${join(
    rows.map(
      (it) =>
        sql`(${root}, ${key.session}, ${key.agent}, ${it.call}, ${it.at}, ${it.kind},
          ${it.reread}, ${JSON.stringify(it.body)})`,
    ),
  )}
  ON CONFLICT (root, session, agent, call) DO NOTHING`

const selectMasks = (root: string, { session, agent }: ConversationKey): Sql => sql`
  SELECT call, at, kind, reread, body FROM gateway_masks
  WHERE root = ${root} AND session = ${session} AND agent = ${agent} ORDER BY at, call`

const selectSources = (root: string, calls: readonly string[]): Sql => sql`
  SELECT DISTINCT session, agent FROM gateway_masks
  WHERE root = ${root} AND call IN (${join(calls.map((it) => sql`${it}`))})
  ORDER BY session, agent LIMIT 20`

const setReread = (
  root: string,
  { session, agent, callId }: ConversationKey & { readonly callId: string },
  turns: number,
): Sql => sql`
  UPDATE gateway_masks SET reread = coalesce(reread, ${turns})
  WHERE root = ${root} AND session = ${session} AND agent = ${agent} AND call = ${callId}`

const selectOrders = (root: string, session: string): Sql => sql`
  SELECT id, body FROM gateway_fold_orders WHERE root = ${root} AND session = ${session}
  ORDER BY at, id`

type OrderKey = { readonly root: string; readonly session: string; readonly at: number }

const insertOrder = ({ root, session, at }: OrderKey, { id, ...body }: FoldOrder): Sql => sql`
  INSERT INTO gateway_fold_orders (root, id, session, at, body)
  VALUES (${root}, ${id}, ${session}, ${at}, ${JSON.stringify(body)})`

const deleteOrders = (root: string, id: string): Sql => sql`
  DELETE FROM gateway_fold_orders WHERE root = ${root} AND id = ${id}`

const selectListed = (root: string, sessions: readonly string[]): Sql => sql`
  SELECT session, agent, call, at, kind, reread, body FROM gateway_masks
  WHERE root = ${root} AND kind <> 'thinking'
    AND session IN (${join(sessions.map((it) => sql`${it}`))})
  ORDER BY at, call LIMIT ${MOST_ROWS}`

const MOST_LISTED_REQUESTS = 2_000

/** The masks of all host sessions of a run or proxied session. */
export function listMasks(deps: StoreDeps) {
  const show = showProxiedSessions(deps)
  return async ({ id }: OperationInput<"gateway.masks">): Promise<GatewayMasks> => {
    const { sessions, requests } = await show({ id, limit: MOST_LISTED_REQUESTS })
    const names = [...new Set(requests.flatMap((it) => it.session ?? []))]
    const rows =
      names.length === 0 ? [] : await deps.db.all(ListedRow, selectListed(deps.root(), names))
    const masks = rows.flatMap(({ session, agent, at, kind, body, reread }) =>
      kind === "thinking" || body === null
        ? []
        : [{ at, session, agent, kind, ...shownOf(body), rereadAfterTurns: reread }],
    )
    return {
      sessions,
      masks,
      kinds: kindsOf(masks),
      savedTokens: requests.reduce((sum, it) => sum + (it.masked?.tokens ?? 0), 0),
      rereads: masks.filter((it) => it.rereadAfterTurns !== null).length,
      maskable: requests.findLast((it) => it.maskable !== undefined)?.maskable ?? null,
    }
  }
}

function shownOf({ label, tokens, handle }: MaskBody) {
  return { label, tokens, handle }
}

function kindsOf(masks: GatewayMasks["masks"]): GatewayMasks["kinds"] {
  return [...Map.groupBy(masks, (it) => it.kind)].map(([kind, own]) => {
    const rereads = own.filter((it) => it.rereadAfterTurns !== null).length
    const tokens = own.reduce((sum, it) => sum + it.tokens, 0)
    return { kind, masks: own.length, tokens, rereads, isStopped: rereads > 0 }
  })
}
