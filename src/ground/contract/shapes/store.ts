import { z } from "zod"
import { Cursor, JournalEntry } from "../event.ts"

export const StoreStatus = z.object({
  dialect: z.enum(["sqlite", "postgres"]).describe("Database of the store"),
  location: z.string().describe("File, or server without its password"),
  sizeBytes: z.int().nonnegative().describe("Bytes on disk, including the write-ahead log"),
  schemaVersion: z.int().nonnegative().describe("Number of the newest applied migration"),
  events: z.int().nonnegative().describe("Events in the journal"),
  epoch: z.string().describe("Id of this history; changes when a backup is restored"),
  lastBackup: z
    .object({ file: z.string(), sizeBytes: z.int().nonnegative(), at: z.int() })
    .nullable()
    .describe("Newest backup, or null"),
  corruptFiles: z.array(z.string()).describe("Damaged stores that were moved aside"),
  stopped: z.string().nullable().describe("Reason why writes are refused until a restart, or null"),
  integrity: z.string().describe("ok, or the first finding of the quick check"),
})
export type StoreStatus = z.infer<typeof StoreStatus>

export const StoreCheck = z.object({
  isSound: z.boolean().describe("True if there are no findings"),
  checkedEvents: z.int().nonnegative().describe("Journal entries with a compared checksum"),
  findings: z.array(z.string()).describe("Findings"),
})
export type StoreCheck = z.infer<typeof StoreCheck>

export const StoreBackup = z.object({
  file: z.string().describe("The new backup"),
  sizeBytes: z.int().nonnegative().describe("Its size in bytes"),
})
export type StoreBackup = z.infer<typeof StoreBackup>

export const StoreRestore = z.object({
  file: z.string().describe("The restored backup"),
  replaced: z.string().nullable().describe("Path of the previous store, or null"),
  events: z.int().nonnegative().describe("Events in the backup"),
  epoch: z.string().describe("Id of the new history; earlier cursors are invalid"),
})
export type StoreRestore = z.infer<typeof StoreRestore>

export const EventsPage = z.object({
  entries: z.array(JournalEntry).describe("Events, oldest first"),
  next: z.int().nonnegative().describe("Value of `after` for the next page"),
  head: Cursor.describe("Newest event in the store"),
})
export type EventsPage = z.infer<typeof EventsPage>
