import type { Caller, MemoryInjected, MemoryRecorded } from "#ground/contract"
import { createCatalogue } from "./catalogue.ts"
import { createChanges } from "./change.ts"
import type { MemoryDeps } from "./deps.ts"
import type { RecordInput } from "./draft.ts"
import { injectMemories, type Wanted } from "./inject.ts"
import { createWriteLock } from "./lock.ts"
import { forHooks } from "./pitfalls.ts"
import { createReads } from "./reads.ts"
import { recordMemory } from "./record.ts"
import { createView } from "./views.ts"

export type MemoryRoom = ReturnType<typeof createMemory>

/** What a repository decided to remember: its files are the truth, all else is made from them. */
export function createMemory(deps: MemoryDeps) {
  const { load, locked } = forHooks(createCatalogue(deps), createWriteLock(deps), deps)
  const view = () => createView(deps)
  return {
    ...createReads({ deps, load, view }),
    ...createChanges({ deps, load, view, locked }),

    record: (input: RecordInput, caller?: Caller): Promise<MemoryRecorded> =>
      recordMemory(input, caller, { deps, load, view, locked }),

    /** For a branch or a session. Whatever goes wrong, the work goes on without. */
    async inject(wanted: Wanted): Promise<readonly MemoryInjected[]> {
      try {
        return await injectMemories(wanted, { deps, load })
      } catch (error) {
        deps.log.warn("no memories were handed out", { error })
        return []
      }
    },
  }
}
