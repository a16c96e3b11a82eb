import { join } from "node:path"
import { createJsonl, ensureDirectory, FileDirectoryMissing, readJsonl } from "#ground/base"
import { digest } from "#know/ledger"
import type { HookContext, HookEvent } from "./event.ts"

/** About 15,000 entries. */
const LARGEST_SAID_BYTES = 1024 ** 2

/**
 * True once per session and key. Two simultaneous hooks may both get true, so use it for messages
 * only; the ledger decides what must happen once.
 */
export async function markNotified(
  key: readonly string[],
  event: Pick<HookEvent, "session" | "at">,
  { stateDirectory }: Pick<HookContext, "stateDirectory">,
): Promise<boolean> {
  const folder = join(stateDirectory, "said")
  const file = join(folder, `${digest(event.session)}.jsonl`)
  const name = digest(JSON.stringify(key))
  const { records, warnings } = await readJsonl(file, { maxBytes: LARGEST_SAID_BYTES })
  const isFull = warnings.some((it) => it.kind === "cut_short")
  if (isFull || records.some((it) => it["said"] === name)) return false
  await appendIn(folder, file, { said: name, at: event.at })
  return true
}

export async function appendIn(
  folder: string,
  file: string,
  record: Readonly<Record<string, unknown>>,
): Promise<void> {
  const journal = createJsonl(file, { isDurable: false })
  try {
    await journal.append(record)
  } catch (error) {
    if (!FileDirectoryMissing.is(error)) throw error
    await ensureDirectory(folder)
    await journal.append(record)
  }
}
