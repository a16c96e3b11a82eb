import path from "node:path"
import {
  ensureDirectory,
  isAppError,
  type Log,
  type Random,
  readTextBounded,
  writeFileAtomic,
} from "#ground/base"
import { SALT_LIMIT_BYTES } from "../limits.ts"

/**
 * What makes the digits of a redaction this person's own. It is kept, so that a text of yesterday
 * and the same text of today are equal; where it cannot be, it holds for this process.
 */
export async function readSalt(
  home: string,
  deps: { readonly random: Random; readonly log: Log },
): Promise<string> {
  const file = path.join(home, "redaction-salt")
  const kept = await readTextBounded(file, { maxBytes: SALT_LIMIT_BYTES })
  const known = kept.kind === "read" ? /^[0-9a-f]{64}$/.exec(kept.text.trim())?.[0] : undefined
  if (known !== undefined) return known
  const made = Buffer.from(deps.random.bytes(32)).toString("hex")
  try {
    await ensureDirectory(home)
    await writeFileAtomic(file, `${made}\n`)
  } catch (error) {
    if (!isAppError(error)) throw error
    deps.log.debug("salt not kept", { code: error.code })
  }
  return made
}
