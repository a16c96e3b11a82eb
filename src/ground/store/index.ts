// Opening a store, and what it offers.

export type { Journal, JournalPage, JournalQuestion } from "./journal.ts"
export { OLDEST_SQLITE } from "./limits.ts"
export type { CommitListener } from "./listeners.ts"
export type { StoreLocation } from "./location.ts"
export { describeLocation, parseDatabaseUrl } from "./location.ts"
export type { Store, StoreFindings, StoreOptions, StoreStatus } from "./store.ts"
export { backupDirectoryOf, openStore } from "./store.ts"

// The database as rooms use it.

export type { Db, Tx } from "./db.ts"
export type { Dialect, Sql, SqlValue } from "./sql.ts"
export { join, sql } from "./sql.ts"

// The schema: rooms add their tables to the one list.

export { MIGRATIONS } from "./migrations/index.ts"
export type { ColumnTypes, Migration } from "./migrations/migration.ts"

// Backups, and what surfaces may ask.

export { eventsHandlers, storeHandlers } from "./handlers.ts"
export type { MadeBackup } from "./sqlite/backup.ts"
export type { RestoredStore } from "./sqlite/restore.ts"
export { restoreBackup } from "./sqlite/restore.ts"

// Failures that callers tell apart.

export {
  BackupMissing,
  BackupNotHere,
  BackupUnusable,
  ConstraintBroken,
  EventTooLarge,
  LoginRefused,
  MigrationFailed,
  RowUnexpected,
  SchemaForeign,
  SchemaNewer,
  SqliteTooOld,
  StoreBusy,
  StoreClosed,
  StoreCorrupt,
  StoreInUse,
  StoreNotWritable,
  StoreStopped,
  StoreUnreachable,
  TextUnstorable,
  UrlInvalid,
} from "./errors.ts"
