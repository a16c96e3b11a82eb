import { z } from "zod"
import { MemoryCite, MemoryKind, MemorySignals, MemorySource } from "#ground/contract"

/** Staleness is not stored; it follows from the code. */
export const WrittenState = z.enum(["proposed", "confirmed", "superseded"])

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

export type StoredMemory = { readonly file: string; readonly entry: MemoryEntry }

/** Based on text from outside and not confirmed by a user (TB5). */
export function isQuarantined({ source, state }: Pick<MemoryEntry, "source" | "state">): boolean {
  return source.isUntrusted && state !== "confirmed"
}
