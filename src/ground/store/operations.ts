import type { z } from "zod"
import type { Clock, Log, Random } from "#ground/base"
import { defineOperation, type OperationOutput, SIGNATURES } from "#ground/contract"
import { BackupMissing, BackupNotHere } from "./errors.ts"
import { describeLocation, type StoreLocation } from "./location.ts"
import { findNewestBackup } from "./sqlite/backup.ts"
import { restoreBackup } from "./sqlite/restore.ts"
import { backupDirectoryOf, type Store } from "./store.ts"

export type StoreOperationDeps = {
  /** Opened when an operation first needs it; restoring never does. */
  store(): Promise<Store>
  /** Asked for late, because it comes from a config that may be wrong. */
  location(): StoreLocation
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

export function storeOperations(deps: StoreOperationDeps) {
  return [...lookingOperations(deps), ...copyingOperations(deps), ...eventOperations(deps)] as const
}

function lookingOperations(deps: StoreOperationDeps) {
  return [
    defineOperation({
      name: "store.status",
      summary: "Show where the store lies, its size and its health",
      effect: "read",
      surfaces: ["cli", "http"],
      ...SIGNATURES["store.status"],
      async run() {
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
    }),
    defineOperation({
      name: "store.check",
      summary: "Read the whole store once and compare every checksum",
      effect: "read",
      surfaces: ["cli", "http"],
      ...SIGNATURES["store.check"],
      async run(_, { signal }) {
        const { checkedEvents, findings } = await (await deps.store()).check(signal)
        return { isSound: findings.length === 0, checkedEvents, findings: [...findings] }
      },
    }),
  ] as const
}

function copyingOperations(deps: StoreOperationDeps) {
  return [
    defineOperation({
      name: "store.backup",
      summary: "Copy the store to a backup file, while it is in use",
      effect: "write",
      surfaces: ["cli", "http"],
      ...SIGNATURES["store.backup"],
      async run({ to, keep }) {
        const directory = to ?? backupDirectoryOf(requireFile(deps.location()))
        return (await deps.store()).backup(directory, keep === undefined ? {} : { keep })
      },
    }),
    defineOperation({
      name: "store.restore",
      summary: "Replace the store by a backup; the store of before is kept beside it",
      effect: "write",
      surfaces: ["cli"],
      ...SIGNATURES["store.restore"],
      async run(input) {
        const into = requireFile(deps.location())
        const directory = backupDirectoryOf(into)
        const file = input.file ?? (await findNewestBackup(directory))
        if (file === undefined) throw BackupMissing({ directory })
        const { clock, random, log } = deps
        const restored = await restoreBackup({ file, into, clock, random, log })
        return { ...restored, replaced: restored.replaced ?? null }
      },
    }),
  ] as const
}

function eventOperations(deps: StoreOperationDeps) {
  return [
    defineOperation({
      name: "events.list",
      summary: "List what happened, newest last",
      effect: "read",
      surfaces: ["cli", "http"],
      ...SIGNATURES["events.list"],
      run: async (input) => listEvents(await deps.store(), input),
    }),
  ] as const
}

async function listEvents(
  { journal }: Store,
  input: z.output<(typeof SIGNATURES)["events.list"]["input"]>,
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

function requireFile(location: StoreLocation): string {
  if (location.kind === "sqlite") return location.file
  throw BackupNotHere({ server: describeLocation(location) })
}
