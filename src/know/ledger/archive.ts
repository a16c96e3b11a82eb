import { join } from "node:path"
import { FileExists, renameFile } from "#ground/base"
import { makeFolders } from "./folders.ts"
import { ARCHIVE_FOLDER, SESSIONS_FOLDER } from "./indices.ts"
import { ARCHIVED_AFTER_DAYS, MOST_UNARCHIVED_SESSIONS } from "./limits.ts"
import { parseSessionName } from "./session-text.ts"

/** Which sessions go to the archive: none while there are few, then all that are old. */
export function archivable(names: readonly string[], now: number): readonly string[] {
  if (names.length <= MOST_UNARCHIVED_SESSIONS) return []
  const first = new Date(now - ARCHIVED_AFTER_DAYS * DAY_MS).toISOString().slice(0, 10)
  return names.filter((it) => (parseSessionName(it)?.day ?? first) < first)
}

const DAY_MS = 24 * 60 * 60_000

/** Moves them, each to the same name; what stands there already is not replaced. */
export async function archive(root: string, names: readonly string[]): Promise<readonly string[]> {
  await makeFolders(root, ARCHIVE_FOLDER)
  const moved: string[] = []
  for (const name of names) {
    const to = `${ARCHIVE_FOLDER}/${name}`
    if (await tryRename(join(root, SESSIONS_FOLDER, name), join(root, to))) moved.push(to)
  }
  return moved
}

async function tryRename(from: string, to: string): Promise<boolean> {
  try {
    return (await renameFile(from, to)).kind === "renamed"
  } catch (error) {
    if (!FileExists.is(error)) throw error
    return false
  }
}
