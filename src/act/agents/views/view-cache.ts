import type { Clock } from "#ground/base"
import type { AgentsContext, AgentsTimeline, Message } from "#ground/contract"
import { FOLDED_AT_ONCE, MOST_KEPT_VIEWS } from "../limits.ts"
import type { Book } from "../runs/kept/book.ts"
import { createContextView } from "./context-view.ts"
import { createTimeline } from "./timeline.ts"

type Fold = { take(messages: readonly Message[]): void }

/** A whole run seen at once; what was folded already is not read again. */
export function createViews({ book, clock }: { readonly book: Book; readonly clock: Clock }) {
  const timelines = createFolds(book, createTimeline)
  const contexts = createFolds(book, createContextView)
  return {
    async timeline(id: string): Promise<AgentsTimeline> {
      const { run } = await book.find(id)
      return (await timelines(id)).result(run.endedAt ?? clock.now())
    },
    context: async (id: string): Promise<AgentsContext> => (await contexts(id)).result(),
  }
}

type Kept<Made> = { readonly fold: Made; lastSeq: number; reading: Promise<void> }

function createFolds<Made extends Fold>(book: Book, make: () => Made) {
  const kept = new Map<string, Kept<Made>>()

  async function readOn(id: string, it: Kept<Made>): Promise<void> {
    for (;;) {
      const page = await book.messages(id, { after: it.lastSeq, limit: FOLDED_AT_ONCE })
      it.fold.take(page)
      it.lastSeq = page.at(-1)?.seq ?? it.lastSeq
      if (page.length < FOLDED_AT_ONCE) return
    }
  }
  return async (id: string): Promise<Made> => {
    const it = kept.get(id) ?? { fold: make(), lastSeq: 0, reading: Promise.resolve() }
    // To the end of the order: the one that nobody has looked at longest goes first.
    kept.delete(id)
    kept.set(id, it)
    const oldest = kept.keys().next().value
    if (kept.size > MOST_KEPT_VIEWS && oldest !== undefined) kept.delete(oldest)
    // One reader after the other: two would fold the same page twice.
    it.reading = it.reading.then(() => readOn(id, it))
    try {
      await it.reading
    } catch (error) {
      kept.delete(id)
      throw error
    }
    return it.fold
  }
}
