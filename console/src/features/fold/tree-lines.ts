import type { Branch, FoldTree } from "../../contract.ts"

type FoldSession = FoldTree["sessions"][number]

type LinePlace = {
  readonly key: string
  /** The row above it that holds it; empty for a session. */
  readonly parentKey: string
  readonly depth: number
  /** Null for what holds nothing. */
  readonly isOpen: boolean | null
  readonly place: number
  readonly siblings: number
}

export type SessionLine = LinePlace & { readonly kind: "session"; readonly session: FoldSession }
export type BranchLine = LinePlace & { readonly kind: "branch"; readonly branch: Branch }
export type FoldLine = SessionLine | BranchLine

const sessionKey = (id: string): string => `session ${id}`

export function treeLines({ sessions }: FoldTree, closed: readonly string[]): readonly FoldLine[] {
  const isClosed = new Set(closed)
  return sessions.flatMap((session, i): readonly FoldLine[] => {
    const key = sessionKey(session.sessionId)
    const isOpen = !isClosed.has(key)
    const line: SessionLine = {
      kind: "session",
      key,
      parentKey: "",
      depth: 0,
      isOpen: session.branches.length === 0 ? null : isOpen,
      place: i + 1,
      siblings: sessions.length,
      session,
    }
    return isOpen ? [line, ...branchLines(session, isClosed)] : [line]
  })
}

function branchLines(session: FoldSession, isClosed: ReadonlySet<string>): readonly BranchLine[] {
  const top = sessionKey(session.sessionId)
  const children = new Map<string, number>()
  const made = new Map<string, BranchLine>()
  for (const branch of session.branches) {
    // A parent that is not listed before it, because it ended long ago, holds nothing here.
    const parent = made.get(branch.parentId ?? "")
    const parentKey = parent?.key ?? top
    const place = (children.get(parentKey) ?? 0) + 1
    children.set(parentKey, place)
    const depth = (parent?.depth ?? 0) + 1
    const line = { key: branch.id, parentKey, depth, isOpen: null, place, siblings: 0, branch }
    made.set(branch.id, { kind: "branch", ...line })
  }
  const isSeen = ({ parentKey }: BranchLine): boolean => {
    const parent = made.get(parentKey)
    return parent === undefined || (!isClosed.has(parent.key) && isSeen(parent))
  }
  return [...made.values()].filter(isSeen).map((line) => ({
    ...line,
    isOpen: children.has(line.key) ? !isClosed.has(line.key) : null,
    siblings: children.get(line.parentKey) ?? 1,
  }))
}

export function turnLine(closed: readonly string[], key: string): readonly string[] {
  return closed.includes(key) ? closed.filter((it) => it !== key) : [...closed, key]
}

export type FoldSums = {
  readonly branches: number
  readonly active: number
  readonly keptOut: number
  readonly seen: number
  readonly returned: number
  readonly isLowerBound: boolean
}

export function sumsOf({ sessions }: FoldTree): FoldSums {
  const all = sessions.flatMap((it) => it.branches)
  const sum = (figure: (it: Branch) => number) => all.reduce((total, it) => total + figure(it), 0)
  return {
    branches: all.length,
    active: all.filter((it) => it.status === "active" || it.status === "created").length,
    keptOut: sum((it) => it.tokensKeptOut),
    seen: sum(seenOf),
    returned: sum((it) => it.resultTokens),
    isLowerBound: all.some((it) => it.isLowerBound && it.mode !== "none"),
  }
}

/**
 * Work in a window of its own leaves its result, and so does what the gateway folds, but only at
 * its return. Work beside handles is in the window with all that was charged; what lies under a
 * handle never was, and comes on top of it.
 */
function seenOf({ mode, status, budgetUsed, resultTokens }: Branch): number {
  const isAway = mode === "sub-agent" || (mode === "wire" && status === "completed")
  return isAway ? resultTokens : budgetUsed
}
