import { createHash } from "node:crypto"
import { join } from "node:path"
import { readBounded } from "#ground/base"
import { LARGEST_HASHED_BYTES } from "../limits.ts"
import type { KeptReceipt } from "./receipt.ts"

export type HashFormat = "sha1" | "sha256"

export type FileHash =
  | { readonly kind: "hashed"; readonly hash: string }
  | { readonly kind: "absent" }
  | { readonly kind: "unknown"; readonly why: string }

/**
 * Git's id of a file's bytes as they lie on the disk, as the map has it too. `repo` has the same
 * function and more than a hook should load.
 */
export async function hashFile(
  path: string,
  { root, format }: { readonly root: string; readonly format: HashFormat },
): Promise<FileHash> {
  const read = await readBounded(join(root, path), { maxBytes: LARGEST_HASHED_BYTES, root })
  switch (read.kind) {
    case "read":
      return { kind: "hashed", hash: hashOf(read.bytes, format) }
    case "missing":
      return { kind: "absent" }
    case "too-large":
      return { kind: "unknown", why: `it has ${read.sizeBytes} bytes` }
    case "outside-root":
      return { kind: "unknown", why: "it leads out of the repository" }
    case "not-regular":
      return { kind: "unknown", why: `it is no regular file but a ${read.what}` }
    case "unreadable":
      return { kind: "unknown", why: `it cannot be read (${read.reason})` }
    default:
      return read satisfies never
  }
}

function hashOf(bytes: Uint8Array, format: HashFormat): string {
  return createHash(format).update(`blob ${bytes.length}\0`).update(bytes).digest("hex")
}

/** A repository has ids of one length, and its receipts say which. */
export function hashFormatOf(receipts: readonly Pick<KeptReceipt, "paths">[]): HashFormat {
  const ids = receipts.flatMap((it) => it.paths.flatMap(({ blobId }) => blobId ?? []))
  return ids[0]?.length === 64 ? "sha256" : "sha1"
}
