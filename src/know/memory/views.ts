import type { Memory } from "#ground/contract"
import { createCiteCheck, isStale } from "./cites.ts"
import { cleaned } from "./clean.ts"
import { confidenceOf } from "./confidence.ts"
import type { MemoryDeps } from "./deps.ts"
import type { Kept } from "./entry.ts"

/** A memory as others see it, with what is known of its use. */
export type View = (kept: Kept, known: { usesOf(id: string): number }) => Promise<Memory>

/**
 * With what the code of now says of a memory, and how far it is believed. One is made for each
 * answer: it looks each citation up once.
 */
export async function createView({
  hashOf,
  log,
  secrets,
}: Pick<MemoryDeps, "hashOf" | "log" | "secrets">): Promise<View> {
  const { check } = createCiteCheck({ hashOf, log })
  // Once more on the way out: a value may be known for a secret since the file was read.
  const { redact } = await secrets()
  const safe = (text: string) => cleaned(text, redact).text
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
