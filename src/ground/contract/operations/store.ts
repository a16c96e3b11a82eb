import { z } from "zod"
import { defineOperations } from "../operation.ts"
import { EventsPage, StoreBackup, StoreCheck, StoreRestore, StoreStatus } from "../shapes/store.ts"

/** Limit of one page; continue with `next`. */
const MOST_EVENTS_LISTED = 1_000

export const storeOperations = defineOperations("store", {
  status: {
    summary: "Show location, size and health of the store",
    effect: "read",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: { group: "Store", examples: ["qm store status"] },
    input: z.object({}),
    output: StoreStatus,
  },
  check: {
    summary: "Read the whole store and verify every checksum",
    effect: "read",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: { group: "Store", examples: ["qm store check"] },
    input: z.object({}),
    output: StoreCheck,
  },
  backup: {
    summary: "Back up the store while it is in use",
    effect: "write",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: {
      group: "Store",
      examples: ["qm store backup", "qm store backup --to ~/backups --keep 3"],
    },
    input: z.object({
      to: z
        .string()
        .max(4_096)
        .min(1)
        .optional()
        .describe("Folder for the backup (default: beside the store)"),
      keep: z
        .int()
        .min(1)
        .max(100)
        .optional()
        .describe("Number of backups to keep (default: setting store.keepBackups)"),
    }),
    output: StoreBackup,
  },
  restore: {
    summary: "Restore the store from a backup; the replaced store is kept",
    effect: "write",
    role: "owner",
    surfaces: ["cli"],
    cli: { args: ["file"], group: "Store", examples: ["qm store restore"] },
    input: z.object({
      file: z
        .string()
        .min(1)
        .max(4_096)
        .optional()
        .describe("Backup to restore (default: the newest)"),
    }),
    output: StoreRestore,
  },
})

export const eventsOperations = defineOperations("events", {
  list: {
    summary: "List events, newest last",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      words: ["events"],
      group: "Store",
      examples: ["qm events --limit 20", "qm events --name store."],
    },
    input: z.object({
      after: z
        .int()
        .nonnegative()
        .optional()
        .describe("Only events after this number (default: the newest events)"),
      name: z
        .string()
        .max(100)
        .default("")
        .describe("Only events whose name starts with this, such as store."),
      limit: z
        .int()
        .min(1)
        .max(MOST_EVENTS_LISTED)
        .default(50)
        .describe("Maximum number of events"),
    }),
    output: EventsPage,
  },
})
