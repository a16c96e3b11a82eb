import type { CallContext, KbBy } from "#ground/contract"
import type { Db } from "#ground/store"
import type { WordVectors } from "#know/search"
import type { Embedder, KnowledgeDeps } from "../deps.ts"
import {
  bodyOf,
  embeddedText,
  insertVectors,
  ParagraphRow,
  raiseRevision,
  selectWithoutVector,
} from "../queries.ts"

const TEXTS_A_CALL = 64

export const NO_EMBEDDER = "no embedder is configured; set knowledge.embedder"

/** Vectors for the paragraphs of a folder that have none. After a failure the next `add` continues. */
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
    return byWords(`${embedder.name} failed; ${left} paragraphs can be found by words only`)
  }
  return { words: true, meaning: embedder.name, note: null }
}

export function byWords(note: string): KbBy {
  return { words: true, meaning: null, note }
}

/** With vectors of words a search has related words, so a missing embedder needs no note. */
export function withRelated(by: KbBy, vectors: WordVectors | undefined): KbBy {
  if (vectors === undefined) return by
  return { ...by, note: by.note === NO_EMBEDDER ? null : by.note, related: true }
}

async function embedSome(
  rows: readonly ParagraphRow[],
  to: { readonly embedder: Embedder; readonly db: Db<"knowledge">; readonly signal: AbortSignal },
): Promise<void> {
  const { embedder, db, signal } = to
  const texts = rows.map((row) => {
    const body = bodyOf(row.body)
    return body === undefined ? "" : embeddedText(body)
  })
  const vectors = await embedder.embed(texts, signal)
  const packed = rows.flatMap((row, at) => {
    const vector = vectors[at]
    return vector === undefined ? [] : [{ paragraph: row.id, vector: packVector(vector) }]
  })
  if (packed.length !== rows.length)
    throw new Error("the embedder returned a different number of vectors")
  await db.transaction(async (tx) => {
    await tx.run(insertVectors(embedder.name, packed))
    await tx.run(raiseRevision())
  })
}

/** Base64 text, because both databases store it alike. */
function packVector(vector: Float32Array): string {
  if (vector.length === 0 || !vector.every(Number.isFinite)) {
    throw new Error("the embedder returned an invalid vector")
  }
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * 4)
  return bytes.toString("base64")
}

/** Unit length, so that the cosine is one sum; undefined for damaged text. */
export function unpackVector(text: string): Float32Array | undefined {
  const bytes = Buffer.from(text, "base64")
  if (bytes.length === 0 || bytes.length % 4 !== 0) return undefined
  const vector = Float32Array.from({ length: bytes.length / 4 }, (_, at) =>
    bytes.readFloatLE(at * 4),
  )
  return unit(vector)
}

export function unit(vector: Float32Array): Float32Array | undefined {
  const length = Math.hypot(...vector)
  return length > 0 && Number.isFinite(length) ? vector.map((it) => it / length) : undefined
}

export function cosine(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return 0
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum
}
