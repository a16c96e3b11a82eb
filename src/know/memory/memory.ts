import { compareText } from "#ground/base"
import type {
  Caller,
  Memory,
  MemoryInjected,
  MemoryKind,
  MemoryList,
  MemoryRecorded,
  MemorySearch,
  MemoryState,
} from "#ground/contract"
import { createChanges, find } from "./change.ts"
import type { MemoryDeps } from "./deps.ts"
import { createCatalogue, type Load } from "./files/catalogue.ts"
import type { StoredMemory } from "./files/entry.ts"
import { createWriteLock } from "./files/lock.ts"
import { type InjectRequest, injectMemories } from "./inject.ts"
import { forHooks } from "./pitfalls.ts"
import { rankMemories } from "./rank.ts"
import type { RecordInput } from "./record/memory-input.ts"
import { recordMemory } from "./record/record.ts"
import { createView, type View } from "./view.ts"

export type MemoryRoom = ReturnType<typeof createMemory>

/** The files are authoritative; everything else is derived from them. */
export function createMemory(deps: MemoryDeps) {
  const { load, locked } = forHooks(createCatalogue(deps), createWriteLock(deps), deps)
  const view = () => createView(deps)
  return {
    ...createReads({ deps, load, view }),
    ...createChanges({ deps, load, view, locked }),

    record: (input: RecordInput, caller?: Caller): Promise<MemoryRecorded> =>
      recordMemory(input, caller, { deps, load, view, locked }),

    /** A failure never stops the caller's work. */
    async inject(request: InjectRequest): Promise<readonly MemoryInjected[]> {
      try {
        return await injectMemories(request, { deps, load })
      } catch (error) {
        deps.log.warn("memories not added to the context", { error })
        return []
      }
    },
  }
}

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

type ReadDeps = {
  readonly deps: Pick<MemoryDeps, "clock">
  readonly load: Load
  view(): Promise<View>
}

function createReads({ deps, load, view }: ReadDeps) {
  return {
    async search({ words, kind, limit }: SearchInput): Promise<MemorySearch> {
      const catalogue = await load()
      const ranked = rankMemories(words, ofKind(catalogue.kept, kind), { now: deps.clock.now() })
      const best = ranked[0]?.score ?? 1
      const show = await view()
      const matches: MemorySearch["found"] = []
      for (const { kept: stored, score, why } of ranked.slice(0, limit)) {
        matches.push({
          memory: await show(stored, catalogue),
          score: score / best,
          why: [...why()],
        })
      }
      return { found: matches, total: catalogue.kept.length }
    },

    async list({ kind, state, limit }: ListInput): Promise<MemoryList> {
      const catalogue = await load()
      const show = await view()
      const memories: Memory[] = []
      for (const stored of ofKind(catalogue.kept, kind).toSorted(byAge)) {
        const memory = await show(stored, catalogue)
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

function ofKind(
  memories: readonly StoredMemory[],
  kind: MemoryKind | undefined,
): readonly StoredMemory[] {
  return kind === undefined ? memories : memories.filter((it) => it.entry.kind === kind)
}

function byAge({ entry: a }: StoredMemory, { entry: b }: StoredMemory): number {
  return b.createdAt - a.createdAt || compareText(b.id, a.id)
}
