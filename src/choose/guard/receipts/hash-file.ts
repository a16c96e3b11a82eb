import { createHash } from "node:crypto"
import { join } from "node:path"
import { readBounded, readTextBounded } from "#ground/base"
import { LARGEST_GIT_CONFIG_BYTES, LARGEST_HASHED_BYTES } from "../limits.ts"

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

/** A repository has ids of one length; its config, which lies beside the state, says which. */
export async function hashFormatIn(stateDirectory: string): Promise<HashFormat> {
  const file = join(stateDirectory, "..", "config")
  const read = await readTextBounded(file, { maxBytes: LARGEST_GIT_CONFIG_BYTES })
  const isLong = read.kind === "read" && /^\s*objectformat\s*=\s*sha256\b/im.test(read.text)
  return isLong ? "sha256" : "sha1"
}
