import path from "node:path"
import {
  type Clock,
  compareText,
  ensureDirectory,
  isAppError,
  parseJsonRecord,
  type Random,
  statFile,
  withFileLock,
} from "#ground/base"
import { type Credentials as CredentialList, CredentialName } from "#ground/contract"
import {
  CredentialDamaged,
  CredentialInvalid,
  CredentialsBusy,
  CredentialsWrongKey,
  CredentialUnknown,
} from "./errors.ts"
import {
  type CredentialFile,
  FILE_VERSION,
  type KeySource,
  readFile,
  type SealedRecord,
  writeFile,
} from "./file.ts"
import { createKeys, isStronger, keyIdOf, NONCE_BYTES, open, seal } from "./key.ts"
import type { Keychain } from "./keychain.ts"
import { MOST_CREDENTIALS } from "./limits.ts"

const LOCK_TRY_MS = 50

/** A write takes milliseconds, or a second if a key is derived; 30 s is enough for many writers. */
const LOCK_TRIES = 600

/** More than any service's key; a private key in PEM has under 4,000. */
const LONGEST_VALUE_CHARACTERS = 20_000

export type CredentialDeps = {
  readonly directory: string
  readonly clock: Pick<Clock, "now" | "sleep">
  readonly random: Random
  readonly passphrase?: string | undefined
  /** Of the operating system; without one a key file is used. */
  readonly keychain?: Keychain | undefined
}

export type Credentials = ReturnType<typeof createCredentials>

export function createCredentials(deps: CredentialDeps) {
  const file = path.join(deps.directory, "credentials.json")
  const room: Room = { ...deps, file, keys: createKeys(deps) }
  const inTurn = createTurns()
  const lock = path.join(deps.directory, "credentials.lock")
  const turns = { ...deps, tries: LOCK_TRIES, tryMs: LOCK_TRY_MS, busy: CredentialsBusy }
  const locked = (work: () => Promise<void>) => inTurn(() => withFileLock(lock, turns, work))
  return {
    async set(name: string, value: string): Promise<void> {
      check(name, value)
      await ensureDirectory(deps.directory)
      await locked(() => set(name, value, room))
    },
    async remove(name: string): Promise<void> {
      // Without a store no folder is created for the lock.
      if ((await recordOf(name, file)) === undefined) throw CredentialUnknown({ name })
      await locked(() => remove(name, room))
    },
    use: (name: string): Promise<string | undefined> => use(name, room),
    async known(): Promise<readonly string[]> {
      try {
        const names = Object.keys((await readFile(file))?.records ?? {})
        const values = await Promise.allSettled(names.map((name) => use(name, room)))
        return values.flatMap((it) =>
          it.status === "fulfilled" && it.value !== undefined ? secretsIn(it.value) : [],
        )
      } catch (error) {
        if (!isAppError(error)) throw error
        return []
      }
    },
    list: (): Promise<CredentialList> => list(room),
  }
}

/** Shorter texts of a structure are names such as `Bearer`, not secrets. */
const SHORTEST_SECRET_CHARACTERS = 16

/** A stored sign-in is a JSON object; texts show its tokens, never the object itself. */
function secretsIn(value: string): readonly string[] {
  const record = value.startsWith("{") ? parseJsonRecord(value) : undefined
  if (record === undefined) return [value]
  return [value, ...textsIn(record).filter((it) => it.length >= SHORTEST_SECRET_CHARACTERS)]
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return URL.canParse(value) ? [] : [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : []
}

type Room = CredentialDeps & {
  readonly file: string
  readonly keys: ReturnType<typeof createKeys>
}

type UnlockedStore = { readonly store: CredentialFile; readonly key: Uint8Array }

async function unlock({ file, keys }: Room): Promise<UnlockedStore> {
  const stored = await readFile(file)
  const isNew = stored === undefined || Object.keys(stored.records).length === 0
  const by = isNew ? await keys.choose() : stored.by
  const key = await keys.of(by, { isNew })
  if (isNew) return { store: emptyStore(by, key), key }
  if (stored.keyId !== keyIdOf(key)) throw CredentialsWrongKey({ path: file, by: by.kind })
  return { store: stored, key }
}

async function set(name: string, value: string, room: Room): Promise<void> {
  const unlocked = await unlock(room)
  // The replaced record need not be readable: setting it again repairs damage.
  const { store, key } = await moveToStronger(without(name, unlocked), room)
  if (Object.keys(store.records).length >= MOST_CREDENTIALS) {
    throw CredentialInvalid({
      name,
      reason: `there are already ${MOST_CREDENTIALS} credentials, which is the limit`,
    })
  }
  const record = sealed({ name, value, setAt: room.clock.now() }, { key, random: room.random })
  await writeFile(room.file, { ...store, records: { ...store.records, [name]: record } })
  const { by } = unlocked.store
  if (by.kind === store.by.kind) return
  await readBack(name, value, room)
  await room.keys.leave(by)
}

/** The earlier key is removed only after the new records were read back. */
async function readBack(name: string, value: string, room: Room): Promise<void> {
  const { store, key } = await unlock(room)
  const record = ownRecord(store, name)
  if (record === undefined || opened(name, record, key) !== value) throw CredentialDamaged({ name })
}

function without(name: string, { store, key }: UnlockedStore): UnlockedStore {
  const { [name]: _, ...records } = store.records
  return { store: { ...store, records }, key }
}

async function remove(name: string, { file }: Room): Promise<void> {
  const store = await readFile(file)
  if (store === undefined || ownRecord(store, name) === undefined) {
    throw CredentialUnknown({ name })
  }
  const { [name]: _, ...records } = store.records
  await writeFile(file, { ...store, records })
}

async function use(name: string, room: Room): Promise<string | undefined> {
  if ((await recordOf(name, room.file)) === undefined) return undefined
  const { store, key } = await unlock(room)
  const record = ownRecord(store, name)
  return record === undefined ? undefined : opened(name, record, key)
}

async function recordOf(name: string, file: string): Promise<SealedRecord | undefined> {
  const store = await readFile(file)
  return store === undefined ? undefined : ownRecord(store, name)
}

/**
 * `constructor` and other inherited names are not records.
 */
function ownRecord({ records }: CredentialFile, name: string): SealedRecord | undefined {
  return Object.hasOwn(records, name) ? records[name] : undefined
}

async function list({ file, keys }: Room): Promise<CredentialList> {
  const store = await readFile(file)
  const records = Object.entries(store?.records ?? {})
  const keptBy = store === undefined || records.length === 0 ? keys.preferred() : store.by.kind
  return {
    credentials: records
      .map(([name, { setAt }]) => ({ name, setAt }))
      .toSorted((a, b) => compareText(a.name, b.name)),
    keptBy,
    warning: keptBy === "key file" ? await warningOf(keys.file) : null,
  }
}

const WARNING =
  "The key is in a file beside the credentials. This protects a copy or backup of one of the two files, " +
  "not against a program that runs as you. Set QM_PASSPHRASE to use a passphrase instead."

async function warningOf(keyFile: string): Promise<string> {
  const fileStat = await statFile(keyFile)
  const isOpen = fileStat.kind === "found" && (fileStat.stat.mode & 0o077) !== 0
  return isOpen
    ? `${WARNING} Other users can read the key file: set its mode to 600 and set the credentials again.`
    : WARNING
}

function check(name: string, value: string): void {
  if (!CredentialName.safeParse(name).success) {
    throw CredentialInvalid({ name, reason: "its name may contain only a-z, 0-9, dots and dashes" })
  }
  const reason = wrongWith(value)
  if (reason !== undefined) throw CredentialInvalid({ name, reason })
}

function wrongWith(value: string): string | undefined {
  if (value.trim() === "") return "the value is empty"
  if (value.length > LONGEST_VALUE_CHARACTERS)
    return `the value has ${value.length} characters; the limit is ${LONGEST_VALUE_CHARACTERS}`
  // The value goes into headers and environments, where a NUL or a lone surrogate would truncate or
  // change it.
  if (value.includes("\0") || !value.isWellFormed()) return "the value contains binary data"
  return undefined
}

function emptyStore(by: KeySource, key: Uint8Array): CredentialFile {
  return { version: FILE_VERSION, by, keyId: keyIdOf(key), records: {} }
}

/** A record opens only with its own name, time and file version. */
function boundTo(name: string, setAt: number): Uint8Array {
  return Buffer.from(JSON.stringify(["qm credential", FILE_VERSION, name, setAt]))
}

function sealed(
  { name, value, setAt }: { readonly name: string; readonly value: string; readonly setAt: number },
  { key, random }: { readonly key: Uint8Array; readonly random: Random },
): SealedRecord {
  const nonce = random.bytes(NONCE_BYTES)
  const made = seal(Buffer.from(value), { key, nonce, bound: boundTo(name, setAt) })
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")
  return { setAt, nonce: hex(nonce), sealed: hex(made.ciphertext), tag: hex(made.tag) }
}

function opened(name: string, record: SealedRecord, key: Uint8Array): string {
  const bytes = (text: string) => Buffer.from(text, "hex")
  const sealedRecord = {
    nonce: bytes(record.nonce),
    ciphertext: bytes(record.sealed),
    tag: bytes(record.tag),
  }
  const plain = open(sealedRecord, { key, bound: boundTo(name, record.setAt) })
  if (plain === undefined) throw CredentialDamaged({ name })
  return Buffer.from(plain).toString("utf8")
}

/** Records of a key file move to a keychain, and those of both to a passphrase. */
async function moveToStronger({ store, key }: UnlockedStore, deps: Room): Promise<UnlockedStore> {
  if (store.by.kind === deps.keys.preferred()) return { store, key }
  const by = await deps.keys.choose()
  if (!isStronger(by, store.by)) return { store, key }
  const newKey = await deps.keys.of(by, { isNew: true })
  const records = Object.entries(store.records).map(([name, record]) => {
    const value = opened(name, record, key)
    const moved = { name, value, setAt: record.setAt }
    return [name, sealed(moved, { key: newKey, random: deps.random })] as const
  })
  return { store: { ...emptyStore(by, newKey), records: Object.fromEntries(records) }, key: newKey }
}

function createTurns() {
  let last: Promise<unknown> = Promise.resolve()
  return function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = last.then(work)
    last = mine.catch(() => {})
    return mine
  }
}
