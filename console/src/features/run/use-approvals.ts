import { useMemo, useState } from "react"
import type { Approval } from "../../contract.ts"
import { useOperation } from "../../data/queries.tsx"
import { type Asked, NOTHING_ASKED, nextAsked } from "./asked.ts"
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
