import type { Branch, FoldTree } from "../../contract.ts"

type FoldSession = FoldTree["sessions"][number]

type LinePlace = {
  readonly key: string
  readonly parentKey: string
  readonly depth: number
  readonly isOpen: boolean | null
  readonly position: number
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
      position: i + 1,
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
    // The parent may be missing from the list because it ended long ago.
    const parent = made.get(branch.parentId ?? "")
    const parentKey = parent?.key ?? top
    const position = (children.get(parentKey) ?? 0) + 1
    children.set(parentKey, position)
    const depth = (parent?.depth ?? 0) + 1
    const line = { key: branch.id, parentKey, depth, isOpen: null, position, siblings: 0, branch }
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
    seen: sum((it) => it.tokensInWindow),
    returned: sum((it) => it.resultTokens),
    isLowerBound: all.some((it) => it.isLowerBound),
  }
}
