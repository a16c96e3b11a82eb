import path from "node:path"
import { z } from "zod"
import {
  ensureDirectory,
  listDirectory,
  parseJson,
  readTextBounded,
  removeFile,
  whileLocked,
  writeFileAtomic,
} from "#ground/base"
import { Worktree } from "#ground/contract"

const LARGEST_RECORD_BYTES = 1024 ** 2
const MOST_RECORDS = 1_000

const WorktreeRecord = z.object({
  v: z.literal(1),
  name: z.string(),
  path: z.string(),
  branch: z.string(),
  state: z.enum(["creating", "ready", "failed"]),
  baseRef: z.string().nullable(),
  baseCommit: z.string(),
  ticket: z.string().nullable(),
  firstPort: z.int().nullable(),
  ports: z.int(),
  copied: z.array(z.object({ path: z.string(), hash: z.string() })),
  setup: Worktree.shape.setup,
  createdAt: z.int(),
})
export type WorktreeRecord = z.infer<typeof WorktreeRecord>

/** One file per worktree in the state directory, which all worktrees share. */
export function createRegistry(stateDirectory: string) {
  const folder = path.join(stateDirectory, "worktrees")
  const fileOf = (name: string) => path.join(folder, `${name}.json`)

  async function read(name: string): Promise<WorktreeRecord | undefined> {
    const outcome = await readTextBounded(fileOf(name), { maxBytes: LARGEST_RECORD_BYTES })
    if (outcome.kind !== "read") return undefined
    return WorktreeRecord.safeParse(parseJson(outcome.text)).data
  }

  return {
    read,
    async write(record: WorktreeRecord): Promise<void> {
      await ensureDirectory(folder)
      await writeFileAtomic(fileOf(record.name), `${JSON.stringify(record, null, 1)}\n`)
    },
    async remove(name: string): Promise<void> {
      await removeFile(fileOf(name))
    },
    /** By name; a damaged record is left out, and its worktree is listed as foreign. */
    async list(): Promise<readonly WorktreeRecord[]> {
      const listed = await listDirectory(folder, { maxEntries: MOST_RECORDS })
      const names = listed.kind === "listed" ? listed.entries.map((it) => it.name) : []
      const records = await Promise.all(
        names.flatMap((it) => (it.endsWith(".json") ? [read(it.slice(0, -5))] : [])),
      )
      return records.flatMap((it) => it ?? [])
    },
    /** Creating and removing take turns, across processes. */
    async locked<Result>(work: () => Promise<Result>): Promise<Result> {
      await ensureDirectory(folder)
      return whileLocked(path.join(folder, "registry"), work)
    },
  }
}
