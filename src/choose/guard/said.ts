import { join } from "node:path"
import { createJsonl, ensureDirectory, FileDirectoryMissing, readJsonl } from "#ground/base"
import { digest } from "#know/ledger"
import type { HookEvent, HookWorld } from "./event.ts"
import { LARGEST_SAID_BYTES } from "./limits.ts"

/**
 * True when a session was not told this before; from then on it was. Two hooks at the same moment
 * may both be told yes: it is for words, and what must happen once is decided by the ledger.
 */
export async function markNotified(
  key: readonly string[],
  event: Pick<HookEvent, "session" | "at">,
  { stateDirectory }: Pick<HookWorld, "stateDirectory">,
): Promise<boolean> {
  const folder = join(stateDirectory, "said")
  const file = join(folder, `${digest(event.session)}.jsonl`)
  const name = digest(JSON.stringify(key))
  const { records, warnings } = await readJsonl(file, { maxBytes: LARGEST_SAID_BYTES })
  // A session that was told so much is not told more.
  const isFull = warnings.some((it) => it.kind === "cut_short")
  if (isFull || records.some((it) => it["said"] === name)) return false
  await appendIn(folder, file, { said: name, at: event.at })
  return true
}

/** Makes the folder only where there is none: most of the time there is. */
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
