import type { Handlers, worktreeOperations } from "#ground/contract"
import type { Worktrees } from "./worktrees.ts"

type HandlerDeps = { worktrees(): Promise<Worktrees> }

export const worktreeHandlers = ({
  worktrees,
}: HandlerDeps): Handlers<typeof worktreeOperations> => ({
  new: async (input, call) => (await worktrees()).create(input, call),
  list: async (_, call) => (await worktrees()).list(call),
  open: async (input, call) => (await worktrees()).open(input, call),
  check: async (input, call) => (await worktrees()).check(input, call),
  diff: async (input, call) => (await worktrees()).diff(input, call),
  remove: async (input, call) => (await worktrees()).remove(input, call),
})
