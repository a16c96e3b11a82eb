import { hash } from "node:crypto"
import { type GatewayRequest, WireItem } from "#ground/contract"
import type { Tx } from "#ground/store"
import { createLinks, type Link, linkAfter, type Tail, tailOf, wholeList } from "./chain.ts"
import { cleanIfItCan, ROWS_PER_STATEMENT } from "./cleanup.ts"
import {
  insertRequest,
  insertTexts,
  type NewText,
  nextSeq,
  type SessionKey,
  STANDINGS,
  selectBase,
} from "./queries.ts"
import { BaseRow, mapInTurns, NumberedRow, pack, RequestBody, type StoreDeps } from "./rows.ts"

/** Requests between two cleanups. */
const RECORDS_PER_CLEANING = 500

type ListField = "added" | "folded" | "kinds"

export type RecordedRequest = Omit<GatewayRequest, "proxiedSession" | "seq" | "run" | ListField> & {
  readonly [Key in ListField]: Readonly<GatewayRequest[Key]>
} & {
  readonly conversation: string
  readonly items: readonly WireItem[]
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  readonly texts: readonly { readonly sha256: string; readonly text: string }[]
}

/** Of the main agent without `agent`. */
export function conversationOf(session: string, agent?: string | null): string {
  return `${session}/${agent ?? ""}`
}

/** Hashed: a host's session id may be any text. */
export function conversationKey(conversation: string): string {
  return hash("sha256", conversation)
}

export function createRecording(deps: StoreDeps) {
  const links = createLinks()
  let sinceCleaning = 0
  return {
    /** Undefined when the session was deleted meanwhile. */
    async record(sessionId: string, recorded: RecordedRequest): Promise<number | undefined> {
      const conversation = conversationKey(recorded.conversation)
      // Small requests in between have lists of their own.
      const line = `${conversation} ${recorded.route} ${standingOf(recorded)}`
      const before = links.of(sessionId, line)
      const write = writeRequest(deps, sessionId, { ...recorded, conversation })
      const tail = tailOf(recorded.items, before)
      let written = await write(tail)
      if (written === "unlinked") written = await write(wholeList(tail))
      if (written === "unlinked" || written === "gone") {
        links.forget(sessionId)
        return undefined
      }
      links.set(sessionId, line, written)
      if (++sinceCleaning >= RECORDS_PER_CLEANING) {
        sinceCleaning = 0
        await cleanIfItCan(deps)
      }
      return written.seq
    },
    forget: links.forget,
  }
}

const NO_USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

type WriteOutcome = Link | "gone" | "unlinked"

/** One transaction for the request, its texts and its event; packing happens before. */
function writeRequest(deps: StoreDeps, sessionId: string, recorded: RecordedRequest) {
  const own: SessionKey = { root: deps.root(), id: sessionId }
  const { conversation, items: _, headers, texts, ...request } = recorded
  // Parsed before writing: one unreadable row would hide all others.
  const packing = Promise.all([pack(RequestBody.parse({ ...request, headers })), packTexts(texts)])
  return async (tail: Tail): Promise<WriteOutcome> => {
    const { before, kept } = tail
    const [body, packedTexts] = await packing
    const packedItems = await pack(await mapInTurns(tail.items, (it) => WireItem.parse(it)))
    return deps.db.transaction(async (tx): Promise<WriteOutcome> => {
      // The request it links to may have been deleted.
      const base = before && (await tx.get(BaseRow, selectBase(own, before.seq)))
      if (before !== undefined && base === undefined) return "unlinked"
      const numbered = await tx.get(NumberedRow, nextSeq(own))
      if (numbered === undefined) return "gone"
      const { seq, run } = numbered
      const link = linkAfter(tail, seq)
      await tx.run(
        insertRequest({
          root: own.root,
          proxiedSession: sessionId,
          seq,
          conversation,
          kept,
          at: request.at,
          outcome: request.outcome,
          standing: standingOf(recorded),
          baseSeq: link.baseSeq,
          beforeSeq: before?.seq ?? null,
          usage: request.route === "count" ? NO_USAGE : request.usage,
          costUsd: request.costUsd,
          savedTokens: request.folded.reduce(
            (sum, it) => sum + it.tokens,
            request.masked?.tokens ?? 0,
          ),
          savedBytes: request.folded.reduce(
            (sum, it) => sum + it.bytes,
            request.masked?.bytes ?? 0,
          ),
          body,
          items: packedItems,
        }),
      )
      if (numbered.body.hasContent) await writeTexts(tx, own, packedTexts)
      tx.emit("gateway.recorded", { proxiedSession: sessionId, run, seq })
      const missed = costlyMiss(request.cache, deps.cacheAlertTokens())
      if (missed) tx.emit("gateway.cache", { proxiedSession: sessionId, run, seq, ...missed })
      return link
    })
  }
}

function costlyMiss(cache: RecordedRequest["cache"], alertTokens: number) {
  const { verdict, cause, isCertain, lostTokens, lostUsd } = cache ?? NO_REPORT
  if (verdict !== "miss" || cause === null || lostTokens === null) return undefined
  const isCostly = alertTokens > 0 && lostTokens >= alertTokens
  return isCostly ? { cause, isCertain, lostTokens, lostUsd } : undefined
}

const NO_REPORT = {
  verdict: "unknown",
  cause: null,
  isCertain: false,
  lostTokens: null,
  lostUsd: null,
} as const

async function packTexts(texts: RecordedRequest["texts"]): Promise<readonly NewText[]> {
  const packed: NewText[] = []
  for (const { sha256, text } of texts) packed.push({ sha256, body: await pack(text) })
  return packed
}

async function writeTexts(
  tx: Tx<"gateway">,
  own: SessionKey,
  texts: readonly NewText[],
): Promise<void> {
  for (let from = 0; from < texts.length; from += ROWS_PER_STATEMENT) {
    await tx.run(insertTexts(own, texts.slice(from, from + ROWS_PER_STATEMENT)))
  }
}

/** Hosts send small requests, e.g. for a title, under the same session and without tools. */
function standingOf({ agent, route, items }: RecordedRequest): number {
  const isConversation = route !== "count" && route !== "other"
  if (agent !== null || !isConversation) return STANDINGS.none
  return items.some((it) => it.kind === "tool") ? STANDINGS.main : STANDINGS.aside
}
