import { randomBytes } from "node:crypto"
import type { Clock } from "./clock.ts"

export type Id<Prefix extends string> = `${Prefix}_${string}`

export type Ids = ReturnType<typeof createIds>

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"

/** Ids sort by creation time: nine characters of milliseconds, then ten random characters. */
export function createIds(deps: { clock: Clock; random: Random }) {
  return {
    next<const Prefix extends string>(prefix: Prefix): Id<Prefix> {
      const time = deps.clock.now().toString(36).padStart(9, "0")
      const chance = Array.from(deps.random.bytes(10), (byte) => ALPHABET[byte & 31]).join("")
      return `${prefix}_${time}${chance}`
    },
  }
}

export type Random = { bytes(count: number): Uint8Array }

export const systemRandom: Random = { bytes: (count) => randomBytes(count) }
