import path from "node:path"
import { applyEdits, type ModificationOptions, modify } from "jsonc-parser"
import { ensureDirectory, readTextBounded, writeFileAtomic } from "#ground/base"
import { ConfigInvalid } from "../errors.ts"
import { CONFIG_FILE_LIMIT_BYTES } from "../limits.ts"
import { sayUnreadable } from "../unreadable.ts"
import { readConfigText } from "./file.ts"

const STYLE: ModificationOptions = {
  formattingOptions: { insertSpaces: true, tabSize: 2, eol: "\n" },
}

/**
 * Write one setting into a config file, or take it out (`undefined`). Comments and everything else
 * in the file stay as they are; a file that is wrong already is not touched. False when there was
 * nothing to take out.
 */
export async function writeSetting(
  { file, isShared }: { file: string; isShared: boolean },
  key: string,
  value: unknown,
): Promise<boolean> {
  const before = await readExisting(file)
  const isThere = readConfigText(file, before).settings.some((it) => it.key === key)
  if (value === undefined && !isThere) return false
  const edits = modify(before, key.split("."), value, STYLE)
  const after = applyEdits(before, edits)
  const { problems } = readConfigText(file, after)
  if (problems.length > 0) throw ConfigInvalid({ problems })
  // A project's file is for everyone who reads the repository; the user's own is not.
  await ensureDirectory(path.dirname(file), { mode: isShared ? 0o755 : 0o700 })
  const text = after.endsWith("\n") ? after : `${after}\n`
  await writeFileAtomic(file, text, { mode: isShared ? 0o644 : 0o600 })
  return true
}

async function readExisting(file: string): Promise<string> {
  const outcome = await readTextBounded(file, { maxBytes: CONFIG_FILE_LIMIT_BYTES })
  if (outcome.kind === "missing") return "{}\n"
  if (outcome.kind !== "read") {
    const message = sayUnreadable(outcome, CONFIG_FILE_LIMIT_BYTES)
    throw ConfigInvalid({ problems: [{ place: file, message }] })
  }
  const { problems } = readConfigText(file, outcome.text)
  if (problems.length > 0) throw ConfigInvalid({ problems })
  return outcome.text.trim() === "" ? "{}\n" : outcome.text
}
