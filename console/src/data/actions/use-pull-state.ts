import { useState } from "react"
import { toWireError } from "../../base/errors.ts"
import { useOperation } from "../queries.tsx"

/**
 * The pull request of a branch, requested when the user asks for it: the answer comes over the
 * network, from the user's own program.
 */
export function usePullState(branch: string | null) {
  const [isWanted, setWanted] = useState(false)
  const status = useOperation("review.status", branch === null ? {} : { branch }, {
    isEnabled: isWanted && branch !== null,
  })
  const error = status.error === null ? undefined : toWireError(status.error)
  const check = () => {
    if (isWanted) void status.refetch()
    else setWanted(true)
  }
  const pull = error === undefined ? status.data?.pull : undefined
  return { pull, error, isChecking: status.isFetching, check }
}

/** The branch of the worktree in which a run works; null outside worktrees. */
export function useBranchOf(cwd: string): string | null {
  const { data } = useOperation("worktree.list", {})
  const own = data?.worktrees.find((it) => cwd === it.path || cwd.startsWith(`${it.path}/`))
  return own?.branch ?? null
}
