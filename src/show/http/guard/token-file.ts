import path from "node:path"
import {
  ensureDirectory,
  FileExists,
  type FileStat,
  linkFile,
  openFolder,
  type Random,
  readTextBounded,
  removeFile,
  statNow,
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
  const problem = problemOf(token, outcome.stat)
  if (problem !== undefined) throw TokenFileUnusable({ path: file, problem })
  return token
}

function problemOf(token: string, stat: FileStat): string | undefined {
  if (!TOKEN_FORM.test(token)) return "it contains no token"
  const isOpen = (stat.mode & 0o077) !== 0 && process.platform !== "win32"
  return isOpen ? "other users can read it" : undefined
}

/**
 * The token in the file at the moment of the call, or undefined if the file is missing or invalid.
 * Synchronous, because the guard decides before it reads a request. The file is read again only if
 * its stat changed.
 */
export function createTokenReader(home: string): () => string | undefined {
  const file = path.join(home, "token")
  let identity = ""
  let token: string | undefined
  return () => {
    const stat = statNow(file)
    const current = stat === undefined ? "" : Object.values(stat).join(" ")
    if (current !== identity) token = stat === undefined ? undefined : readTokenNow(home)
    identity = current
    return token
  }
}

function readTokenNow(home: string): string | undefined {
  const opened = openFolder(home)
  if (opened.kind !== "open") return undefined
  using folder = opened.folder
  const outcome = folder.read("token", { maxBytes: TOKEN_FILE_LIMIT_BYTES })
  if (outcome.kind !== "read") return undefined
  const token = outcome.bytes.toString().trim()
  return problemOf(token, outcome.stat) === undefined ? token : undefined
}

/** Every cookie, client token and link is derived from the token, so a new one ends them all. */
export async function replaceToken(home: string, random: Random): Promise<string> {
  await ensureDirectory(home)
  const token = newToken(random)
  await writeFileAtomic(path.join(home, "token"), `${token}\n`)
  return token
}

function newToken(random: Random): string {
  return Buffer.from(random.bytes(32)).toString("base64url")
}

/**
 * Written under a temporary name and linked: of two processes one wins, and both read its token.
 */
async function makeToken(file: string, random: Random): Promise<void> {
  await ensureDirectory(path.dirname(file))
  const draft = `${file}.${Buffer.from(random.bytes(8)).toString("hex")}`
  await writeFileAtomic(draft, `${newToken(random)}\n`)
  try {
    await linkFile(draft, file)
  } catch (error) {
    if (!FileExists.is(error)) throw error
  } finally {
    await removeFile(draft)
  }
}
