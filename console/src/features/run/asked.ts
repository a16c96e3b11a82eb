import type { Approval } from "../../contract.ts"

export type Asked = {
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
