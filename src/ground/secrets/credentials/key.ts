import { createCipheriv, createDecipheriv, createHash, scrypt } from "node:crypto"
import path from "node:path"
import {
  FileExists,
  linkFile,
  type Random,
  readTextBounded,
  removeFile,
  writeFileAtomic,
} from "#ground/base"
import { CredentialsKeychainLocked, CredentialsKeyMissing, CredentialsLocked } from "./errors.ts"
import type { KeySource } from "./file.ts"
import type { Keychain } from "./keychain.ts"
import { SCRYPT_BLOCK, SCRYPT_COST, SCRYPT_MOST_MEMORY_BYTES } from "./limits.ts"

const SCRYPT_LANES = 1

/** 64 hexadecimal digits and a line end. */
const LARGEST_KEY_FILE_BYTES = 256

type KeyDeps = {
  readonly directory: string
  readonly random: Random
  readonly passphrase?: string | undefined
  readonly keychain?: Keychain | undefined
}

/** From the weakest to the strongest: records move in this direction only. */
const BY_STRENGTH: readonly KeySource["kind"][] = ["key file", "keychain", "passphrase"]

export function isStronger(a: KeySource, b: KeySource): boolean {
  return BY_STRENGTH.indexOf(a.kind) > BY_STRENGTH.indexOf(b.kind)
}

/** Keys of a passphrase or a keychain are cached for this process. */
export function createKeys(deps: KeyDeps) {
  const file = path.join(deps.directory, "credentials.key")
  const bySalt = new Map<string, Promise<Uint8Array>>()
  const byId = new Map<string, Promise<Uint8Array | undefined>>()
  const { keychain } = deps
  const randomId = (): string => Buffer.from(deps.random.bytes(16)).toString("hex")
  return {
    file,
    /** Without touching the keychain: what the next `set` would try first. */
    preferred(): KeySource["kind"] {
      if (deps.passphrase) return "passphrase"
      return keychain === undefined ? "key file" : "keychain"
    },
    async choose(): Promise<KeySource> {
      if (deps.passphrase) {
        return { kind: "passphrase", salt: randomId(), cost: SCRYPT_COST, block: SCRYPT_BLOCK }
      }
      const made =
        keychain === undefined ? undefined : await newInKeychain(keychain, randomId(), deps)
      if (made === undefined) return { kind: "key file" }
      byId.set(made.by.id, Promise.resolve(made.key))
      return made.by
    },
    /** After its records moved to another key. */
    async leave(by: KeySource): Promise<void> {
      if (by.kind === "key file") await removeFile(file)
      if (by.kind === "keychain") await keychain?.remove(by.id)
    },
    /**
     * `isNew` allows creating a key file, which must not happen for an existing store.
     */
    async of(by: KeySource, options: { readonly isNew: boolean }): Promise<Uint8Array> {
      if (by.kind === "key file") {
        return (await readKey(file)) ?? (await firstKey(file, { ...deps, ...options }))
      }
      if (by.kind === "keychain") return keychainKey(by)
      if (!deps.passphrase) {
        throw CredentialsLocked({ path: path.join(deps.directory, "credentials.json") })
      }
      const key = bySalt.get(by.salt) ?? derive(deps.passphrase, by.salt)
      bySalt.set(by.salt, key)
      return key
    },
  }

  async function keychainKey(by: InKeychain): Promise<Uint8Array> {
    const pendingKey =
      byId.get(by.id) ?? keychain?.get(by.id, by.stored) ?? Promise.resolve(undefined)
    byId.set(by.id, pendingKey)
    const key = await pendingKey
    if (key === undefined) {
      byId.delete(by.id)
      const title = keychain?.title ?? "the keychain"
      throw CredentialsKeychainLocked({
        path: path.join(deps.directory, "credentials.json"),
        title,
      })
    }
    return key
  }
}

type InKeychain = Extract<KeySource, { kind: "keychain" }>

/** Read back before it is used: a keychain may accept an item and not return it. */
async function newInKeychain(
  keychain: Keychain,
  id: string,
  { random }: Pick<KeyDeps, "random">,
): Promise<{ readonly by: InKeychain; readonly key: Uint8Array } | undefined> {
  const key = random.bytes(KEY_BYTES)
  const stored = await keychain.put(id, key)
  if (stored === undefined) return undefined
  const back = await keychain.get(id, stored)
  const isSame = back !== undefined && Buffer.from(back).equals(key)
  if (isSame) return { by: { kind: "keychain", id, stored }, key }
  await keychain.remove(id)
  return undefined
}

/** Identifies the key of a store without helping to guess it. */
export function keyIdOf(key: Uint8Array): string {
  return createHash("sha256")
    .update("qm credential key id\0")
    .update(key)
    .digest("hex")
    .slice(0, 16)
}

function derive(passphrase: string, salt: string): Promise<Uint8Array> {
  const options = {
    cost: SCRYPT_COST,
    blockSize: SCRYPT_BLOCK,
    parallelization: SCRYPT_LANES,
    maxmem: SCRYPT_MOST_MEMORY_BYTES,
  }
  // Keyboards may produce different bytes for the same text.
  const typed = passphrase.normalize("NFC")
  return new Promise((resolve, reject) => {
    scrypt(typed, Buffer.from(salt, "hex"), KEY_BYTES, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    )
  })
}

async function readKey(file: string): Promise<Uint8Array | undefined> {
  const outcome = await readTextBounded(file, { maxBytes: LARGEST_KEY_FILE_BYTES })
  if (outcome.kind === "missing") return undefined
  const digits = outcome.kind === "read" ? /^([0-9a-f]{64})\n?$/.exec(outcome.text)?.[1] : undefined
  if (digits !== undefined) return Buffer.from(digits, "hex")
  const reason = outcome.kind === "read" ? "it does not contain a key" : `it is ${outcome.kind}`
  throw CredentialsKeyMissing({ path: file, reason })
}

/** If two processes create the first key at once, the later one uses the key of the earlier. */
async function firstKey(
  file: string,
  { random, isNew }: Pick<KeyDeps, "random"> & { readonly isNew: boolean },
): Promise<Uint8Array> {
  if (!isNew) throw CredentialsKeyMissing({ path: file, reason: "it does not exist" })
  const made = Buffer.from(random.bytes(KEY_BYTES)).toString("hex")
  const draft = `${file}.${Buffer.from(random.bytes(6)).toString("hex")}`
  await writeFileAtomic(draft, `${made}\n`)
  try {
    await linkFile(draft, file)
  } catch (error) {
    if (!FileExists.is(error)) throw error
  } finally {
    await removeFile(draft)
  }
  const key = await readKey(file)
  if (key === undefined) throw CredentialsKeyMissing({ path: file, reason: "it was removed" })
  return key
}

type SealedBytes = {
  readonly nonce: Uint8Array
  readonly ciphertext: Uint8Array
  readonly tag: Uint8Array
}

const KEY_BYTES = 32
export const NONCE_BYTES = 12
const TAG_BYTES = 16

/** AES-256-GCM. The caller must never reuse a nonce with the same key. */
export function seal(
  plain: Uint8Array,
  options: { readonly key: Uint8Array; readonly nonce: Uint8Array; readonly bound: Uint8Array },
): SealedBytes {
  const cipher = createCipheriv("aes-256-gcm", options.key, options.nonce, {
    authTagLength: TAG_BYTES,
  })
  cipher.setAAD(options.bound)
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()])
  return { nonce: options.nonce, ciphertext, tag: cipher.getAuthTag() }
}

export function open(
  sealed: SealedBytes,
  cipher: { readonly key: Uint8Array; readonly bound: Uint8Array },
): Uint8Array | undefined {
  if (sealed.nonce.length !== NONCE_BYTES || sealed.tag.length !== TAG_BYTES) return undefined
  const { key, bound } = cipher
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(bound)
  decipher.setAuthTag(sealed.tag)
  const plain = decipher.update(sealed.ciphertext)
  try {
    return Buffer.concat([plain, decipher.final()])
  } catch {
    // The tag does not match: no decrypted byte may leave.
    plain.fill(0)
    return undefined
  }
}
