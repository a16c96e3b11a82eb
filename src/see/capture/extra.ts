import path from "node:path"
import type { SearchedPath } from "#ground/contract"
import { type Disk, type Found, globMatcher } from "#see/hosts"
import { EXTRA_FILE_LIMIT_BYTES, MOST_EXTRA_FILES } from "./limits.ts"

type Extra = { readonly items: readonly Found[]; readonly searched: readonly SearchedPath[] }

/** Files a person wants to see beside a host's own; they stay inside the working directory. */
export async function findExtra(
  patterns: string,
  from: { readonly workingDirectory: string; readonly disk: Disk },
  listFiles: (folder: string) => Promise<readonly string[] | undefined>,
): Promise<Extra> {
  const wanted = patterns.split(",").flatMap((it) => (it.trim() === "" ? [] : [it.trim()]))
  if (wanted.length === 0) return { items: [], searched: [] }
  const matchers = wanted.map((it) => globMatcher(it))
  const files = (await listFiles(from.workingDirectory)) ?? []
  const isWanted = (file: string) => matchers.some((isMatch) => isMatch(file))
  const items: Found[] = []
  for (const file of files.filter(isWanted).slice(0, MOST_EXTRA_FILES)) {
    const found = await readExtra(path.join(from.workingDirectory, file), from.disk)
    if (found !== undefined) items.push(found)
  }
  const missing = wanted.filter((_, index) => !files.some((it) => matchers[index]?.(it)))
  return {
    items,
    searched: [
      ...items.map((it) => ({ path: it.path, source: SOURCE, outcome: "found" as const })),
      ...missing.map((it) => ({
        path: path.join(from.workingDirectory, it),
        source: SOURCE,
        outcome: "missing" as const,
      })),
    ],
  }
}

const SOURCE = "extra"

async function readExtra(file: string, disk: Disk): Promise<Found | undefined> {
  const read = await disk.read(file, { maxBytes: EXTRA_FILE_LIMIT_BYTES })
  if (read.kind !== "file") return undefined
  return {
    path: file,
    source: SOURCE,
    priority: 200,
    scope: "project",
    load: "on-demand",
    reason: "Named in capture.extra, not standard",
    kind: "files",
    trust: read.realPath === file ? "project" : "external",
    file: read,
    sent: "",
    frame: "",
    later: read.bytes.toString("utf8"),
  }
}
