import type { Caller, MemoryRecorded } from "#ground/contract"
import { holdsOwnText } from "./block.ts"
import type { Catalogue, Load } from "./catalogue.ts"
import { isPerson, type MemoryDeps } from "./deps.ts"
import { type Draft, draftOf, type RecordInput } from "./draft.ts"
import type { Kept, MemoryEntry } from "./entry.ts"
import {
  AlreadySuperseded,
  MemoryFull,
  MemoryUnknown,
  OnlyAPerson,
  OwnText,
  TooManyDistilled,
} from "./errors.ts"
import { writeMemory } from "./file-text.ts"
import { changeFiles, type FileChange, makeFolder } from "./files.ts"
import { fileNameOf, folderOf } from "./folders.ts"
import { isTwin, likenessOf } from "./likeness.ts"
import { MOST_DISTILLED_A_SESSION, MOST_FILES } from "./limits.ts"
import type { Held } from "./lock.ts"
import { changeOf } from "./rewrite.ts"
import type { View } from "./views.ts"

type Recording = {
  readonly deps: MemoryDeps
  readonly load: Load
  view(): Promise<View>
  locked<Result>(work: (held: Held) => Promise<Result>): Promise<Result>
}

/** Scrubbed, then compared, then refused if it is ours or one too many; only then written. */
export async function recordMemory(
  input: RecordInput,
  caller: Caller | undefined,
  { deps, load, view, locked }: Recording,
): Promise<MemoryRecorded> {
  const draft = await draftOf(input, caller, deps)
  return locked(async (held) => {
    const catalogue = await load()
    const twin = findTwin(draft, catalogue, input.supersedes)
    const { redactions } = draft
    const show = await view()
    if (twin !== undefined)
      return { outcome: "duplicate", memory: await show(twin, catalogue), redactions }
    refuse(draft, catalogue)
    const old = findOld(input, { catalogue, caller, draft })
    const kept = await write(draft, { old, held, deps })
    return { outcome: "recorded", memory: await show(kept, catalogue), redactions }
  })
}

/** What a memory is to replace may say nearly the same. */
function findTwin(
  { entry }: Draft,
  { kept }: Catalogue,
  supersedes: string | undefined,
): Kept | undefined {
  const own = likenessOf(entry)
  return kept.find(
    (it) =>
      it.entry.state !== "superseded" &&
      it.entry.id !== supersedes &&
      isTwin(own, likenessOf(it.entry)),
  )
}

function refuse({ entry }: Draft, { kept, files }: Catalogue): void {
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

type Asked = {
  readonly catalogue: Catalogue
  readonly caller: Caller | undefined
  readonly draft: Draft
}

/**
 * What a person has vouched for is replaced by a person alone, and nothing by a memory that is
 * itself in quarantine: else a text nobody here wrote could take ours out of the window.
 */
function findOld(input: RecordInput, { catalogue, caller, draft }: Asked): Kept | undefined {
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

type Writing = {
  readonly old: Kept | undefined
  readonly held: Held
  readonly deps: MemoryDeps
}

async function write({ entry }: Draft, { old, held, deps }: Writing): Promise<Kept> {
  const root = deps.root()
  const folder = await makeFolder(root, folderOf(entry.kind))
  const file = `${folder}/${fileNameOf(entry.title, entry.id)}`
  const fresh: FileChange = { file, before: undefined, after: writeMemory(entry), mode: 0o644 }
  const changes = old === undefined ? [] : [await replaced(old, entry, deps)]
  const db = await deps.db()
  await changeFiles(root, [fresh, ...changes], () =>
    db.transaction(async (tx) => {
      await held.letGo(tx)
      const { id, kind } = entry
      tx.emit("memory.recorded", { id, kind, actor: entry.source.actor })
      if (old !== undefined) tx.emit("memory.changed", { id: old.entry.id, state: "superseded" })
    }),
  )
  return { file, entry }
}

async function replaced(old: Kept, by: MemoryEntry, deps: MemoryDeps): Promise<FileChange> {
  const { change } = await changeOf(old, deps, (entry) => ({
    ...entry,
    state: "superseded",
    supersededBy: by.id,
  }))
  return change
}
