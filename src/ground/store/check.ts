import type { Cursor } from "#ground/contract"
import type { Driver } from "./driver.ts"
import { RowUnexpected, StoreCorrupt } from "./errors.ts"
import type { Journal } from "./journal.ts"
import { MAX_JOURNAL_PAGE } from "./limits.ts"

export type StoreFindings = {
  /** Entries of the journal whose checksum was compared. */
  checkedEvents: number
  /** What is wrong, in words; empty when the store is sound. */
  findings: readonly string[]
}

/** Reads everything once. It reports damage instead of throwing, because that is its answer. */
export async function checkStore(
  deps: { driver: Driver; journal: Journal },
  signal?: AbortSignal,
): Promise<StoreFindings> {
  const findings: string[] = []
  const note = async <Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> => {
    try {
      return await ask()
    } catch (error) {
      const isDamage = StoreCorrupt.is(error) || RowUnexpected.is(error)
      if (!isDamage) throw error
      findings.push(error.message)
      return undefined
    }
  }

  findings.push(...((await note(() => deps.driver.findDamage("full"))) ?? []))
  let checkedEvents = 0
  let after: Cursor | undefined
  for (;;) {
    signal?.throwIfAborted()
    const page = await note(() => deps.journal.read({ after, limit: MAX_JOURNAL_PAGE }))
    if (page?.kind !== "entries") break
    checkedEvents += page.entries.length
    after = page.next
    if (page.entries.length < MAX_JOURNAL_PAGE) break
  }
  return { checkedEvents, findings }
}
