import { packageFile, readBounded } from "#ground/base"
import { RankerDamaged, RankerMissing } from "../errors.ts"

/** Vectors of frequent English words; see models/words/README.md. */
export type WordVectors = {
  readonly dimensions: number
  readonly rowByWord: ReadonlyMap<string, number>
  readonly vectors: Int8Array
}

const FILE = "english.bin"
const SHIPPED = packageFile(`models/words/${FILE}`)
const LARGEST_BYTES = 16_000_000
const HEADER_BYTES = 20

export async function loadWordVectors(file = SHIPPED): Promise<WordVectors> {
  const outcome = await readBounded(file, { maxBytes: LARGEST_BYTES })
  if (outcome.kind === "read") return parseWordVectors(outcome.bytes)
  const reason = outcome.kind === "unreadable" ? outcome.reason : outcome.kind
  throw RankerMissing({ file: FILE, reason })
}

/** `QMWV`; version, rows, dimensions and bytes of the words as u32; the words by line; rows of i8. */
export function parseWordVectors(bytes: Buffer): WordVectors {
  const damaged = (wrong: string) => RankerDamaged({ file: FILE, wrong })
  if (bytes.length < HEADER_BYTES) throw damaged(`it has ${bytes.length} bytes`)
  if (bytes.toString("latin1", 0, 4) !== "QMWV") throw damaged("it does not begin with QMWV")
  const [version, rows = 0, dimensions = 0, wordBytes = 0] = [4, 8, 12, 16].map((at) =>
    bytes.readUInt32LE(at),
  )
  if (version !== 1) throw damaged(`its version is ${version}, not 1`)
  const vectorsAt = HEADER_BYTES + wordBytes
  if (bytes.length !== vectorsAt + rows * dimensions) throw damaged("its length is wrong")
  const words = bytes.toString("utf8", HEADER_BYTES, vectorsAt).split("\n")
  if (words.length !== rows) throw damaged(`it has ${rows} rows for ${words.length} words`)
  return {
    dimensions,
    rowByWord: new Map(words.map((word, row) => [word, row])),
    vectors: new Int8Array(bytes.buffer, bytes.byteOffset + vectorsAt, rows * dimensions),
  }
}

/** A unit vector has this length, in steps of i8. */
const UNIT = 127

/** Less similar words are as often opposites or neighbours as synonyms. */
const LEAST_COSINE = 0.4

const MOST_NEAREST = 24

/**
 * For a word, the most similar ones of a vocabulary with their cosine, best first. The word itself
 * is left out.
 */
export function nearestWords(
  { rowByWord, vectors, dimensions }: WordVectors,
  vocabulary: Iterable<string>,
) {
  const words: { readonly word: string; readonly row: number }[] = []
  for (const word of vocabulary) {
    const row = rowByWord.get(word)
    if (row !== undefined) words.push({ word, row })
  }
  return (word: string): readonly { readonly word: string; readonly cosine: number }[] => {
    const own = rowByWord.get(word)
    if (own === undefined) return []
    const from = own * dimensions
    const near: { readonly word: string; readonly cosine: number }[] = []
    for (const it of words) {
      if (it.row === own) continue
      const at = it.row * dimensions
      let sum = 0
      for (let d = 0; d < dimensions; d++) sum += (vectors[from + d] ?? 0) * (vectors[at + d] ?? 0)
      const cosine = sum / (UNIT * UNIT)
      if (cosine >= LEAST_COSINE) near.push({ word: it.word, cosine: Math.min(cosine, 1) })
    }
    return near.toSorted((a, b) => b.cosine - a.cosine).slice(0, MOST_NEAREST)
  }
}
