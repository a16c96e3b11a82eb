import { createHash } from "node:crypto"
import { invariant } from "#ground/base"
import { MOST_FENCES } from "../limits.ts"

/**
 * The word that closes every block. It is made from the digest of all that is sent, so that equal
 * packages have equal bytes, and it occurs in none of the texts, so that none can close a block.
 */
export function fenceFor(digest: string, texts: readonly string[]): string {
  for (let attempt = 0; attempt < MOST_FENCES; attempt++) {
    const hash = createHash("sha256").update(`fence ${attempt} ${digest}`).digest("hex")
    const fence = `qm-${hash.slice(0, 6)}`
    if (!texts.some((it) => it.includes(fence))) return fence
  }
  invariant(false, "a fence that does not occur in the text is found in a few tries")
}
