import { createHash } from "node:crypto"

/** Which bytes these are. */
export function digest(bytes: string | Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex")
}
