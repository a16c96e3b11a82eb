import type { KbBy } from "#ground/contract"
import type { Db } from "#ground/store"
import type { Embedder, KnowledgeDeps } from "../deps.ts"
import type { Library } from "../library.ts"
import { selectVectors, VectorRow } from "../queries.ts"
import { byWords, cosine, NO_EMBEDDER, unit, unpackVector } from "./embeddings.ts"
import type { ByMeaning } from "./find.ts"

type Vectors = ReadonlyMap<string, Float32Array>

export function createMeaning(deps: Pick<KnowledgeDeps, "db" | "embedder" | "log" | "secrets">) {
  let held: { readonly key: string; readonly vectors: Vectors } | undefined

  async function vectorsOf({ name }: Embedder, { revision }: Library): Promise<Vectors> {
    const key = `${revision} ${name}`
    if (held?.key === key) return held.vectors
    const vectors = await loadVectors(await deps.db(), name)
    held = { key, vectors }
    return vectors
  }

  return {
    async state(library: Library): Promise<KbBy> {
      const embedder = await deps.embedder()
      if (embedder === undefined) return byWords(NO_EMBEDDER)
      return stateOf(embedder, library, await vectorsOf(embedder, library))
    },

    async rank(query: string, library: Library, signal: AbortSignal): Promise<ByMeaning> {
      const embedder = await deps.embedder()
      if (embedder === undefined) return { by: byWords(NO_EMBEDDER), ranked: [] }
      const vectors = await vectorsOf(embedder, library)
      const by = stateOf(embedder, library, vectors)
      if (by.meaning === null) return { by, ranked: [] }
      try {
        // The question may go to a service.
        const { redact } = await deps.secrets()
        const vector = await embedQuestion(redact(query).text, embedder, signal)
        return { by, ranked: rankBy(vector, library, vectors) }
      } catch (error) {
        signal.throwIfAborted()
        deps.log.warn("a question could not be embedded", { embedder: embedder.name, error })
        return { by: byWords(`${embedder.name} failed; searched by words only`), ranked: [] }
      }
    },
  }
}

function stateOf({ name }: Embedder, { paragraphs }: Library, vectors: Vectors): KbBy {
  const without = paragraphs.filter((it) => !vectors.has(it.id)).length
  if (without === paragraphs.length) {
    return byWords(`${name} has not embedded any paragraphs yet; add the folders again`)
  }
  const note = without === 0 ? null : `${without} paragraphs are not embedded; add them again`
  return { words: true, meaning: name, note }
}

async function embedQuestion(query: string, embedder: Embedder, signal: AbortSignal) {
  const [vector] = await embedder.embed([query], signal)
  const normalized = vector === undefined ? undefined : unit(vector)
  if (normalized === undefined) throw new Error("the embedder returned an invalid vector")
  return normalized
}

function rankBy(question: Float32Array, library: Library, vectors: Vectors): ByMeaning["ranked"] {
  const scored = library.paragraphs.flatMap((paragraph) => {
    const vector = vectors.get(paragraph.id)
    const like = vector === undefined ? 0 : cosine(question, vector)
    return like > 0 ? [{ paragraph, like }] : []
  })
  return scored
    .toSorted((a, b) => b.like - a.like || a.paragraph.number - b.paragraph.number)
    .map((it) => it.paragraph)
}

async function loadVectors(db: Db<"knowledge">, embedder: string): Promise<Vectors> {
  const rows = await db.all(VectorRow, selectVectors(embedder))
  return new Map(
    rows.flatMap((row) => {
      const vector = unpackVector(row.vector)
      return vector === undefined ? [] : [[row.paragraph, vector] as const]
    }),
  )
}
