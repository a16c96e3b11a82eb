import { compareText } from "#ground/base"
import type { Memory, MemoryKind, MemoryList, MemorySearch, MemoryState } from "#ground/contract"
import type { Load } from "./catalogue.ts"
import { find } from "./change.ts"
import type { MemoryDeps } from "./deps.ts"
import type { Kept } from "./entry.ts"
import { rankMemories } from "./rank.ts"
import type { View } from "./views.ts"

type SearchInput = {
  readonly words: string
  readonly kind?: MemoryKind | undefined
  readonly limit: number
}
type ListInput = {
  readonly kind?: MemoryKind | undefined
  readonly state?: MemoryState | undefined
  readonly limit: number
}

type Reading = {
  readonly deps: Pick<MemoryDeps, "clock">
  readonly load: Load
  view(): Promise<View>
}

export function createReads({ deps, load, view }: Reading) {
  return {
    async search({ words, kind, limit }: SearchInput): Promise<MemorySearch> {
      const catalogue = await load()
      const ranked = rankMemories(words, ofKind(catalogue.kept, kind), deps.clock.now())
      const best = ranked[0]?.score ?? 1
      const show = await view()
      const found: MemorySearch["found"] = []
      for (const { kept, score, why } of ranked.slice(0, limit)) {
        found.push({ memory: await show(kept, catalogue), score: score / best, why: [...why()] })
      }
      return { found, total: catalogue.kept.length }
    },

    async list({ kind, state, limit }: ListInput): Promise<MemoryList> {
      const catalogue = await load()
      const show = await view()
      const memories: Memory[] = []
      for (const kept of ofKind(catalogue.kept, kind).toSorted(byAge)) {
        const memory = await show(kept, catalogue)
        // Whether it is stale is known only now.
        if (state === undefined || memory.state === state) memories.push(memory)
      }
      return {
        memories: memories.slice(0, limit),
        total: memories.length,
        problems: [...catalogue.problems],
      }
    },

    async show({ id }: { readonly id: string }): Promise<Memory> {
      const catalogue = await load()
      return (await view())(find(catalogue, id), catalogue)
    },
  }
}

function ofKind(kept: readonly Kept[], kind: MemoryKind | undefined): readonly Kept[] {
  return kind === undefined ? kept : kept.filter((it) => it.entry.kind === kind)
}

/** Newest first. */
function byAge({ entry: a }: Kept, { entry: b }: Kept): number {
  return b.createdAt - a.createdAt || compareText(b.id, a.id)
}
