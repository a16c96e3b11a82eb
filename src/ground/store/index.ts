// The store.

export type { Journal } from "./journal.ts"
export type { StoreLocation } from "./location.ts"
export { parseDatabaseUrl } from "./location.ts"
export type { Store } from "./store.ts"
export { openStore } from "./store.ts"

// The database.

export type { Db, Tx } from "./db.ts"
export type { Sql } from "./sql.ts"
export { join, sql } from "./sql.ts"

// The schema.

export { MIGRATIONS } from "./migrations/index.ts"
export type { Migration } from "./migrations/migration.ts"

// Backups and operations.

export { eventsHandlers, storeHandlers } from "./handlers.ts"
export { restoreBackup } from "./sqlite/restore.ts"

// Errors.

export { ConstraintBroken, RowUnexpected, StoreClosed, TextUnstorable } from "./errors.ts"
