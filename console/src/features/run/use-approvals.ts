import { useMemo, useState } from "react"
import type { Approval } from "../../contract.ts"
import { useOperation } from "../../data/queries.tsx"
import type { Row } from "./transcript/flat.ts"

const NONE: readonly Approval[] = []

export function useApprovals(id: string, selected: Row | undefined) {
  const { data } = useOperation("agents.approvals", { run: id })
  const all = data?.approvals ?? NONE
  const [openApprovals, setAsked] = useState(NOTHING_ASKED)
  const entry = selected?.entry
  const selectedId = entry?.kind === "approval" ? entry.event.approvalId : null
  const next = nextAsked(openApprovals, all, selectedId)
  // State derived from the previous state: React renders again before it shows anything.
  if (!isSame(openApprovals, next)) setAsked(next)
  const approvals = useMemo(() => new Map(all.map((it) => [it.id, it] as const)), [all])
  return { approvals, askedNow: next.keyed }
}

function isSame(a: OpenApprovals, b: OpenApprovals): boolean {
  return a.keyed === b.keyed && a.openIds.join(" ") === b.openIds.join(" ")
}

type OpenApprovals = {
  /** The approval that keys answer; null if none. */
  readonly keyed: string | null
  readonly openIds: readonly string[]
}

export const NOTHING_ASKED: OpenApprovals = { keyed: null, openIds: [] }

/**
 * Keys answer the approval that the user has seen: the open one, or one that arrived when none was
 * open. The user must select an approval that replaces an answered one, because the key press
 * may have been meant for the previous one.
 */
export function nextAsked(
  before: OpenApprovals,
  approvals: readonly Approval[],
  selectedId: string | null,
): OpenApprovals {
  const openIds = approvals.filter((it) => it.status === "open").map((it) => it.id)
  const isOpen = (id: string | null) => id !== null && openIds.includes(id)
  const first = before.openIds.length === 0 ? (openIds[0] ?? null) : null
  const current = isOpen(before.keyed) ? before.keyed : first
  return { keyed: isOpen(selectedId) ? selectedId : current, openIds }
}
