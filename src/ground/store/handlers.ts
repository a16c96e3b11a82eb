import type { Clock, Log, Random } from "#ground/base"
import type {
  eventsOperations,
  Handlers,
  OperationOutput,
  ParsedInput,
  storeOperations,
} from "#ground/contract"
import { BackupMissing } from "./errors.ts"
import { requireFile, type StoreLocation } from "./location.ts"
import { MIGRATIONS } from "./migrations/index.ts"
import { findNewestBackup } from "./sqlite/backup.ts"
import { type RestoredStore, restoreBackup } from "./sqlite/restore.ts"
import { backupDirectoryOf, type Store } from "./store.ts"

export type StoreHandlerDeps = {
  /** Opened on first use; `restore` never opens it. */
  store(): Promise<Store>
  location(): StoreLocation
  places(): { readonly backups: string }
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

export const storeHandlers = (deps: StoreHandlerDeps): Handlers<typeof storeOperations> => ({
  async status() {
    const store = await deps.store()
    const status = await store.status()
    return {
      ...status,
      lastBackup: status.lastBackup ?? null,
      corruptFiles: [...status.corruptFiles],
      stopped: status.stopped ?? null,
      integrity: (await store.findDamage()) ?? "ok",
    }
  },
  async check(_, { signal }) {
    const { checkedEvents, findings } = await (await deps.store()).check(signal)
    return { isSound: findings.length === 0, checkedEvents, findings: [...findings] }
  },
  async backup({ to, keep }) {
    const directory = to ?? backupDirectory(deps)
    return (await deps.store()).backup(directory, keep === undefined ? {} : { keep })
  },
  async restore(input) {
    const restored = await restore(deps, input.file)
    return { ...restored, replaced: restored.replaced ?? null }
  },
})

function backupDirectory(deps: Pick<StoreHandlerDeps, "location" | "places">): string {
  const location = deps.location()
  // A server has no folder of its own; the backups are beside the other state of the repository.
  return location.kind === "postgres"
    ? deps.places().backups
    : backupDirectoryOf(requireFile(location))
}

async function restore(deps: StoreHandlerDeps, path?: string): Promise<RestoredStore> {
  const { clock, random, log } = deps
  const location = deps.location()
  const directory = backupDirectory(deps)
  if (location.kind === "postgres") {
    const { findNewestPostgresBackup } = await import("./postgres/backup.ts")
    const file = path ?? (await findNewestPostgresBackup(directory))
    if (file === undefined) throw BackupMissing({ directory })
    const { restorePostgresBackup } = await import("./postgres/restore.ts")
    const { url } = location
    return restorePostgresBackup({ url, file, migrations: MIGRATIONS, clock, random, log })
  }
  const file = path ?? (await findNewestBackup(directory))
  if (file === undefined) throw BackupMissing({ directory })
  return restoreBackup({ file, into: requireFile(location), clock, random, log })
}

export const eventsHandlers = (
  deps: Pick<StoreHandlerDeps, "store">,
): Handlers<typeof eventsOperations> => ({
  list: async (input) => listEvents(await deps.store(), input),
})

async function listEvents(
  { journal }: Store,
  input: ParsedInput<"events.list">,
): Promise<OperationOutput<"events.list">> {
  const { after, limit, name: namePrefix } = input
  if (after === undefined) {
    const { entries, head } = await journal.readNewest({ limit, namePrefix })
    return { entries: [...entries], next: head.seq, head }
  }
  const { epoch, seq } = await journal.head()
  const from = { epoch, seq: Math.min(after, seq) }
  const page = await journal.read({ after: from, limit, namePrefix })
  if (page.kind !== "entries") return { entries: [], next: page.head.seq, head: page.head }
  return { entries: [...page.entries], next: page.next.seq, head: page.head }
}
