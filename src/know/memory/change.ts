import { createHash } from "node:crypto"
import type { Caller, Memory, MemorySignals } from "#ground/contract"
import type { Tx } from "#ground/store"
import { isPerson, type MemoryDeps } from "./deps.ts"
import { AlreadySuperseded, FeedbackEmpty, MemoryUnknown, OnlyAPerson } from "./errors.ts"
import type { Catalogue, Load } from "./files/catalogue.ts"
import { placeOf } from "./files/citations.ts"
import type { MemoryEntry, StoredMemory } from "./files/entry.ts"
import { changeFiles, changeOf } from "./files/files.ts"
import type { HeldLock } from "./files/lock.ts"
import { deleteTraces, FeedbackRow, selectFeedback, upsertFeedback } from "./queries.ts"
import type { View } from "./view.ts"

type ChangeDeps = {
  readonly deps: MemoryDeps
  readonly load: Load
  view(): Promise<View>
  locked<Result>(work: (held: HeldLock) => Promise<Result>): Promise<Result>
}

type MemoryRef = { readonly id: string }

type FeedbackInput = {
  readonly id: string
  readonly verdict?: "helpful" | "unhelpful" | undefined
  readonly outcome?: "succeeded" | "failed" | undefined
  readonly sessionId?: string | undefined
}

export function createChanges(changing: ChangeDeps) {
  const { deps, load, locked } = changing
  return {
    async feedback(input: FeedbackInput, caller?: Caller): Promise<Memory> {
      const { id: memory, verdict = null, outcome = null } = input
      const now = { verdict, outcome }
      if (verdict === null && outcome === null) throw FeedbackEmpty({ id: memory })
      const speaker = feedbackSourceOf(input, caller)
      if (speaker === undefined) return change(memory, changing, { edit: judged(now, undefined) })
      const source = { root: deps.root(), memory, speaker }
      return change(memory, changing, {
        edit: async (entry) => {
          const before = await (await deps.db()).get(FeedbackRow, selectFeedback(source))
          return judged(now, before)(entry)
        },
        keep: async (tx) => void (await tx.run(upsertFeedback(source, now))),
      })
    },

    async confirm({ id }: MemoryRef, caller?: Caller): Promise<Memory> {
      if (!isPerson(caller)) throw OnlyAPerson({ id, what: "confirm" })
      return change(id, changing, {
        edit: async (entry) => {
          if (entry.state === "superseded") throw AlreadySuperseded({ id, by: entry.supersededBy })
          return { ...entry, state: "confirmed", cites: await rehashed(entry, deps) }
        },
      })
    },

    async forget({ id }: MemoryRef, caller?: Caller): Promise<{ id: string; file: string }> {
      if (!isPerson(caller)) throw OnlyAPerson({ id, what: "forget" })
      return locked(async (held) => {
        const memory = find(await load(), id)
        const { change: before } = await changeOf(memory, deps, (entry) => entry)
        const db = await deps.db()
        await changeFiles(deps.root(), [{ ...before, after: undefined }], () =>
          db.transaction(async (tx) => {
            await held.release(tx)
            for (const query of deleteTraces(deps.root(), id)) await tx.run(query)
            tx.emit("memory.forgotten", { id })
          }),
        )
        return { id, file: memory.file }
      })
    },
  }
}

type Change = {
  edit(entry: MemoryEntry): MemoryEntry | Promise<MemoryEntry>
  keep?(tx: Tx<"memory">): Promise<void>
}

function change(
  id: string,
  { deps, load, view, locked }: ChangeDeps,
  { edit, keep }: Change,
): Promise<Memory> {
  return locked(async (held) => {
    const catalogue = await load()
    const { change: file, kept: stored } = await changeOf(find(catalogue, id), deps, edit)
    // Before the change, because a later failure would hide that it happened.
    const memory = await (await view())(stored, catalogue)
    const db = await deps.db()
    await changeFiles(deps.root(), [file], () =>
      db.transaction(async (tx) => {
        await held.release(tx)
        await keep?.(tx)
        tx.emit("memory.changed", { id, state: stored.entry.state })
      }),
    )
    return memory
  })
}

export function find({ kept }: Catalogue, id: string): StoredMemory {
  const memory = kept.find((it) => it.entry.id === id)
  if (memory === undefined) throw MemoryUnknown({ id })
  return memory
}

function judged(
  now: FeedbackRow,
  before: FeedbackRow | undefined,
): (entry: MemoryEntry) => MemoryEntry {
  return (entry) => ({ ...entry, signals: applyFeedback(entry.signals, { before, now }) })
}

/**
 * A hash of session and principal; undefined for a user, whose every vote counts. An agent has one
 * vote per memory.
 */
function feedbackSourceOf(
  { sessionId }: Pick<FeedbackInput, "sessionId">,
  caller: Caller | undefined,
): string | undefined {
  if (caller === undefined || isPerson(caller)) return undefined
  const names = JSON.stringify([caller.principal, sessionId ?? caller.session])
  return createHash("sha256").update(names).digest("hex")
}

function applyFeedback(
  signals: MemorySignals,
  { before, now }: { readonly before: FeedbackRow | undefined; readonly now: FeedbackRow },
): MemorySignals {
  const after = { ...signals }
  for (const about of ["verdict", "outcome"] as const) {
    const [vote, earlier] = [now[about], before?.[about] ?? null]
    if (vote === null) continue
    if (earlier !== null) after[earlier] = Math.max(0, after[earlier] - 1)
    after[vote] += 1
  }
  return after
}

async function rehashed(
  { cites }: MemoryEntry,
  { hashOf }: MemoryDeps,
): Promise<MemoryEntry["cites"]> {
  const now: MemoryEntry["cites"] = []
  for (const cite of cites) now.push({ ...cite, sha: (await hashOf(placeOf(cite))) ?? cite.sha })
  return now
}
