import { join } from "node:path"
import {
  ensureDirectory,
  isRecord,
  type JsonRecord,
  readTextBounded,
  writeFileAtomic,
} from "#ground/base"
import { digest } from "#know/ledger"
import { enrolledRepository } from "../judge.ts"

type NoteContext = { readonly directory: string; readonly home: string }

const BRANCH = /^br_[0-9a-f]{32}$/

/**
 * `qm-hook note`: writes what the plugin of opencode knows into the state of the repository, for the
 * processes of qm, and answers with the salt of receipts. Silent where the repository is not enrolled.
 * `reader` is a session whose agent has `read_handle`; `fold` says which open branches of a session
 * can be folded; `trail` has the steps that were removed for a branch.
 */
export async function writeNote(note: JsonRecord, it: NoteContext): Promise<string> {
  const { directory, home } = it
  const repository = await enrolledRepository(directory)
  if (repository === undefined) return ""
  const { reader, fold, trail } = note
  const folder = join(repository.stateDirectory, "results")
  const write = async (name: string, value: unknown): Promise<void> => {
    await ensureDirectory(folder)
    const text = value === undefined ? "" : JSON.stringify(value).toWellFormed()
    await writeFileAtomic(join(folder, name), text, { mode: 0o600 })
  }
  if (typeof reader === "string") await write(`reader-${digest(reader)}`, undefined)
  if (isRecord(fold) && typeof fold["session"] === "string")
    await write(`fold-${digest(fold["session"])}`, fold)
  const branch = isRecord(trail) ? String(trail["branchId"]) : ""
  if (BRANCH.test(branch)) await write(`${branch}.json`, trail)
  const read = await readTextBounded(join(home, "redaction-salt"), { maxBytes: 200 })
  const salt = read.kind === "read" ? read.text.trim() : ""
  return `${JSON.stringify({ isEnrolled: true, salt })}\n`
}
