import type { Memory } from "#ground/contract"
import { confidenceOf } from "./confidence.ts"
import type { MemoryDeps } from "./deps.ts"
import { createCiteCheck, isStale } from "./files/citations.ts"
import type { StoredMemory } from "./files/entry.ts"
import { redactText } from "./record/redact.ts"

export type View = (kept: StoredMemory, known: { usesOf(id: string): number }) => Promise<Memory>

/** Looks up each citation once, so create one per call. */
export async function createView({
  hashOf,
  log,
  secrets,
}: Pick<MemoryDeps, "hashOf" | "log" | "secrets">): Promise<View> {
  const { check } = createCiteCheck({ hashOf, log })
  // Again, because a value may have become a known secret since the file was read.
  const { redact } = await secrets()
  const safe = (text: string) => redactText(text, redact).text
  return async ({ file, entry }, { usesOf }) => {
    const cites = await check(entry.cites)
    const uses = usesOf(entry.id)
    return {
      ...entry,
      title: safe(entry.title),
      description: safe(entry.description),
      body: safe(entry.body),
      cites: [...cites],
      state: entry.state !== "superseded" && isStale(cites) ? "stale" : entry.state,
      uses,
      confidence: confidenceOf(entry, uses),
      file,
    }
  }
}
