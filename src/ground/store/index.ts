export { databaseNow } from "./database-clock.ts"
export type { Db, Tx } from "./db.ts"
export { isTransient } from "./db.ts"
export {
  ConstraintBroken,
  RowUnexpected,
  StoreClosed,
  StoreNotWritable,
  TextUnstorable,
} from "./errors.ts"
export { eventsHandlers, storeHandlers } from "./handlers.ts"
export type { Journal, JournalPage } from "./journal.ts"
export { jsonColumn } from "./json-column.ts"
export type { StoreLocation } from "./location.ts"
export { parseDatabaseUrl } from "./location.ts"
export { MIGRATIONS } from "./migrations/index.ts"
export type { Migration } from "./migrations/migration.ts"
export type { Sql } from "./sql.ts"
export { join, sql } from "./sql.ts"
export { restoreBackup } from "./sqlite/restore.ts"
export type { Store } from "./store.ts"
export { openStore } from "./store.ts"
