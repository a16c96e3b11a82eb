import { useMemo, useState } from "react"
import type { Approval } from "../../contract.ts"
import { useOperation } from "../../data/queries.tsx"
import type { Row } from "./flat.ts"

const NONE: readonly Approval[] = []

export function useApprovals(id: string, selected: Row | undefined) {
  const { data } = useOperation("agents.approvals", { run: id })
  const all = data?.approvals ?? NONE
  const [asked, setAsked] = useState(NOTHING_ASKED)
  const entry = selected?.entry
  const selectedId = entry?.kind === "approval" ? entry.event.approvalId : null
  const next = nextAsked(asked, all, selectedId)
  // Derived from what was before: React draws again with it before anything is shown.
  if (!isSame(asked, next)) setAsked(next)
  const approvals = useMemo(() => new Map(all.map((it) => [it.id, it] as const)), [all])
  return { approvals, askedNow: next.keyed }
}

function isSame(a: Asked, b: Asked): boolean {
  return a.keyed === b.keyed && a.openIds.join(" ") === b.openIds.join(" ")
}

type Asked = {
  /** The question that keys answer; null when none may be. */
  readonly keyed: string | null
  readonly openIds: readonly string[]
}

export const NOTHING_ASKED: Asked = { keyed: null, openIds: [] }

/**
 * Keys answer the question that a person has seen: the one that was open, or one that came when
 * none was. Another that takes the place of an answered one has to be selected first, because the
 * press may have been meant for the one before.
 */
export function nextAsked(
  before: Asked,
  approvals: readonly Approval[],
  selectedId: string | null,
): Asked {
  const openIds = approvals.filter((it) => it.status === "open").map((it) => it.id)
  const isOpen = (id: string | null) => id !== null && openIds.includes(id)
  const first = before.openIds.length === 0 ? (openIds[0] ?? null) : null
  const kept = isOpen(before.keyed) ? before.keyed : first
  return { keyed: isOpen(selectedId) ? selectedId : kept, openIds }
}
