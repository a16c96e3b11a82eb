import type { Caller, MemoryRecorded } from "#ground/contract"
import { isPerson, type MemoryDeps } from "../deps.ts"
import {
  AlreadySuperseded,
  MemoryFull,
  MemoryUnknown,
  OnlyAPerson,
  OwnText,
  TooManyDistilled,
} from "../errors.ts"
import type { Catalogue, Load } from "../files/catalogue.ts"
import type { MemoryEntry, StoredMemory } from "../files/entry.ts"
import { fileNameOf, folderOf, writeMemory } from "../files/file-text.ts"
import { changeFiles, changeOf, type FileChange, makeFolder } from "../files/files.ts"
import type { HeldLock } from "../files/lock.ts"
import { holdsOwnText } from "../inject.ts"
import { MOST_DISTILLED_A_SESSION, MOST_FILES } from "../limits.ts"
import type { View } from "../view.ts"
import { type CheckedMemory, checkMemory, type RecordInput } from "./memory-input.ts"
import { isTwin, textPrintOf } from "./similarity.ts"

type RecordDeps = {
  readonly deps: MemoryDeps
  readonly load: Load
  view(): Promise<View>
  locked<Result>(work: (held: HeldLock) => Promise<Result>): Promise<Result>
}

export async function recordMemory(
  input: RecordInput,
  caller: Caller | undefined,
  { deps, load, view, locked }: RecordDeps,
): Promise<MemoryRecorded> {
  const draft = await checkMemory(input, caller, deps)
  return locked(async (held) => {
    const catalogue = await load()
    const twin = findTwin(draft, catalogue, input.supersedes)
    const { redactions } = draft
    const show = await view()
    if (twin !== undefined)
      return { outcome: "duplicate", memory: await show(twin, catalogue), redactions }
    refuse(draft, catalogue)
    const old = findOld(input, { catalogue, caller, draft })
    const stored = await write(draft, { old, held, deps })
    return { outcome: "recorded", memory: await show(stored, catalogue), redactions }
  })
}

function findTwin(
  { entry }: CheckedMemory,
  { kept }: Catalogue,
  supersedes: string | undefined,
): StoredMemory | undefined {
  const own = textPrintOf(entry)
  return kept.find(
    (it) =>
      it.entry.state !== "superseded" &&
      it.entry.id !== supersedes &&
      isTwin(own, textPrintOf(it.entry)),
  )
}

function refuse({ entry }: CheckedMemory, { kept, files }: Catalogue): void {
  const { title, description, body, source } = entry
  if ([title, description, body].some(holdsOwnText)) throw OwnText({})
  if (files >= MOST_FILES) throw MemoryFull({})
  const { isDistilled, session } = source
  if (!isDistilled || session === null) return
  const before = kept.filter(
    (it) => it.entry.source.isDistilled && it.entry.source.session === session,
  )
  if (before.length >= MOST_DISTILLED_A_SESSION) throw TooManyDistilled({ session })
}

type RecordJob = {
  readonly catalogue: Catalogue
  readonly caller: Caller | undefined
  readonly draft: CheckedMemory
}

/**
 * Only a user replaces a confirmed memory, and a quarantined one replaces nothing: otherwise text
 * from outside could remove the project's own.
 */
function findOld(
  input: RecordInput,
  { catalogue, caller, draft }: RecordJob,
): StoredMemory | undefined {
  const { supersedes: id } = input
  if (id === undefined) return undefined
  const old = catalogue.kept.find((it) => it.entry.id === id)
  if (old === undefined) throw MemoryUnknown({ id })
  const { state, supersededBy } = old.entry
  if (state === "superseded") throw AlreadySuperseded({ id, by: supersededBy })
  const isVouched = state === "confirmed" || draft.entry.source.isUntrusted
  if (isVouched && !isPerson(caller)) throw OnlyAPerson({ id, what: "replace" })
  return old
}

type WriteContext = {
  readonly old: StoredMemory | undefined
  readonly held: HeldLock
  readonly deps: MemoryDeps
}

async function write(
  { entry }: CheckedMemory,
  { old, held, deps }: WriteContext,
): Promise<StoredMemory> {
  const root = deps.root()
  const folder = await makeFolder(root, folderOf(entry.kind))
  const file = `${folder}/${fileNameOf(entry.title, entry.id)}`
  const fresh: FileChange = { file, before: undefined, after: writeMemory(entry), mode: 0o644 }
  const changes = old === undefined ? [] : [await replaced(old, entry, deps)]
  const db = await deps.db()
  await changeFiles(root, [fresh, ...changes], () =>
    db.transaction(async (tx) => {
      await held.release(tx)
      const { id, kind } = entry
      tx.emit("memory.recorded", { id, kind, actor: entry.source.actor })
      if (old !== undefined) tx.emit("memory.changed", { id: old.entry.id, state: "superseded" })
    }),
  )
  return { file, entry }
}

async function replaced(old: StoredMemory, by: MemoryEntry, deps: MemoryDeps): Promise<FileChange> {
  const { change } = await changeOf(old, deps, (entry) => ({
    ...entry,
    state: "superseded",
    supersededBy: by.id,
  }))
  return change
}
