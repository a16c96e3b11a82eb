import { z } from "zod"
import { Cursor, JournalEntry } from "./event.ts"

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

export const StoreCheck = z.object({
  isSound: z.boolean().describe("Whether nothing was found"),
  checkedEvents: z.int().nonnegative().describe("Journal entries whose checksum was compared"),
  findings: z.array(z.string()).describe("What is wrong, in words"),
})
export type StoreCheck = z.infer<typeof StoreCheck>

export const StoreBackup = z.object({
  file: z.string().describe("The backup that was made"),
  sizeBytes: z.int().nonnegative().describe("Its size in bytes"),
})
export type StoreBackup = z.infer<typeof StoreBackup>

export const StoreRestore = z.object({
  file: z.string().describe("The backup that is the store now"),
  replaced: z.string().nullable().describe("Where the store of before lies, or null"),
  events: z.int().nonnegative().describe("Events that came with the backup"),
  epoch: z.string().describe("Name of the new history; older cursors are void"),
})
export type StoreRestore = z.infer<typeof StoreRestore>

export const EventsPage = z.object({
  entries: z.array(JournalEntry).describe("The events, oldest first"),
  next: z.int().nonnegative().describe("Give this as after to go on"),
  head: Cursor.describe("The newest event in the store"),
})
export type EventsPage = z.infer<typeof EventsPage>
