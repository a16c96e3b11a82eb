import type { Random } from "#ground/base"

/** The name of one history of the journal: made with the store, and anew at a restore. */
export function newEpoch(random: Random): string {
  return Buffer.from(random.bytes(12)).toString("base64url")
}

/** Marks the journal rows of one store, so that a stranger's row fails its checksum. */
export function newSalt(random: Random): string {
  return Buffer.from(random.bytes(12)).toString("base64url")
}
