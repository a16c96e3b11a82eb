/** Vectors as text: both databases keep it, and it is the same on every machine. */
export function packVector(vector: Float32Array): string {
  if (vector.length === 0 || !vector.every(Number.isFinite)) {
    throw new Error("the embedder gave a vector that is none")
  }
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * 4)
  return bytes.toString("base64")
}

/** Of length 1, so that comparing is one sum; undefined for what is damaged. */
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

/** The cosine of two of length 1; vectors of two lengths have nothing in common. */
export function likeness(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return 0
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum
}
