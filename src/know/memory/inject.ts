import type { MemoryInjected } from "#ground/contract"
import { blockOf } from "./block.ts"
import type { Catalogue, Load } from "./catalogue.ts"
import { confidenceOf } from "./confidence.ts"
import type { MemoryDeps } from "./deps.ts"
import { isQuarantined, type Kept } from "./entry.ts"
import { MOST_TRIED } from "./limits.ts"
import { countUse } from "./queries.ts"
import { type Ranked, rankMemories } from "./rank.ts"
import { createView } from "./views.ts"

export type Wanted = {
  /** What the work is about. */
  readonly text: string
  readonly budgetTokens: number
  readonly minConfidence: number
  readonly most: number
  /** For looking only: nothing is handed out, and no use is counted. */
  readonly isPreview?: boolean
}

/** What an agent is handed at the beginning of its work, and never more than the budget holds. */
export async function injectMemories(
  wanted: Wanted,
  { deps, load }: { readonly deps: MemoryDeps; readonly load: Load },
): Promise<readonly MemoryInjected[]> {
  if (wanted.most < 1 || wanted.budgetTokens < 1) return []
  const catalogue = await load()
  const candidates = candidatesFor(wanted, catalogue, deps.clock.now())
  if (candidates.length === 0) return []
  const chosen = await fit(candidates, { wanted, catalogue, deps })
  if (wanted.isPreview !== true && chosen.length > 0) await countUses(chosen, deps)
  return chosen
}

/** Those that match and are believed, best first. */
function candidatesFor(
  { text, minConfidence }: Wanted,
  { kept, usesOf }: Catalogue,
  now: number,
): readonly Ranked[] {
  const worth = (it: Ranked) => it.score * believed(it.kept)
  const believed = ({ entry }: Kept) => confidenceOf(entry, usesOf(entry.id))
  return rankMemories(text, kept, now)
    .filter((it) => it.isStrong && isAllowed(it.kept) && believed(it.kept) >= minConfidence)
    .toSorted((a, b) => worth(b) - worth(a))
    .slice(0, MOST_TRIED)
}

function isAllowed({ entry }: Kept): boolean {
  return entry.state !== "superseded" && !isQuarantined(entry)
}

type Fitting = {
  readonly wanted: Wanted
  readonly catalogue: Catalogue
  readonly deps: MemoryDeps
}

/** One that does not fit is skipped, and the next is tried. */
async function fit(
  candidates: readonly Ranked[],
  { wanted, catalogue, deps }: Fitting,
): Promise<readonly MemoryInjected[]> {
  const [view, count] = [await createView(deps), await deps.count()]
  const chosen: MemoryInjected[] = []
  let left = wanted.budgetTokens
  for (const { kept, why } of candidates) {
    if (chosen.length >= wanted.most) break
    const memory = await view(kept, catalogue)
    const { id, kind, title, confidence, state } = memory
    // What was decided is told, with a label, though the code has moved on; the rest may mislead.
    if (state === "stale" && kind !== "decision" && kind !== "rule") continue
    const text = blockOf(memory, deps.random)
    // With the line end that sets it apart from the next one.
    const tokens = count(`${text}\n`)
    if (tokens > left) continue
    left -= tokens
    chosen.push({ id, kind, title, text, tokens, confidence, state, why: [...why()] })
  }
  return chosen
}

async function countUses(
  chosen: readonly MemoryInjected[],
  { db, root, clock }: MemoryDeps,
): Promise<void> {
  const at = clock.now()
  await (await db()).transaction(async (tx) => {
    for (const { id } of chosen) await tx.run(countUse({ root: root(), memory: id, at }))
  })
}
