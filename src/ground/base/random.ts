import { randomBytes } from "node:crypto"

/** Chance, handed in, so that a test can replay it. */
export type Random = { bytes(count: number): Uint8Array }

export const systemRandom: Random = { bytes: (count) => randomBytes(count) }
