import { z } from "zod"
import { defineOperations } from "../operation.ts"
import { EventsPage, StoreBackup, StoreCheck, StoreRestore, StoreStatus } from "../store.ts"

/** As many as a page or a terminal can show; a reader goes on with `next`. */
const MOST_EVENTS_LISTED = 1_000

export const storeOperations = defineOperations("store", {
  status: {
    summary: "Show where the store lies, its size and its health",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { group: "Keep" },
    input: z.object({}),
    output: StoreStatus,
  },
  check: {
    summary: "Read the whole store once and compare every checksum",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { group: "Keep" },
    input: z.object({}),
    output: StoreCheck,
  },
  backup: {
    summary: "Copy the store to a backup file, while it is in use",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { group: "Keep" },
    input: z.object({
      to: z.string().min(1).optional().describe("Folder for the copy; default: beside the store"),
      keep: z
        .int()
        .min(1)
        .max(100)
        .optional()
        .describe("How many backups stay; default from config"),
    }),
    output: StoreBackup,
  },
  restore: {
    summary: "Replace the store by a backup; the store of before is kept beside it",
    effect: "write",
    surfaces: ["cli"],
    cli: { args: ["file"], group: "Keep" },
    input: z.object({
      file: z.string().min(1).optional().describe("The backup to restore; default: the newest"),
    }),
    output: StoreRestore,
  },
})

export const eventsOperations = defineOperations("events", {
  list: {
    summary: "List what happened, newest last",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["events"], group: "See" },
    input: z.object({
      after: z
        .int()
        .nonnegative()
        .optional()
        .describe("Only events after this number; default: the newest"),
      name: z
        .string()
        .max(100)
        .default("")
        .describe("Only events whose name begins so, as in store."),
      limit: z.int().min(1).max(MOST_EVENTS_LISTED).default(50).describe("At most so many events"),
    }),
    output: EventsPage,
  },
})
