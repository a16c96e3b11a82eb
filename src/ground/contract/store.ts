import { z } from "zod"
import { Cursor, JournalEntry } from "./event.ts"

export const StoreStatusInput = z.object({})
export const StoreStatus = z.object({
  dialect: z.enum(["sqlite", "postgres"]),
  location: z.string().describe("File or server; a password is masked"),
  sizeBytes: z.int().nonnegative(),
  schemaVersion: z.int().nonnegative(),
  events: z.int().nonnegative(),
  epoch: z.string(),
  lastBackup: z.object({ file: z.string(), sizeBytes: z.int(), at: z.int() }).optional(),
  keptCorrupt: z.array(z.string()).describe("Damaged files that were kept aside"),
  isReadOnly: z.boolean().describe("Stopped after a write that could not be made safe"),
})
export type StoreStatus = z.infer<typeof StoreStatus>

export const StoreCheckInput = z.object({})
export const StoreCheck = z.object({
  isSound: z.boolean(),
  problems: z.array(z.string()),
  eventsChecked: z.int().nonnegative(),
})
export type StoreCheck = z.infer<typeof StoreCheck>

export const StoreBackupInput = z.object({})
export const StoreBackup = z.object({ file: z.string(), sizeBytes: z.int(), at: z.int() })
export type StoreBackup = z.infer<typeof StoreBackup>

export const StoreRestoreInput = z.object({
  file: z.string().optional().describe("Backup to go back to; the newest unless given"),
})
export const StoreRestore = z.object({
  file: z.string(),
  events: z.int().nonnegative(),
  keptAs: z.string().optional().describe("Where the store of before lies now"),
})
export type StoreRestore = z.infer<typeof StoreRestore>

export const EventsListInput = z.object({
  after: z.int().nonnegative().optional().describe("Only events behind this sequence number"),
  name: z.string().optional().describe("Only events whose name begins with this, e.g. store."),
  limit: z
    .int()
    .min(1)
    .max(1_000)
    .default(50)
    .describe("How many at most; the newest without --after"),
})
export const EventsPage = z.object({
  entries: z.array(JournalEntry).describe("Oldest first"),
  head: Cursor,
})
export type EventsPage = z.infer<typeof EventsPage>
