import { createHmac, timingSafeEqual } from "node:crypto"
import path from "node:path"
import {
  ensureDirectory,
  FileNotWritable,
  isAppError,
  type Log,
  type Random,
  readTextBounded,
  statFile,
  whileLocked,
  writeFileAtomic,
} from "#ground/base"
import { StoreNotWritable } from "#ground/store"
import { StateForeign } from "../errors.ts"
import type { Services } from "../services.ts"

/** 64 digits and a newline. */
const SALT_LIMIT_BYTES = 200

type SaltDeps = Pick<Services, "places" | "random" | "log">

/**
 * Makes the digits of a redaction specific to this user. It is stored, so that the same text has
 * the same redaction tomorrow; where it cannot be stored, it holds for this process.
 */
export async function readSalt(
  home: string,
  deps: { readonly random: Random; readonly log: Log },
): Promise<string> {
  const file = path.join(home, "redaction-salt")
  const salt = await storedSalt(file)
  if (salt !== undefined) return salt
  const made = Buffer.from(deps.random.bytes(32)).toString("hex")
  try {
    await ensureDirectory(home)
    // Two first processes must use one salt: the seal of a state is made with it.
    return await whileLocked(file, async () => {
      const other = await storedSalt(file)
      if (other === undefined) await writeFileAtomic(file, `${made}\n`)
      return other ?? made
    })
  } catch (error) {
    if (!isAppError(error)) throw error
    deps.log.debug("salt not stored", { code: error.code })
  }
  return made
}

async function storedSalt(file: string): Promise<string | undefined> {
  const read = await readTextBounded(file, { maxBytes: SALT_LIMIT_BYTES })
  return read.kind === "read" ? /^[0-9a-f]{64}$/.exec(read.text.trim())?.[0] : undefined
}

/** The key of the receipts by which the gateway and the plugin of opencode recognise our tools. */
export async function receiptKey(deps: SaltDeps): Promise<string> {
  const { receiptKeyOf } = await import("#choose/fold")
  return receiptKeyOf(await readSalt(deps.places().home, deps))
}

const SEAL_LIMIT_BYTES = 1_000
const SEAL_FORM = /^([0-9a-f]{32}) ([0-9a-f]{64})$/

/**
 * Without git the state is in the folder itself, and a downloaded folder could contain queued runs.
 * So it has a seal that requires this user's secret.
 */
export async function refuseForeignState(
  deps: SaltDeps,
  options: { readonly maySeal: boolean } = { maySeal: true },
): Promise<void> {
  const { repository, home, database } = deps.places()
  if (repository.gitCommonDirectory !== undefined) return
  const file = path.join(repository.stateDirectory, "seal")
  const salt = await readSalt(home, deps)
  if (await isSealed(file, salt)) return
  if (!options.maySeal) {
    const store = await statFile(database)
    if (store.kind !== "missing") throw StateForeign({ directory: repository.stateDirectory })
    return
  }
  await ensureDirectory(repository.stateDirectory).catch((error: unknown) => {
    throw FileNotWritable.is(error) ? StoreNotWritable({ path: database }, error) : error
  })
  // A database may appear while another process of this user seals the state.
  await whileLocked(file, async () => {
    if (await isSealed(file, salt)) return
    const store = await statFile(database)
    if (store.kind !== "missing") throw StateForeign({ directory: repository.stateDirectory })
    const id = Buffer.from(deps.random.bytes(16)).toString("hex")
    await writeFileAtomic(file, `${id} ${macOf(id, salt)}\n`)
  })
}

async function isSealed(file: string, salt: string): Promise<boolean> {
  const read = await readTextBounded(file, { maxBytes: SEAL_LIMIT_BYTES })
  const [, id = "", mac = ""] = SEAL_FORM.exec(read.kind === "read" ? read.text.trim() : "") ?? []
  return mac !== "" && timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(id, salt)))
}

function macOf(id: string, salt: string): string {
  return createHmac("sha256", salt).update(`state ${id}`).digest("hex")
}
