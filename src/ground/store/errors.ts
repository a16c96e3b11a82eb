import { defineError } from "#ground/base"

export const UrlInvalid = defineError<{ problem: string }>()("STORE_URL_INVALID", {
  family: "invalid",
  message: (it) => `The database URL is invalid: ${it.problem}.`,
  hint: () =>
    "Set store.databaseUrl to postgres://user:password@host:5432/database, or leave it empty.",
})

export const SqliteTooOld = defineError<{ found: string; needed: string }>()(
  "STORE_SQLITE_TOO_OLD",
  {
    family: "unavailable",
    message: (it) => `This runtime has SQLite ${it.found}; the store needs ${it.needed} or later.`,
    hint: () => "Run qm with its bundled Node, or with Node 24.21 or later.",
  },
)

export const StoreBusy = defineError<{ waitedMs: number }>()("STORE_BUSY", {
  family: "unavailable",
  message: (it) => `Other writers held the store for ${it.waitedMs} ms; nothing was written.`,
  hint: () =>
    "Try again. If this continues, raise store.busyTimeoutMs or end the process that holds the store.",
})

export const StoreStopped = defineError<{ reason: string }>()("STORE_STOPPED", {
  family: "unavailable",
  message: (it) =>
    `The store refuses writes because an earlier write could not be synced: ${it.reason}.`,
  hint: () => "Check the disk, then restart qm and run `qm store check`. Reads still work.",
})

export const StoreGone = defineError<{ reason: string }>()("STORE_GONE", {
  family: "unavailable",
  message: (it) => `The store refuses writes because its file is gone: ${it.reason}.`,
  hint: () =>
    "Stop qm, put the file back or run `qm store restore`, then start qm. Otherwise qm starts with an empty store.",
})

export const StoreClosed = defineError<Record<never, never>>()("STORE_CLOSED", {
  family: "unavailable",
  message: () => "The store was closed during this call.",
  hint: () => "Repeat the call after qm has restarted.",
})

export const StoreCorrupt = defineError<{
  what: string
  kept?: string | undefined
  backup?: string | undefined
}>()("STORE_CORRUPT", {
  family: "unavailable",
  message: (it) => {
    const renamed = it.kept === undefined ? "" : ` The damaged file is now ${it.kept}.`
    const backup = it.backup === undefined ? "" : ` The newest backup is ${it.backup}.`
    return `The store is damaged: ${it.what}.${renamed}${backup}`
  },
  hint: (it) =>
    it.backup === undefined
      ? "Run `qm store check` for details. Without a backup, the next start creates an empty store and preserves the damaged file."
      : "Run `qm store restore` to restore the newest backup. Nothing was deleted.",
})

export const StoreNotWritable = defineError<{ path: string }>()("STORE_NOT_WRITABLE", {
  family: "denied",
  message: (it) => `The store at ${it.path} cannot be opened for writing.`,
  hint: () =>
    "Give this user write permission for the store and its folder, or configure another location.",
})

export const SchemaNewer = defineError<{ found: number; known: number }>()("STORE_SCHEMA_NEWER", {
  family: "conflict",
  message: (it) =>
    `The store has schema ${it.found}; this version of qm supports schemas up to ${it.known}.`,
  hint: () => "Use the newer qm that wrote it, or restore an older backup with `qm store restore`.",
})

export const SchemaForeign = defineError<{ number: number; found: string; expected: string }>()(
  "STORE_SCHEMA_FOREIGN",
  {
    family: "conflict",
    message: (it) =>
      `Migration ${it.number} of the store is named "${it.found}"; this version expects "${it.expected}".`,
    hint: () =>
      "Another product or branch created this store. Configure a store of its own for qm.",
  },
)

export const MigrationFailed = defineError<{ number: number; name: string; problem: string }>()(
  "STORE_MIGRATION_FAILED",
  {
    family: "unavailable",
    message: (it) =>
      `Migration ${it.number} (${it.name}) failed: ${it.problem}. Nothing was changed.`,
    hint: () => "Continue with the previous version of qm, and report this message.",
  },
)

export const StoreUnreachable = defineError<{ server: string; during: string }>()(
  "STORE_UNREACHABLE",
  {
    family: "unavailable",
    message: (it) => `The database server ${it.server} did not respond (${it.during}).`,
    hint: () =>
      "Start the server or correct store.databaseUrl. If the connection broke at commit, check whether the write happened.",
  },
)

export const LoginRefused = defineError<{ server: string; problem: string }>()(
  "STORE_LOGIN_REFUSED",
  {
    family: "denied",
    message: (it) => `The database server ${it.server} refused the login: ${it.problem}.`,
    hint: () => "Correct user, password and database name in store.databaseUrl (QM_DATABASE_URL).",
  },
)

export const ConstraintBroken = defineError<{ constraint: string }>()("STORE_CONSTRAINT_BROKEN", {
  family: "conflict",
  message: (it) => `The write violates a constraint of the store (${it.constraint}).`,
  hint: () => "Read the current state and try again: another writer may have been first.",
})

export const RowUnexpected = defineError<{ problem: string }>()("STORE_ROW_UNEXPECTED", {
  family: "unavailable",
  message: (it) => `A row of the store has an unexpected shape: ${it.problem}.`,
  hint: () => "Run `qm store check`. If it finds nothing, report this message.",
})

export const TextUnstorable = defineError<{ problem: string }>()("STORE_TEXT_UNSTORABLE", {
  family: "invalid",
  message: (it) => `The text cannot be stored unchanged: it contains ${it.problem}.`,
  hint: () => "Remove or escape that character and send the text again.",
})

export const EventTooLarge = defineError<{ name: string; sizeBytes: number; maxBytes: number }>()(
  "STORE_EVENT_TOO_LARGE",
  {
    family: "invalid",
    message: (it) => `The event ${it.name} has ${it.sizeBytes} bytes; the limit is ${it.maxBytes}.`,
    hint: () => "Store the content in a row or a file and put its id into the event.",
  },
)

export const StoreInUse = defineError<{ processes: string }>()("STORE_IN_USE", {
  family: "conflict",
  message: (it) => `The store is open in other processes: ${it.processes}.`,
  hint: () =>
    "End these processes (qm servers, sessions and hooks of this repository), then restore again.",
})

export const BackupNotHere = defineError<{ location: string }>()("STORE_BACKUP_NOT_HERE", {
  family: "invalid",
  message: (it) => `The store is in ${it.location}; it has no backups.`,
  hint: () => "Run the command without the mode that keeps the store in memory.",
})

export const BackupUnusable = defineError<{ file: string; problem: string }>()(
  "STORE_BACKUP_UNUSABLE",
  {
    family: "invalid",
    message: (it) => `The backup ${it.file} cannot be used: ${it.problem}. The store is unchanged.`,
    hint: () =>
      "Restore the newest backup with `qm store restore`, or pass the path of another one to it.",
  },
)

export const BackupMissing = defineError<{ directory: string }>()("STORE_BACKUP_MISSING", {
  family: "not-found",
  message: (it) => `There is no backup in ${it.directory}.`,
  hint: () =>
    "Create one with `qm store backup`, or pass the path of a backup to `qm store restore`.",
})
