import path from "node:path"
import {
  ensureDirectory,
  FileExists,
  linkFile,
  type Random,
  readTextBounded,
  removeFile,
  statFile,
  writeFileAtomic,
} from "#ground/base"
import { TokenFileUnusable } from "../errors.ts"

/** A token has 43 characters. */
const TOKEN_FILE_LIMIT_BYTES = 1_000

const TOKEN_FORM = /^[A-Za-z0-9_-]{43}$/

/** The user's token: 256 bits, in a file that only the user can read. Created at first use. */
export async function readOrMakeToken(home: string, random: Random): Promise<string> {
  const file = path.join(home, "token")
  const outcome = await readTextBounded(file, { maxBytes: TOKEN_FILE_LIMIT_BYTES })
  if (outcome.kind === "missing") {
    await makeToken(file, random)
    return readOrMakeToken(home, random)
  }
  if (outcome.kind !== "read") throw TokenFileUnusable({ path: file, problem: outcome.kind })
  const token = outcome.text.trim()
  if (!TOKEN_FORM.test(token))
    throw TokenFileUnusable({ path: file, problem: "it contains no token" })
  const found = await statFile(file)
  const isOpen = found.kind === "found" && (found.stat.mode & 0o077) !== 0
  if (isOpen && process.platform !== "win32") {
    throw TokenFileUnusable({ path: file, problem: "other users can read it" })
  }
  return token
}

/**
 * Written under a temporary name and linked: of two processes one wins, and both read its token.
 */
async function makeToken(file: string, random: Random): Promise<void> {
  await ensureDirectory(path.dirname(file))
  const draft = `${file}.${Buffer.from(random.bytes(8)).toString("hex")}`
  await writeFileAtomic(draft, `${Buffer.from(random.bytes(32)).toString("base64url")}\n`)
  try {
    await linkFile(draft, file)
  } catch (error) {
    if (!FileExists.is(error)) throw error
  } finally {
    await removeFile(draft)
  }
}
