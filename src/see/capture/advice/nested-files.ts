import path from "node:path"
import type { Disk, Host, HostItem, Survey } from "#see/hosts"

/** More are not read; a monorepo has dozens. */
const MOST_NESTED_FILES = 200

const LARGEST_NESTED_FILE_BYTES = 4 * 1024 * 1024

type NestedPlace = {
  readonly workingDirectory: string
  readonly disk: Disk
  listFiles(folder: string): Promise<readonly string[] | undefined>
}

/** Instruction files below the working directory: the host loads them when it works there. */
export async function findNested(
  { nested }: Host,
  survey: Survey,
  { workingDirectory, disk, listFiles }: NestedPlace,
): Promise<readonly HostItem[]> {
  if (nested === undefined) return []
  const loadedPaths = new Set(survey.items.map((it) => it.file.realPath))
  const files = ((await listFiles(workingDirectory)) ?? []).filter((it) => nested.isInstruction(it))
  const items: HostItem[] = []
  for (const file of files.slice(0, MOST_NESTED_FILES)) {
    const at = path.join(workingDirectory, file)
    const read = await disk.read(at, { maxBytes: LARGEST_NESTED_FILE_BYTES })
    if (read.kind !== "file" || loadedPaths.has(read.realPath)) continue
    items.push({
      path: at,
      source: "nested-memory",
      priority: 100,
      scope: "project",
      load: "on-demand",
      reason: `When the agent works in ${path.dirname(file)}`,
      kind: "instructions",
      trust: read.realPath.startsWith(workingDirectory) ? "project" : "external",
      file: read,
      sent: "",
      frame: "",
      later: await nested.textOf(read.bytes),
    })
  }
  return items
}
