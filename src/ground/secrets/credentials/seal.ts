import { createCipheriv, createDecipheriv } from "node:crypto"

export type Sealed = {
  readonly nonce: Uint8Array
  readonly ciphertext: Uint8Array
  readonly tag: Uint8Array
}

/** Bytes of a key for AES-256, of the nonce GCM was made for, and of its whole tag. */
export const KEY_BYTES = 32
export const NONCE_BYTES = 12
const TAG_BYTES = 16

/** AES-256-GCM. The nonce is the caller's and may never come twice under one key. */
export function seal(
  plain: Uint8Array,
  given: { readonly key: Uint8Array; readonly nonce: Uint8Array; readonly bound: Uint8Array },
): Sealed {
  const cipher = createCipheriv("aes-256-gcm", given.key, given.nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(given.bound)
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()])
  return { nonce: given.nonce, ciphertext, tag: cipher.getAuthTag() }
}

/** What was sealed, or undefined when anything about it is not as it was. */
export function open(
  sealed: Sealed,
  given: { readonly key: Uint8Array; readonly bound: Uint8Array },
): Uint8Array | undefined {
  if (sealed.nonce.length !== NONCE_BYTES || sealed.tag.length !== TAG_BYTES) return undefined
  const { key, bound } = given
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(bound)
  decipher.setAuthTag(sealed.tag)
  const plain = decipher.update(sealed.ciphertext)
  try {
    return Buffer.concat([plain, decipher.final()])
  } catch {
    // The tag does not fit: nothing of what was decrypted may leave.
    plain.fill(0)
    return undefined
  }
}
