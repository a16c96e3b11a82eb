import { join } from "node:path"
import {
  ensureDirectory,
  FileDirectoryMissing,
  isRecord,
  parseJson,
  readTextBounded,
  writeFileAtomic,
} from "#ground/base"
import { digest } from "#know/ledger"

/** One object of a few numbers. */
const LARGEST_FILE_BYTES = 1_024

type SessionCache = {
  readonly session: string
  /** When the provider drops the cached start of the conversation. */
  readonly expiresAt: number
  /** Tokens that the next request then writes to the cache again. */
  readonly tokens: number
  /** Tokens of old tool results that the gateway could mask. */
  readonly maskableTokens: number
}

/** The gateway writes it after each answer; a status line cannot open its store. */
export async function noteSessionCache(
  { session, ...facts }: SessionCache,
  stateDirectory: string,
): Promise<void> {
  const { folder, file } = placeOf(stateDirectory, session)
  const text = JSON.stringify(facts)
  try {
    await writeFileAtomic(file, text)
  } catch (error) {
    if (!FileDirectoryMissing.is(error)) throw error
    await ensureDirectory(folder)
    await writeFileAtomic(file, text)
  }
}

/** Undefined for a session that the gateway has not seen. */
export async function readSessionCache(
  session: string,
  stateDirectory: string,
): Promise<Omit<SessionCache, "session"> | undefined> {
  const { file } = placeOf(stateDirectory, session)
  const outcome = await readTextBounded(file, { maxBytes: LARGEST_FILE_BYTES })
  const value = outcome.kind === "read" ? parseJson(outcome.text) : undefined
  if (!isRecord(value)) return undefined
  const { expiresAt, tokens, maskableTokens } = value
  const isUsable = Number.isSafeInteger(expiresAt) && Number.isSafeInteger(tokens)
  if (!isUsable) return undefined
  const maskable = Number.isSafeInteger(maskableTokens) ? Number(maskableTokens) : 0
  return { expiresAt: Number(expiresAt), tokens: Number(tokens), maskableTokens: maskable }
}

function placeOf(stateDirectory: string, session: string) {
  const folder = join(stateDirectory, "cache-expiry")
  return { folder, file: join(folder, `${digest(session)}.json`) }
}
