import { giveOthersATurn } from "#ground/base"
import type {
  Branch,
  FoldList,
  FoldSearch,
  FoldShow,
  FoldTree,
  OperationInput,
} from "#ground/contract"
import type { Db } from "#ground/store"
import { FoldNotFound } from "./errors.ts"
import { ARCHIVED_AFTER_MS, MOST_SEARCHED_BRANCHES, MOST_TREE_BRANCHES } from "./limits.ts"
import { around, hasWords, linesOf, wordsOf } from "./lines.ts"
import { selectTrail, selectWholeTrail } from "./queries.ts"
import { stepText } from "./read.ts"
import { BranchRow, branchOf, CountRow, TrailRow, WholeTrailRow } from "./rows.ts"
import { drainAllSpools } from "./spool-charge.ts"
import { endWhatIsOverdue } from "./status.ts"
import { countActive, countBranches, selectBranch, selectBranches } from "./view-queries.ts"
import { type FoldDeps, isBranchId } from "./world.ts"

type Viewing = FoldDeps & { onEnded(): void }

/** Whoever looks ends what is overdue. A store that cannot be written is no reason to show nothing. */
async function openView(deps: Viewing): Promise<Db<"fold">> {
  const db = await deps.db()
  await drainAllSpools(deps).catch((error: unknown) => {
    deps.log.warn("what hooks left is not charged", { error })
  })
  await endWhatIsOverdue(deps, db).catch((error: unknown) => {
    deps.log.warn("branches that are overdue are shown as open", { error })
  })
  return db
}

/** What a person sees: all sessions of this repository. */
export async function listBranches(
  deps: Viewing,
  input: OperationInput<"fold.list">,
): Promise<FoldList> {
  const db = await openView(deps)
  const root = deps.root()
  const branches = await find(deps, { ...input, limit: input.limit ?? 100 })
  return {
    branches: [...branches],
    active: (await db.get(CountRow, countActive(root)))?.count ?? 0,
    total: (await db.get(CountRow, countBranches(root)))?.count ?? 0,
    tokensKeptOut: branches.reduce((sum, it) => sum + it.tokensKeptOut, 0),
  }
}

type Asked = {
  readonly all?: boolean | undefined
  readonly session?: string | undefined
  readonly limit: number
}

async function find(deps: Viewing, { all, session, limit }: Asked): Promise<readonly Branch[]> {
  const db = await deps.db()
  const now = deps.clock.now()
  const finishedSince = all === true ? undefined : now - ARCHIVED_AFTER_MS
  const asked = { root: deps.root(), session, finishedSince, limit }
  const rows = await db.all(BranchRow, selectBranches(asked))
  return rows.map((it) => branchOf(it, now))
}

export async function treeOfBranches(
  deps: Viewing,
  input: OperationInput<"fold.tree">,
): Promise<FoldTree> {
  await openView(deps)
  const branches = await find(deps, { ...input, limit: MOST_TREE_BRANCHES })
  const bySession = Map.groupBy(branches, (it) => it.sessionId)
  return {
    sessions: [...bySession].map(([sessionId, newestFirst]) => {
      const ofSession = newestFirst.toReversed()
      return {
        sessionId,
        client: newestFirst.find((it) => it.client !== null)?.client ?? null,
        startedAt: Math.min(...ofSession.map((it) => it.createdAt)),
        budgetUsed: ofSession.reduce((sum, it) => sum + it.budgetUsed, 0),
        tokensKeptOut: ofSession.reduce((sum, it) => sum + it.tokensKeptOut, 0),
        branches: inTreeOrder(ofSession),
      }
    }),
  }
}

/** Each followed by its children; one whose parent is not among them stands at the top. */
function inTreeOrder(oldestFirst: readonly Branch[]): Branch[] {
  const known = new Set(oldestFirst.map((it) => it.id))
  const topOf = (it: Branch): string => (known.has(it.parentId ?? "") ? (it.parentId ?? "") : "")
  const byParent = Map.groupBy(oldestFirst, topOf)
  const below = (parent: string): Branch[] =>
    (byParent.get(parent) ?? []).flatMap((it) => [it, ...below(it.id)])
  return below("")
}

export async function showBranch(deps: Viewing, id: string): Promise<FoldShow> {
  const db = await openView(deps)
  const row = await findBranch(db, deps.root(), id)
  const trail = await db.all(TrailRow, selectTrail(id))
  return { branch: branchOf(row, deps.clock.now()), trail }
}

export async function findBranch(db: Db<"fold">, root: string, id: string): Promise<BranchRow> {
  const row = isBranchId(id) ? await db.get(BranchRow, selectBranch(root, id)) : undefined
  if (row === undefined) throw FoldNotFound({})
  return row
}

/** Lines of trails that have all the words, the newest branches first, a line a step. */
export async function searchTrails(
  deps: Viewing,
  input: OperationInput<"fold.search">,
): Promise<FoldSearch> {
  const db = await deps.db()
  const words = wordsOf(input.words)
  const limit = input.limit ?? 20
  const branches = await find(deps, { all: true, limit: MOST_SEARCHED_BRANCHES })
  const found: FoldSearch["found"] = []
  let searched = 0
  for (const branch of words.length === 0 ? [] : branches) {
    if (found.length >= limit) break
    searched++
    const trail = await db.all(WholeTrailRow, selectWholeTrail(branch.id))
    found.push(...trail.flatMap((step) => foundIn(step, branch, words)))
    await giveOthersATurn()
  }
  return { found: found.slice(0, limit), searched }
}

function foundIn(
  step: WholeTrailRow,
  { id: branchId, description }: Branch,
  words: readonly string[],
): FoldSearch["found"] {
  const line = linesOf(stepText(step))
    .slice(1)
    .find((it) => hasWords(it, words))
  if (line === undefined) return []
  const { seq, at, kind, tool } = step
  return [{ branchId, description, seq, at, kind, tool, line: around(line, words) }]
}
