import { z } from "zod"
import { MemoryCite, MemoryKind, MemorySignals, MemorySource } from "#ground/contract"

/** What a file can say about its memory; whether it is stale says the code alone. */
export const WrittenState = z.enum(["proposed", "confirmed", "superseded"])

/** A memory as its file says it, without hidden signs and secrets: what the index keeps. */
export const MemoryEntry = z.object({
  id: z.string(),
  kind: MemoryKind,
  title: z.string(),
  description: z.string(),
  body: z.string(),
  cites: z.array(MemoryCite),
  source: MemorySource,
  state: WrittenState,
  supersededBy: z.string().nullable(),
  signals: MemorySignals,
  createdAt: z.int(),
})
export type MemoryEntry = z.infer<typeof MemoryEntry>

/** With the file it came from, from the root of the repository. */
export type Kept = { readonly file: string; readonly entry: MemoryEntry }

/** It rests on a text nobody here wrote, and no person has vouched for it (TB5). */
export function isQuarantined({ source, state }: Pick<MemoryEntry, "source" | "state">): boolean {
  return source.isUntrusted && state !== "confirmed"
}
