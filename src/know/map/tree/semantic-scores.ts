import { invariant } from "#ground/base"
import {
  indexFile,
  meaningOf,
  prepareMeaning,
  type Ranker,
  type SemanticScores,
} from "#know/search"
import type { IndexedTree } from "./types.ts"

export function createMeanings({ table }: Ranker): (tree: IndexedTree) => Promise<SemanticScores> {
  const vectors = new Map<string, Float32Array>()
  return async (tree) => {
    invariant(table !== undefined, "the ranker was loaded with its table")
    const keys = tree.files.map(({ path, blobId }) => `${blobId} ${path}`)
    const unknown = tree.files.filter((_, position) => !vectors.has(keys[position] ?? ""))
    const texts = await tree.texts(unknown.map((it) => it.path))
    for (const { path, blobId } of unknown) {
      const terms = indexFile(texts.get(path) ?? "")
      vectors.set(`${blobId} ${path}`, meaningOf(table, path, terms))
    }
    return prepareMeaning(table, tree.corpus(), (position) => {
      const vector = vectors.get(keys[position] ?? "")
      invariant(vector !== undefined, "every file has a vector")
      return vector
    })
  }
}
