import type { Corpus } from "./corpus.ts"

/** How many of the best files speak for their folders. */
const SPEAKERS = 30

/** What a file's neighbours found: together (`dir`), and the best of them (`dirmax`). */
export function scoreFolders(
  corpus: Corpus,
  strengths: Float64Array,
  best: Int32Array,
): { readonly dir: Float64Array; readonly dirmax: Float64Array } {
  return { dir: together(corpus, strengths), dirmax: bestNeighbour(corpus, strengths, best) }
}

function together({ folders, folderSizes }: Corpus, strengths: Float64Array): Float64Array {
  const sums = new Float64Array(folderSizes.length)
  for (let at = 0; at < strengths.length; at++) {
    const folder = folders[at] ?? 0
    sums[folder] = (sums[folder] ?? 0) + (strengths[at] ?? 0) ** 2
  }
  return strengths.map((own, at) => {
    const folder = folders[at] ?? 0
    const others = Math.max((sums[folder] ?? 0) - own ** 2, 0)
    return Math.sqrt(others / Math.max((folderSizes[folder] ?? 0) - 1, 1))
  })
}

function bestNeighbour(
  { folders, folderSizes }: Corpus,
  strengths: Float64Array,
  best: Int32Array,
): Float64Array {
  const first = new Float64Array(folderSizes.length)
  const second = new Float64Array(folderSizes.length)
  for (const at of best.subarray(0, SPEAKERS)) {
    const folder = folders[at] ?? 0
    const own = strengths[at] ?? 0
    if (own > (first[folder] ?? 0)) {
      second[folder] = first[folder] ?? 0
      first[folder] = own
    } else if (own > (second[folder] ?? 0)) second[folder] = own
  }
  return strengths.map((own, at) => {
    const folder = folders[at] ?? 0
    return (own >= (first[folder] ?? 0) ? second[folder] : first[folder]) ?? 0
  })
}
