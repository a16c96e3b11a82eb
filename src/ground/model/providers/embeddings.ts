import { z } from "zod"
import { EmbeddingWrong } from "../errors.ts"
import type { Try } from "../retry.ts"
import type { Destination } from "../settings.ts"
import { classify, isTooLarge } from "./classify.ts"
import { openaiProvider } from "./openai.ts"

const MOST_DIMENSIONS = 16_384

type Batch = {
  readonly to: Destination
  readonly provider: string
  readonly texts: readonly string[]
  readonly signal: AbortSignal
  now(): number
}

export async function embedOnce(batch: Batch): Promise<Try<readonly Float32Array[]>> {
  const { to, provider, texts, signal } = batch
  try {
    const model = openaiProvider(to).embeddingModel(to.model)
    const { response } = await model.doEmbed({ values: [...texts], abortSignal: signal })
    return { kind: "done", value: vectorsFrom(response?.body, batch) }
  } catch (error) {
    signal.throwIfAborted()
    if (EmbeddingWrong.is(error)) throw error
    if (isTooLarge(error))
      throw EmbeddingWrong({ provider, reason: "the response exceeds the size limit" })
    const failure = classify(error, { key: to.key, now: batch.now })
    if (failure === undefined) throw error
    return { kind: "not-done", failure }
  }
}

const Answer = z.object({
  data: z.array(
    z.object({ index: z.int().nonnegative().optional(), embedding: z.array(z.number()) }),
  ),
})

/**
 * Read from the raw response: the package drops the index, and a server need not keep the order.
 */
function vectorsFrom(body: unknown, batch: Batch): readonly Float32Array[] {
  const { provider, texts } = batch
  const { data = [] } = Answer.safeParse(body).data ?? {}
  if (data.length !== texts.length) {
    const reason = `${data.length} vectors for ${texts.length} texts`
    throw EmbeddingWrong({ provider, reason })
  }
  const placed = data.map((it, at) => ({ place: it.index ?? at, vector: it.embedding }))
  const vectors = placed.toSorted((a, b) => a.place - b.place)
  const arePlaced = vectors.every((it, at) => it.place === at)
  if (!arePlaced) throw EmbeddingWrong({ provider, reason: "two vectors have the same index" })
  const [first] = vectors
  const dimensions = first?.vector.length ?? 0
  const isSane = dimensions > 0 && dimensions <= MOST_DIMENSIONS
  if (!isSane) throw EmbeddingWrong({ provider, reason: `they have ${dimensions} dimensions` })
  const isEven = vectors.every((it) => it.vector.length === dimensions)
  if (!isEven) throw EmbeddingWrong({ provider, reason: "they have different lengths" })
  return vectors.map((it) => Float32Array.from(it.vector))
}
