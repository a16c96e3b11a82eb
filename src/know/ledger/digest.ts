import { createHash } from "node:crypto"

/**
 * A name for any text that is safe as a file's name on every system. Of UTF-16, because two texts
 * with different halves of a pair would be the same in UTF-8.
 */
export function digest(text: string): string {
  return createHash("sha256").update(text, "utf16le").digest("hex").slice(0, 40)
}
