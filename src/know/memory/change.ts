import type { Caller, Memory } from "#ground/contract"
import type { Tx } from "#ground/store"
import type { Catalogue, Load } from "./catalogue.ts"
import { placeOf } from "./cites.ts"
import { isPerson, type MemoryDeps } from "./deps.ts"
import type { Kept, MemoryEntry } from "./entry.ts"
import { AlreadySuperseded, MemoryUnknown, NothingSaid, OnlyAPerson } from "./errors.ts"
import { changeFiles } from "./files.ts"
import type { Held } from "./lock.ts"
import { deleteTraces, SayRow, selectSay, upsertSay } from "./queries.ts"
import { changeOf } from "./rewrite.ts"
import { type FeedbackInput, speakerOf, withSay } from "./says.ts"
import type { View } from "./views.ts"

type Changing = {
  readonly deps: MemoryDeps
  readonly load: Load
  view(): Promise<View>
  locked<Result>(work: (held: Held) => Promise<Result>): Promise<Result>
}

type Named = { readonly id: string }

/** What may be done to a memory that is there. Each reads its file anew and writes it whole. */
export function createChanges(changing: Changing) {
  const { deps, load, locked } = changing
  return {
    async feedback(input: FeedbackInput, caller?: Caller): Promise<Memory> {
      const { id: memory, verdict = null, outcome = null } = input
      const now = { verdict, outcome }
      if (verdict === null && outcome === null) throw NothingSaid({ id: memory })
      const speaker = speakerOf(input, caller)
      if (speaker === undefined) return change(memory, changing, { edit: judged(now, undefined) })
      const said = { root: deps.root(), memory, speaker }
      return change(memory, changing, {
        edit: async (entry) => {
          const before = await (await deps.db()).get(SayRow, selectSay(said))
          return judged(now, before)(entry)
        },
        keep: async (tx) => void (await tx.run(upsertSay(said, now))),
      })
    },

    /** A person vouches for it, as it stands and for the code of now. */
    async confirm({ id }: Named, caller?: Caller): Promise<Memory> {
      if (!isPerson(caller)) throw OnlyAPerson({ id, what: "confirm" })
      return change(id, changing, {
        edit: async (entry) => {
          if (entry.state === "superseded") throw AlreadySuperseded({ id, by: entry.supersededBy })
          return { ...entry, state: "confirmed", cites: await rehashed(entry, deps) }
        },
      })
    },

    async forget({ id }: Named, caller?: Caller): Promise<{ id: string; file: string }> {
      if (!isPerson(caller)) throw OnlyAPerson({ id, what: "forget" })
      return locked(async (held) => {
        const known = find(await load(), id)
        const { change: before } = await changeOf(known, deps, (entry) => entry)
        const db = await deps.db()
        await changeFiles(deps.root(), [{ ...before, after: undefined }], () =>
          db.transaction(async (tx) => {
            await held.letGo(tx)
            for (const query of deleteTraces(deps.root(), id)) await tx.run(query)
            tx.emit("memory.forgotten", { id })
          }),
        )
        return { id, file: known.file }
      })
    },
  }
}

type Change = {
  edit(entry: MemoryEntry): MemoryEntry | Promise<MemoryEntry>
  /** What else is kept in the transaction of the change. */
  keep?(tx: Tx<"memory">): Promise<void>
}

function change(
  id: string,
  { deps, load, view, locked }: Changing,
  { edit, keep }: Change,
): Promise<Memory> {
  return locked(async (held) => {
    const catalogue = await load()
    const { change: file, kept } = await changeOf(find(catalogue, id), deps, edit)
    // Made before the change is: what fails afterwards would hide that it happened.
    const memory = await (await view())(kept, catalogue)
    const db = await deps.db()
    await changeFiles(deps.root(), [file], () =>
      db.transaction(async (tx) => {
        await held.letGo(tx)
        await keep?.(tx)
        tx.emit("memory.changed", { id, state: kept.entry.state })
      }),
    )
    return memory
  })
}

export function find({ kept }: Catalogue, id: string): Kept {
  const found = kept.find((it) => it.entry.id === id)
  if (found === undefined) throw MemoryUnknown({ id })
  return found
}

function judged(now: SayRow, before: SayRow | undefined): (entry: MemoryEntry) => MemoryEntry {
  return (entry) => ({ ...entry, signals: withSay(entry.signals, { before, now }) })
}

/** Code that is gone keeps the hash it had, and stays gone. */
async function rehashed(
  { cites }: MemoryEntry,
  { hashOf }: MemoryDeps,
): Promise<MemoryEntry["cites"]> {
  const now: MemoryEntry["cites"] = []
  for (const cite of cites) now.push({ ...cite, sha: (await hashOf(placeOf(cite))) ?? cite.sha })
  return now
}
