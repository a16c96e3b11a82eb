import type { CallContext, KbBy } from "#ground/contract"
import type { Db } from "#ground/store"
import type { Embedder, KnowledgeDeps } from "./deps.ts"
import { TEXTS_A_CALL } from "./limits.ts"
import { bodyOf, embeddedText } from "./paragraph-body.ts"
import { insertVectors, ParagraphRow, raiseRevision, selectWithoutVector } from "./queries.ts"
import { packVector } from "./vectors.ts"

/** Why there is no search by meaning, when nobody asked for it. */
export const NO_EMBEDDER = "no embedder is configured; knowledge.embedder names one"

/**
 * Vectors for the paragraphs of a folder that have none. A failure leaves words, and says so: the
 * next `add` goes on where this one ended.
 */
export async function embedFolder(
  folder: string,
  context: CallContext,
  deps: Pick<KnowledgeDeps, "db" | "embedder" | "log">,
): Promise<KbBy> {
  const embedder = await deps.embedder()
  if (embedder === undefined) return byWords(NO_EMBEDDER)
  const db = await deps.db()
  const waiting = await db.all(ParagraphRow, selectWithoutVector(folder, embedder.name))
  let done = 0
  try {
    for (let at = 0; at < waiting.length; at += TEXTS_A_CALL) {
      const some = waiting.slice(at, at + TEXTS_A_CALL)
      await embedSome(some, { embedder, db, signal: context.signal })
      done += some.length
      context.onProgress?.({ what: "embedding paragraphs", done, total: waiting.length })
    }
  } catch (error) {
    context.signal.throwIfAborted()
    deps.log.warn("paragraphs are not embedded", { embedder: embedder.name, error })
    const left = waiting.length - done
    return byWords(`${embedder.name} failed; ${left} paragraphs are found by words only`)
  }
  return { words: true, meaning: embedder.name, note: null }
}

export function byWords(note: string): KbBy {
  return { words: true, meaning: null, note }
}

async function embedSome(
  rows: readonly ParagraphRow[],
  to: { readonly embedder: Embedder; readonly db: Db<"knowledge">; readonly signal: AbortSignal },
): Promise<void> {
  const { embedder, db, signal } = to
  const texts = rows.map((it) => {
    const body = bodyOf(it.body)
    return body === undefined ? "" : embeddedText(body)
  })
  const vectors = await embedder.embed(texts, signal)
  const packed = rows.flatMap((row, at) => {
    const vector = vectors[at]
    return vector === undefined ? [] : [{ paragraph: row.id, vector: packVector(vector) }]
  })
  if (packed.length !== rows.length) throw new Error("the embedder gave another number of vectors")
  await db.transaction(async (tx) => {
    await tx.run(insertVectors(embedder.name, packed))
    await tx.run(raiseRevision())
  })
}
