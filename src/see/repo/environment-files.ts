import path from "node:path"
import { listDirectory, readTextBounded } from "#ground/base"

const MOST_ENVIRONMENT_FILES = 20

const ENVIRONMENT_FILE_LIMIT_BYTES = 256 * 1024

export type Assignment = { readonly name: string; readonly value: string }

/** Values that must be recognized elsewhere. Example files are skipped: their values are public. */
export async function readEnvironmentFiles(folder: string): Promise<readonly Assignment[]> {
  const listed = await listDirectory(folder)
  if (listed.kind !== "listed") return []
  const names = listed.entries
    .filter(({ name, what }) => what === "regular file" && isEnvironmentFile(name))
    .slice(0, MOST_ENVIRONMENT_FILES)
  const values = await Promise.all(
    names.map(async ({ name }) => {
      const file = path.join(folder, name)
      const outcome = await readTextBounded(file, { maxBytes: ENVIRONMENT_FILE_LIMIT_BYTES })
      return outcome.kind === "read" ? assignmentsIn(outcome.text) : []
    }),
  )
  return values.flat()
}

function isEnvironmentFile(name: string): boolean {
  return /^\.env(\.|$)/.test(name) && !/\.(example|sample|template|dist)$/.test(name)
}

function assignmentsIn(text: string): Assignment[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [, name, rawValue] = /^\s*(?:export\s+)?([\w.]+)\s*=\s*(.*)/.exec(line) ?? []
    const value = rawValue?.trimEnd().replace(/^(['"])(.*)\1$/, "$2")
    return name === undefined || value === undefined || value === "" ? [] : [{ name, value }]
  })
}
