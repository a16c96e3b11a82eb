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
  type Own,
  STANDINGS,
  selectBase,
} from "./queries.ts"
import { BaseRow, mapInTurns, NumberedRow, pack, RequestBody, type StoreDeps } from "./rows.ts"

/** What is too old is looked for at the end of a carry, and once in so many requests. */
const RECORDS_PER_CLEANING = 500

type Listed = "added" | "folded" | "kinds"

/** A request as it is handed over: names and texts are without secrets already. */
export type Recorded = Omit<GatewayRequest, "carry" | "seq" | "run" | Listed> & {
  readonly [Key in Listed]: Readonly<GatewayRequest[Key]>
} & {
  /** Session and agent; requests of one conversation grow from one another. */
  readonly conversation: string
  /** Everything that it held, in the order of the wire. */
  readonly items: readonly WireItem[]
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  readonly texts: readonly { readonly sha256: string; readonly text: string }[]
}

/** Hashed: what a host calls its session may be of any length and have any sign in it. */
export function conversationKey(conversation: string): string {
  return hash("sha256", conversation)
}

/** Requests of this process, each leaning on the newest of its conversation. */
export function createRecording(deps: StoreDeps) {
  const links = createLinks()
  let sinceCleaning = 0
  return {
    /** Its number, or undefined when its carry was taken away meanwhile. */
    async record(carry: string, recorded: Recorded): Promise<number | undefined> {
      const conversation = conversationKey(recorded.conversation)
      // Small questions in between have lists of their own; the long one goes on below them.
      const line = `${conversation} ${recorded.route} ${standingOf(recorded)}`
      const before = links.of(carry, line)
      const write = writeRequest(deps, carry, { ...recorded, conversation })
      const tail = tailOf(recorded.items, before)
      let written = await write(tail)
      if (written === "unlinked") written = await write(wholeList(tail))
      if (written === "unlinked" || written === "gone") {
        links.forget(carry)
        return undefined
      }
      links.set(carry, line, written)
      if (++sinceCleaning >= RECORDS_PER_CLEANING) {
        sinceCleaning = 0
        await cleanIfItCan(deps)
      }
      return written.seq
    },
    forget: links.forget,
  }
}

/** To count costs nothing, so nothing of it is unknown. */
const NO_USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

type Written = Link | "gone" | "unlinked"

/** With its texts and the word of it in one write; what is long is packed before that begins. */
function writeRequest(deps: StoreDeps, carry: string, recorded: Recorded) {
  const own: Own = { root: deps.root(), id: carry }
  const { conversation, items: _, headers, texts, ...request } = recorded
  // Looked at before it is written: a row that cannot be read would hide all others.
  const packing = Promise.all([pack(RequestBody.parse({ ...request, headers })), packTexts(texts)])
  return async (tail: Tail): Promise<Written> => {
    const { before, kept } = tail
    const [body, packedTexts] = await packing
    const packedItems = await pack(await mapInTurns(tail.items, (it) => WireItem.parse(it)))
    return deps.db.transaction(async (tx): Promise<Written> => {
      // What it leans on may have been too old to stay.
      const base = before && (await tx.get(BaseRow, selectBase(own, before.seq)))
      if (before !== undefined && base === undefined) return "unlinked"
      const numbered = await tx.get(NumberedRow, nextSeq(own))
      if (numbered === undefined) return "gone"
      const { seq, run } = numbered
      const link = linkAfter(tail, seq)
      await tx.run(
        insertRequest({
          root: own.root,
          carry,
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
          savedTokens: request.folded.reduce((sum, it) => sum + it.tokens, 0),
          savedBytes: request.folded.reduce((sum, it) => sum + it.bytes, 0),
          body,
          items: packedItems,
        }),
      )
      if (numbered.body.hasContent) await writeTexts(tx, own, packedTexts)
      tx.emit("gateway.recorded", { carry, run, seq })
      return link
    })
  }
}

async function packTexts(texts: Recorded["texts"]): Promise<readonly NewText[]> {
  const packed: NewText[] = []
  for (const { sha256, text } of texts) packed.push({ sha256, body: await pack(text) })
  return packed
}

async function writeTexts(tx: Tx<"gateway">, own: Own, texts: readonly NewText[]): Promise<void> {
  for (let from = 0; from < texts.length; from += ROWS_PER_STATEMENT) {
    await tx.run(insertTexts(own, texts.slice(from, from + ROWS_PER_STATEMENT)))
  }
}

/**
 * Hosts ask small things beside the conversation, a title for instance, under the same session.
 * Those come without tools.
 */
function standingOf({ agent, route, items }: Recorded): number {
  const isConversation = route !== "count" && route !== "other"
  if (agent !== null || !isConversation) return STANDINGS.none
  return items.some((it) => it.kind === "tool") ? STANDINGS.main : STANDINGS.aside
}
