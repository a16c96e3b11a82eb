export { worktreeHandlers } from "./handlers.ts"
export type { Worktrees, WorktreesDeps, WorktreeTicket } from "./worktrees.ts"
export { createWorktrees } from "./worktrees.ts"
