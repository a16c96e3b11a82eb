import { type Clock, type Ids, invariant, type Log } from "#ground/base"
import type { Message } from "#ground/contract"
import type { Db, Tx } from "#ground/store"
import type { Draft } from "../../event-message.ts"
import { ADVANCE_EVERY_MS } from "../../limits.ts"
import { advance, insertMessages } from "./queries.ts"
import { LastSeqRow } from "./rows.ts"

/** The right to write a run: whoever claims it later has a higher fence, and ours is void. */
export type Claim = { readonly runId: string; readonly fence: number }

export type Written =
  | { readonly kind: "written"; readonly messages: readonly Message[] }
  /** Somebody else has claimed the run since: nothing was written. */
  | { readonly kind: "lost" }

export type Writer = ReturnType<typeof createWriter>

/**
 * The one way messages get into a run: numbered, stored with whatever changed beside them, and only
 * then told. Listeners of this process hear at once; others are told by the journal, at most every
 * quarter of a second for each run.
 */
export function createWriter(deps: {
  readonly db: Db<"agents">
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  /** They are stored: whoever listens may read them. */
  tell(runId: string, lastSeq: number): void
}) {
  const telling = createTelling(deps)

  return {
    async append(
      claim: Claim,
      drafts: readonly Draft[],
      beside: (tx: Tx<"agents">) => Promise<void> = async () => {},
    ): Promise<Written> {
      invariant(drafts.length > 0, "at least one message is appended")
      const at = deps.clock.now()
      const ids = drafts.map(() => deps.ids.next("msg"))
      const mayTell = telling.tryTell(claim.runId)
      const messages = await deps.db.transaction(async (tx) => {
        const numbered = await tx.get(LastSeqRow, advance(claim.runId, claim.fence, drafts.length))
        if (numbered === undefined) return undefined
        const first = numbered.last_seq - drafts.length + 1
        const made = drafts.map((draft, index) =>
          messageOf(draft, { id: ids[index], seq: first + index, at }),
        )
        await tx.run(insertMessages(claim.runId, made))
        await beside(tx)
        if (mayTell) tx.emit("agents.advanced", { id: claim.runId, seq: numbered.last_seq })
        return made
      })
      if (messages === undefined) return { kind: "lost" }
      const lastSeq = messages.at(-1)?.seq ?? 0
      if (!mayTell) telling.later(claim.runId, lastSeq)
      deps.tell(claim.runId, lastSeq)
      return { kind: "written", messages }
    },
    /** The run has changed without a further message. */
    ended(runId: string, lastSeq: number): void {
      telling.forget(runId)
      deps.tell(runId, lastSeq)
    },
    close: telling.close,
  }
}

/**
 * When other processes are told that a run has advanced: at most so often, and the last of a burst
 * a little later, because somebody may wait for exactly that word.
 */
function createTelling(deps: {
  readonly db: Db<"agents">
  readonly clock: Clock
  readonly log: Log
}) {
  const toldAt = new Map<string, number>()
  const waiting = new Map<string, number>()
  const over = new AbortController()

  async function announce(runId: string): Promise<void> {
    try {
      await deps.clock.sleep(ADVANCE_EVERY_MS, over.signal)
      const seq = waiting.get(runId)
      if (seq === undefined) return
      waiting.delete(runId)
      await deps.db.transaction(async (tx) => tx.emit("agents.advanced", { id: runId, seq }))
    } catch (error) {
      // Whoever follows looks again by itself; here only the haste is lost.
      if (!over.signal.aborted) deps.log.info("advance not announced", { error: String(error) })
    }
  }
  return {
    /** Whether what is written now is told with it. */
    tryTell(runId: string): boolean {
      const now = deps.clock.monotonicMs()
      const last = toldAt.get(runId)
      const isDue = last === undefined || now - last >= ADVANCE_EVERY_MS
      if (isDue) toldAt.set(runId, now)
      if (isDue) waiting.delete(runId)
      return isDue
    },
    later(runId: string, seq: number): void {
      const isNew = !waiting.has(runId)
      waiting.set(runId, seq)
      if (isNew) void announce(runId)
    },
    forget(runId: string): void {
      toldAt.delete(runId)
      waiting.delete(runId)
    },
    close: () => over.abort(),
  }
}

function messageOf(
  draft: Draft,
  place: { readonly id: string | undefined; readonly seq: number; readonly at: number },
): Message {
  invariant(place.id !== undefined, "every message has a name")
  return { ...draft, id: place.id, seq: place.seq, timestamp: place.at }
}
