import path from "node:path"
import { z } from "zod"
import {
  ensureDirectory,
  parseJson,
  readTextBounded,
  whileLocked,
  writeFileAtomic,
} from "#ground/base"
import { RunnerId, SharedKind } from "#ground/contract"
import { ConnectionsDamaged } from "../errors.ts"

const LARGEST_FILE_BYTES = 1_000_000

const Connection = z.object({
  url: z.string(),
  id: RunnerId,
  shares: z.array(SharedKind),
  contactAt: z.int().nullable(),
})
export type Connection = z.infer<typeof Connection>

/** By root of the repository. In the user's folder: a repository must not bring its own. */
const Connections = z.record(z.string(), Connection)
type Connections = z.infer<typeof Connections>

const fileIn = (home: string): string => path.join(home, "connect.json")

export async function readConnections(home: string): Promise<Connections> {
  const file = fileIn(home)
  const read = await readTextBounded(file, { maxBytes: LARGEST_FILE_BYTES })
  if (read.kind === "missing") return {}
  const parsed = Connections.safeParse(read.kind === "read" ? parseJson(read.text) : undefined)
  if (!parsed.success) throw ConnectionsDamaged({ file })
  return parsed.data
}

/** Undefined removes the entry. */
export async function changeConnection(
  home: string,
  root: string,
  change: (before: Connection | undefined) => Connection | undefined,
): Promise<void> {
  await ensureDirectory(home)
  await whileLocked(fileIn(home), async () => {
    const { [root]: before, ...others } = await readConnections(home)
    const after = change(before)
    const all = after === undefined ? others : { ...others, [root]: after }
    await writeFileAtomic(fileIn(home), `${JSON.stringify(all, null, 2)}\n`)
  })
}
