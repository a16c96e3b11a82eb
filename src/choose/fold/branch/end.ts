import { posix } from "node:path"
import { formatExact } from "#ground/base"
import type { BranchEndReason, BranchStatus, Caller } from "#ground/contract"
import type { Sql, Tx } from "#ground/store"
import { globMatcher } from "#see/hosts"
import { counterOrRough, type FoldDeps, openScrub, sessionOf } from "../deps.ts"
import {
  finish,
  selectLive,
  selectLiveChildren,
  selectLiveOfSession,
  selectOverdue,
} from "../queries.ts"
import { BranchRow, type BranchState, type Owner } from "../rows.ts"
import { addStep } from "../trail/trail.ts"
import { endingByForce } from "../wire.ts"

const MOST_NAMED_PATHS = 20

const MOST_ENDED_AT_ONCE = 200

type ForcedEndReason = Exclude<BranchEndReason, "returned">

type Plan = {
  readonly row: BranchRow
  readonly reason: ForcedEndReason
  readonly at: number
  readonly count: (text: string) => number
}

const STATUS = {
  budget: "failed",
  timeout: "timeout",
  "parent-returned": "cancelled",
  "session-ended": "cancelled",
  shutdown: "cancelled",
} as const satisfies Record<ForcedEndReason, BranchStatus>

/** Ends descendants first; returns the ids in the order of their end. */
export async function endByForce(tx: Tx<"fold">, plan: Plan): Promise<string[]> {
  const ended = await endDescendants(tx, plan)
  if (await endOne(tx, plan)) ended.push(plan.row.id)
  return ended
}

export async function endDescendants(
  tx: Tx<"fold">,
  plan: Omit<Plan, "reason">,
): Promise<string[]> {
  const levels: (readonly BranchRow[])[] = []
  let parents: readonly string[] = [plan.row.id]
  while (parents.length > 0) {
    const children = await tx.all(BranchRow, selectLiveChildren(parents))
    levels.push(children)
    parents = children.map((it) => it.id)
  }
  const deepestFirst = levels.toReversed().flat()
  for (const row of deepestFirst) await endOne(tx, { ...plan, row, reason: "parent-returned" })
  return deepestFirst.map((it) => it.id)
}

/** Ends all overdue branches of the repository, whichever process opened them. */
export async function endOverdue(
  tx: Tx<"fold">,
  plan: { readonly root: string; readonly at: number; readonly count: (text: string) => number },
): Promise<string[]> {
  const query = { root: plan.root, now: plan.at, limit: MOST_ENDED_AT_ONCE }
  const rows = await tx.all(BranchRow, selectOverdue(query))
  const ended: string[] = []
  for (const row of rows) {
    ended.push(...(await endByForce(tx, { ...plan, row, reason: overdueReason(row) })))
  }
  return ended
}

/** A branch that used up its budget has an earlier deadline, by which it should have returned. */
function overdueReason({ state, deadlineAt, createdAt, given }: BranchRow): "budget" | "timeout" {
  const isByBudget =
    state.exhaustedAt !== null && deadlineAt < createdAt + given.timeoutSeconds * 1_000
  return isByBudget ? "budget" : "timeout"
}

/** False when it had ended already, e.g. with a parent. */
async function endOne(tx: Tx<"fold">, { row, reason, at, count }: Plan): Promise<boolean> {
  const result = partialResult(row, reason)
  const { scope } = row.given
  const state: BranchState = {
    ...row.state,
    result,
    resultTokens: count(result),
    error: SAYS[reason](row),
    outOfScope: outOfScope(scope, row.state.touchedPaths),
    ending: endingByForce(row),
  }
  const ending = { id: row.id, status: STATUS[reason], reason, at, state, returnKey: null }
  const isNotified = reason === "parent-returned" || reason === "session-ended"
  const { changes } = await tx.run(finish({ ...ending, isTold: isNotified }))
  if (changes === 0) return false
  const step = { at, kind: "forced", tool: null, text: result, tokens: 0, handle: null } as const
  await addStep(tx, row, step)
  const ref = { id: row.id, session: row.session }
  if (reason === "timeout") {
    tx.emit("fold.timed-out", { ...ref, seconds: row.given.timeoutSeconds })
  }
  tx.emit("fold.ended", { ...ref, status: STATUS[reason], reason })
  return true
}

const SAYS = {
  budget: (row: BranchRow) =>
    `its budget of ${formatExact(row.budgetTotal)} tokens was used up and it did not return in time`,
  timeout: (row: BranchRow) =>
    `its time limit of ${formatExact(row.given.timeoutSeconds)} seconds was reached`,
  "parent-returned": () => "its parent branch ended",
  "session-ended": () => "its session ended",
  shutdown: () => "the process that opened it ended",
} as const satisfies Record<ForcedEndReason, (row: BranchRow) => string>

function partialResult(row: BranchRow, reason: ForcedEndReason): string {
  const { progress, touchedPaths } = row.state
  const used = `${formatExact(row.budgetUsed)} of ${formatExact(row.budgetTotal)} tokens`
  const named = touchedPaths.slice(0, MOST_NAMED_PATHS).join(", ")
  const more = touchedPaths.length - MOST_NAMED_PATHS
  return [
    `Partial result: ended because ${SAYS[reason](row)}. Used ${used}.`,
    progress === null ? "No progress note." : `Last progress note: ${progress}`,
    touchedPaths.length === 0 ? "No touched files are known." : `Touched files: ${named}`,
    ...(more > 0 ? [`and ${formatExact(more)} more files.`] : []),
  ].join("\n")
}

export function withTouched(
  state: BranchState,
  paths: readonly string[],
  { root, most }: { readonly root: string; readonly most: number },
): BranchState {
  const touched = new Set(state.touchedPaths)
  for (const path of paths) if (touched.size < most) touched.add(pathWithin(root, path))
  return touched.size === state.touchedPaths.length
    ? state
    : { ...state, touchedPaths: [...touched] }
}

export function createEnds(deps: FoldDeps & { onEnded(): void }) {
  async function endAll({ rows, isMeant, isByProcess, reason }: EndSelection): Promise<string[]> {
    const count = await counterOrRough(deps)
    const at = deps.clock.now()
    const db = await deps.db()
    const ended = await db.transaction(async (tx) => {
      const live = await tx.all(BranchRow, rows)
      const branches = live.filter(
        (it) => isMeant(it) && !(isByProcess && hasBranchOfOther(it, live, isMeant)),
      )
      const ids: string[] = []
      for (const row of branches) ids.push(...(await endByForce(tx, { row, reason, at, count })))
      return ids
    })
    deps.onEnded()
    return ended
  }

  /** Reads first: most calls have nothing to end and need no write lock. */
  async function endIfAny(selection: EndSelection): Promise<string[]> {
    const db = await deps.db()
    const isAny = (await db.all(BranchRow, selection.rows)).some(selection.isMeant)
    return isAny ? endAll(selection) : []
  }

  return {
    /** Without a caller, the session ends for everybody. */
    async end(
      sessionId: string,
      caller?: Caller,
      { isOwnOnly = false }: { readonly isOwnOnly?: boolean } = {},
    ): Promise<string[]> {
      const session = sessionOf(sessionId, caller?.session ?? "", await openScrub(deps))
      const isMeant = (row: BranchRow) =>
        (caller === undefined || row.principal === caller.principal) &&
        (!isOwnOnly || isSame(row.owner, deps.owner))
      return endIfAny({
        rows: selectLiveOfSession(deps.root(), session),
        isMeant,
        isByProcess: isOwnOnly,
        reason: "session-ended",
      })
    },
    async recover(): Promise<number> {
      const isMeant = (row: BranchRow) => isLost(row.owner, deps)
      const rows = selectLive(deps.root())
      return (await endIfAny({ rows, isMeant, isByProcess: true, reason: "shutdown" })).length
    },
    /** Also a branch that is being stored at this moment: this transaction follows that one. */
    async endOwn(reason: "shutdown"): Promise<void> {
      const isMeant = (row: BranchRow) => isSame(row.owner, deps.owner)
      await endAll({ rows: selectLive(deps.root()), isMeant, isByProcess: true, reason })
    },
  }
}

/**
 * Two processes of one session nest their branches. Ending a branch ends those below it, so one with
 * a branch of another living process stays open: that process, a timeout or `recover` ends it.
 */
function hasBranchOfOther(
  row: BranchRow,
  live: readonly BranchRow[],
  isMeant: (row: BranchRow) => boolean,
): boolean {
  const children = live.filter((it) => it.parent === row.id)
  return children.some((it) => !isMeant(it) || hasBranchOfOther(it, live, isMeant))
}

type EndSelection = {
  readonly rows: Sql
  isMeant(row: BranchRow): boolean
  /** Whether the branches of a process end, not those of a session. */
  readonly isByProcess: boolean
  readonly reason: ForcedEndReason
}

function isLost(owner: Owner, deps: FoldDeps): boolean {
  if (isSame(owner, deps.owner) || owner.machine !== deps.owner.machine) return false
  const startedAt = owner.startedAt === "" ? undefined : owner.startedAt
  return !deps.isAlive({ pid: owner.pid, startedAt })
}

function isSame(a: Owner, b: Owner): boolean {
  const isSameProcess = a.machine === b.machine && a.pid === b.pid && a.startedAt === b.startedAt
  return isSameProcess && a.instance === b.instance
}

export function pathWithin(root: string, path: string): string {
  const slashed = path.replaceAll("\\", "/")
  const base = root.replaceAll("\\", "/").replace(/\/$/, "")
  const below = slashed.startsWith(`${base}/`) ? slashed.slice(base.length + 1) : slashed
  const plain = posix.normalize(below)
  return plain === "." ? below : plain.replace(/\/$/, "")
}

/** An empty scope allows all paths. */
export function outOfScope(scope: readonly string[], paths: readonly string[]): string[] {
  if (scope.length === 0) return []
  const rules = scope.map(matcher)
  return [...new Set(paths)].filter((path) => !rules.some((isMatch) => isMatch(path)))
}

/** Without glob characters a rule is a file, or a folder with all its files. */
function matcher(rule: string): (path: string) => boolean {
  if (rule === "" || rule === ".") return (path) => !path.startsWith("/") && !path.startsWith("..")
  const isMatch = globMatcher(rule.endsWith("/") ? `${rule}**` : rule, { dot: true })
  const folder = rule.endsWith("/") ? rule : `${rule}/`
  return (path) => path === rule || path.startsWith(folder) || isMatch(path)
}
