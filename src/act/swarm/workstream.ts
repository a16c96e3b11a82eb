import type { SwarmReview, Ticket, Workstream } from "#ground/contract"

export function isClosed({ state }: Workstream): boolean {
  return state === "approved" || state === "discarded"
}

export function refusalOf({ isReady, lane, blockedReason }: Ticket): string | undefined {
  if (isReady) return undefined
  if (lane !== "backlog") return `it is in ${lane}`
  return blockedReason === null ? "it depends on an open ticket" : "it is blocked"
}

export function parseNumstat(output: string): SwarmReview["diffs"][number]["files"] {
  return output.split("\0").flatMap((line) => {
    const [, added, removed, file] = /^(\d+|-)\t(\d+|-)\t([^]+)$/.exec(line.trim()) ?? []
    if (file === undefined) return []
    return [{ path: file, added: Number(added) || 0, removed: Number(removed) || 0 }]
  })
}
