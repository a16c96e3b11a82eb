import type { Caller, FoldRead, OperationInput } from "#ground/contract"
import { counterOrRough, type FoldDeps, isBranchId, openCall } from "../deps.ts"
import { FoldNotFound } from "../errors.ts"
import { type BranchOwner, selectBound, selectHandle, selectWholeTrail } from "../queries.ts"
import { BranchRow, HandleRow, WholeTrailRow } from "../rows.ts"
import { drainReplacedResults } from "./keep-trail.ts"
import { linesOf, matchesIn, sliceOf, withoutDigest, wordsOf } from "./lines.ts"

export async function readHandle(
  deps: FoldDeps,
  input: OperationInput<"fold.read">,
  caller: Caller,
): Promise<FoldRead> {
  const { who } = await openCall(deps, caller, input.sessionId)
  await drainReplacedResults(deps)
  const count = await counterOrRough(deps)
  const text = await find(deps, input.handle, who)
  const lines = linesOf(text.text)
  const { fromLine = 1, lines: most = 200 } = input
  const source = {
    handle: input.handle,
    label: text.label,
    totalLines: lines.length,
    totalTokens: text.tokens ?? count(text.text),
    fromLine,
  }
  const words = wordsOf(input.query ?? "")
  if (words.length === 0) {
    const slice = sliceOf(lines, { fromLine, lines: most }, count)
    return { ...source, ...slice, matches: [] }
  }
  const { matches, nextLine } = matchesIn(lines, words, { fromLine, count })
  return { ...source, text: "", nextLine, matches: [...matches] }
}

type StoredText = { readonly text: string; readonly label: string; readonly tokens?: number }

async function find(deps: FoldDeps, handle: string, who: BranchOwner): Promise<StoredText> {
  const db = await deps.db()
  if (isHandle(handle)) {
    const row = await db.get(HandleRow, selectHandle(handle, who, deps.clock.now()))
    if (row === undefined) throw FoldNotFound({})
    return row
  }
  const isBranch = isBranchId(handle)
  const branch = isBranch ? await findBranch(deps, handle, who) : undefined
  if (branch === undefined) throw FoldNotFound({})
  const trail = await db.all(WholeTrailRow, selectWholeTrail(handle))
  return { text: trail.map(stepText).join("\n"), label: `Trail of ${branch.given.description}` }
}

const MOST_WAITED_MS = 2_000
const LOOK_MS = 50

/**
 * The gateway forwards a request before it stores what it removed from it, so an agent that reads a
 * trail at once waits for that. Later it does not: the gateway may have ended before it could store.
 */
async function findBranch(deps: FoldDeps, id: string, who: BranchOwner) {
  const db = await deps.db()
  for (let waitedMs = 0; ; waitedMs += LOOK_MS) {
    const branch = await db.get(BranchRow, selectBound(id, who))
    if (branch === undefined || waitedMs >= MOST_WAITED_MS) return branch
    if (!isTrailDue(branch, deps.clock.now())) return branch
    await deps.clock.sleep(LOOK_MS)
  }
}

const TRAIL_DUE_MS = 10_000

function isTrailDue({ state, completedAt }: BranchRow, now: number): boolean {
  const { ending, isWireKept, unfolded } = state
  if (ending?.mode !== "wire" || isWireKept || unfolded !== null) return false
  return completedAt !== null && now - completedAt < TRAIL_DUE_MS
}

function isHandle(handle: string): boolean {
  return /^rh_[0-9a-f]{32}$/.test(handle)
}

export function stepText(step: WholeTrailRow): string {
  const tool = step.tool === null ? "" : ` ${step.tool}`
  return `[${step.seq} ${step.kind}${tool}]\n${wholeOf(step)}\n`
}

export function wholeOf({ text, handle, whole }: WholeTrailRow): string {
  if (whole === null || handle === null) return text
  return `${withoutDigest(text, handle)}[${handle}, whole]\n${whole}`
}
