import path from "node:path"
import { z } from "zod"
import {
  type Clock,
  ensureDirectory,
  isAppError,
  type Log,
  parseJson,
  readTextBounded,
  whileLocked,
  writeFileAtomic,
} from "#ground/base"
import { SourceHealth, SourceSlug } from "#ground/contract"

const LARGEST_STATUS_BYTES = 4_000_000

/** Sources of all repositories; the oldest are forgotten. */
const MOST_STATUSES = 500

/** An unchanged state is written again after this time, so that its age stays true. */
const REWRITE_MS = 60_000

const SourceStatus = z.object({
  slug: SourceSlug,
  digest: z.string().max(100),
  health: SourceHealth,
  problem: z.string().max(2_000).nullable(),
  tools: z.array(z.string().max(200)).max(500).nullable(),
  checkedAt: z.int(),
})
type SourceStatus = z.infer<typeof SourceStatus>

const StatusFile = z.object({ version: z.literal(1), sources: z.array(SourceStatus) })

type StatusDeps = { readonly clock: Pick<Clock, "now">; readonly log: Log }

/**
 * The last state of each source, for processes that have not called it. It is a cache: an unusable
 * file is replaced, and a failed write costs nothing but the memory of it.
 */
export function createStatuses(file: string, { clock, log }: StatusDeps) {
  const written = new Map<string, SourceStatus>()

  async function read(): Promise<readonly SourceStatus[]> {
    const outcome = await readTextBounded(file, { maxBytes: LARGEST_STATUS_BYTES })
    const parsed = StatusFile.safeParse(
      outcome.kind === "read" ? parseJson(outcome.text) : undefined,
    )
    return parsed.success ? parsed.data.sources : []
  }

  return {
    read,
    async put(status: Omit<SourceStatus, "checkedAt">): Promise<void> {
      const { slug, digest } = status
      const next = { ...status, checkedAt: clock.now() }
      const last = written.get(slug)
      const isKnown = last !== undefined && isSame(last, next)
      if (isKnown && next.checkedAt - last.checkedAt < REWRITE_MS) return
      written.set(slug, next)
      try {
        await ensureDirectory(path.dirname(file))
        await whileLocked(file, async () => {
          const others = (await read()).filter((it) => it.slug !== slug || it.digest !== digest)
          const sources = [...others, next].slice(-MOST_STATUSES)
          await writeFileAtomic(file, `${JSON.stringify({ version: 1, sources })}\n`)
        })
      } catch (error) {
        if (!isAppError(error)) throw error
        log.warn("the state of a source could not be stored", { slug, code: error.code })
      }
    },
  }
}

function isSame(a: SourceStatus, b: SourceStatus): boolean {
  const { checkedAt: _, ...one } = a
  const { checkedAt: __, ...other } = b
  return JSON.stringify(one) === JSON.stringify(other)
}
