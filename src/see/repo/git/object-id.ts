import { createHash } from "node:crypto"

export type ObjectFormat = "sha1" | "sha256"

export function isObjectId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)
}

/** A repository has ids of one length. */
export function formatOf(id: string): ObjectFormat {
  return id.length === 64 ? "sha256" : "sha1"
}

/**
 * The id that git would give these bytes as they are. Git itself is never asked to look at the
 * working tree: it would run the filters that a repository can name.
 */
export function blobId(bytes: Uint8Array, format: ObjectFormat): string {
  return createHash(format).update(`blob ${bytes.length}\0`).update(bytes).digest("hex")
}
