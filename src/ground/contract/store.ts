import { z } from "zod"
import { Cursor, JournalEntry } from "./event.ts"

/** As many as a page or a terminal can show; a reader goes on with `next`. */
const MOST_EVENTS_LISTED = 1_000

export const StoreStatusInput = z.object({})
export const StoreStatus = z.object({
  dialect: z.enum(["sqlite", "postgres"]).describe("Which database holds the store"),
  location: z.string().describe("The file, or the server without its password"),
  sizeBytes: z.int().nonnegative().describe("Bytes on disk, the write-ahead log included"),
  schemaVersion: z.int().nonnegative().describe("Number of the newest migration applied"),
  events: z.int().nonnegative().describe("Events in the journal"),
  epoch: z.string().describe("Name of this history; it changes when a backup is restored"),
  lastBackup: z
    .object({ file: z.string(), sizeBytes: z.int().nonnegative(), at: z.int() })
    .nullable()
    .describe("The newest backup, or null when there is none"),
  corruptFiles: z.array(z.string()).describe("Damaged stores that were kept aside"),
  stopped: z.string().nullable().describe("Why writes are refused until a restart, or null"),
  integrity: z.string().describe("ok, or what the quick check found first"),
})
export type StoreStatus = z.infer<typeof StoreStatus>

export const StoreCheckInput = z.object({})
export const StoreCheck = z.object({
  isSound: z.boolean().describe("Whether nothing was found"),
  checkedEvents: z.int().nonnegative().describe("Journal entries whose checksum was compared"),
  findings: z.array(z.string()).describe("What is wrong, in words"),
})
export type StoreCheck = z.infer<typeof StoreCheck>

export const StoreBackupInput = z.object({
  to: z.string().min(1).optional().describe("Folder for the copy; default: beside the store"),
  keep: z.int().min(1).max(100).optional().describe("How many backups stay; default from config"),
})
export const StoreBackup = z.object({
  file: z.string().describe("The backup that was made"),
  sizeBytes: z.int().nonnegative().describe("Its size in bytes"),
})
export type StoreBackup = z.infer<typeof StoreBackup>

export const StoreRestoreInput = z.object({
  file: z.string().min(1).optional().describe("The backup to restore; default: the newest"),
})
export const StoreRestore = z.object({
  file: z.string().describe("The backup that is the store now"),
  replaced: z.string().nullable().describe("Where the store of before lies, or null"),
  events: z.int().nonnegative().describe("Events that came with the backup"),
  epoch: z.string().describe("Name of the new history; older cursors are void"),
})
export type StoreRestore = z.infer<typeof StoreRestore>

export const EventsListInput = z.object({
  after: z
    .int()
    .nonnegative()
    .optional()
    .describe("Only events after this number; default: the newest"),
  name: z.string().max(100).default("").describe("Only events whose name begins so, as in store."),
  limit: z.int().min(1).max(MOST_EVENTS_LISTED).default(50).describe("At most so many events"),
})
export const EventsPage = z.object({
  entries: z.array(JournalEntry).describe("The events, oldest first"),
  next: z.int().nonnegative().describe("Give this as after to go on"),
  head: Cursor.describe("The newest event in the store"),
})
export type EventsPage = z.infer<typeof EventsPage>
