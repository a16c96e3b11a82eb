import path from "node:path"
import { z } from "zod"
import {
  type Clock,
  ensureDirectory,
  parseJson,
  readBounded,
  whileLocked,
  writeFileAtomic,
} from "#ground/base"
import type { WasteFinding } from "#ground/contract"
import { WasteUnknown } from "../errors.ts"

const MAX_BYTES = 1024 * 1024
/** The oldest are forgotten first; their findings are then open again. */
const MOST_DISMISSED = 1_000

const Stored = z.array(z.object({ id: z.string(), at: z.int() }))
type Stored = z.infer<typeof Stored>

type DismissedDeps = { readonly folder: string; readonly clock: Clock }

/** Ids of the findings that a person does not want to see, in one file of the repository's store. */
export function createDismissedFindings({ folder, clock }: DismissedDeps) {
  const file = path.join(folder, "dismissed.json")

  async function read(): Promise<Stored> {
    const content = await readBounded(file, { maxBytes: MAX_BYTES })
    const parsed = Stored.safeParse(
      content.kind === "read" ? parseJson(content.bytes.toString()) : [],
    )
    return parsed.success ? parsed.data : []
  }

  async function change(edit: (all: Stored) => Stored): Promise<void> {
    await ensureDirectory(folder)
    await whileLocked(path.join(folder, "dismissed"), async () => {
      const remaining = edit(await read()).slice(-MOST_DISMISSED)
      await writeFileAtomic(file, JSON.stringify(remaining), { mode: 0o600 })
    })
  }

  return {
    async split(findings: readonly WasteFinding[]) {
      const ids = new Set((await read()).map((it) => it.id))
      return {
        findings: findings.filter((it) => !ids.has(it.id)),
        dismissed: findings.filter((it) => ids.has(it.id)),
      }
    },

    async dismiss(id: string): Promise<void> {
      if (!/^[0-9a-f]{8}$/.test(id)) throw WasteUnknown({ id })
      await change((all) => [...all.filter((it) => it.id !== id), { id, at: clock.now() }])
    },

    async restore(id: string): Promise<void> {
      if (!(await read()).some((it) => it.id === id)) throw WasteUnknown({ id })
      await change((all) => all.filter((it) => it.id !== id))
    },
  }
}
