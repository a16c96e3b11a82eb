import type { Clock } from "#ground/base"
import type { AgentsContext, AgentsTimeline, Message } from "#ground/contract"
import type { Stores } from "../runs/stores/stores.ts"
import { createContextView } from "./context-view.ts"
import { createTimeline } from "./timeline.ts"

const MAX_CACHED_VIEWS = 16
const PAGE_MESSAGES = 1_000

type View = { take(messages: readonly Message[]): void }
type Deps = { readonly stores: Stores; readonly clock: Clock }

export function createViews({ stores, clock }: Deps) {
  const timelines = createViewCache(stores, createTimeline)
  const contexts = createViewCache(stores, createContextView)
  return {
    async timeline(id: string): Promise<AgentsTimeline> {
      const { run } = await stores.runs.find(id)
      return (await timelines(id)).result(run.endedAt ?? clock.now())
    },
    context: async (id: string): Promise<AgentsContext> => (await contexts(id)).result(),
  }
}

function createViewCache<Made extends View>({ messages }: Stores, make: () => Made) {
  type Entry = { readonly view: Made; lastSeq: number; reading: Promise<void> }
  const cache = new Map<string, Entry>()

  async function readOn(id: string, entry: Entry): Promise<void> {
    for (;;) {
      const page = await messages.list(id, { after: entry.lastSeq, limit: PAGE_MESSAGES })
      entry.view.take(page)
      entry.lastSeq = page.at(-1)?.seq ?? entry.lastSeq
      if (page.length < PAGE_MESSAGES) return
    }
  }
  return async (id: string): Promise<Made> => {
    const entry = cache.get(id) ?? { view: make(), lastSeq: 0, reading: Promise.resolve() }
    cache.delete(id)
    cache.set(id, entry)
    const oldest = cache.keys().next().value
    if (cache.size > MAX_CACHED_VIEWS && oldest !== undefined) cache.delete(oldest)
    // One reader at a time: two would process the same page twice.
    entry.reading = entry.reading.then(() => readOn(id, entry))
    try {
      await entry.reading
    } catch (error) {
      cache.delete(id)
      throw error
    }
    return entry.view
  }
}
