import { createWorktrees, type Worktrees, worktreeHandlers } from "#act/worktrees"
import { isAppError } from "#ground/base"
import type { Services } from "../services.ts"
import { claimsOf, ledgerOf } from "./ledger.ts"

type WorktreeDeps = Pick<
  Services,
  "board" | "clock" | "config" | "environment" | "places" | "random" | "secrets" | "store"
>

export async function openWorktrees(deps: WorktreeDeps): Promise<Worktrees> {
  const { repository } = deps.places()
  return createWorktrees({
    repository,
    clock: deps.clock,
    environment: deps.environment,
    settings: () => deps.config().worktrees,
    claims: () => claimsOf(deps),
    ledger: () => ledgerOf(deps),
    findTicket: async (ref) => {
      const board = await deps.board()
      try {
        const { ticket } = await board.detail({ id: ref })
        return { id: ticket.id, title: ticket.title, paths: ticket.paths }
      } catch (error) {
        if (isAppError(error) && error.code === "BOARD_TICKET_NOT_FOUND") return undefined
        throw error
      }
    },
    redact: async (text) => (await deps.secrets()).redact(text).text,
    db: async () => (await deps.store()).forRoom("worktrees"),
  })
}

export const openWorktreeHandlers = (deps: Pick<Services, "worktrees">) => worktreeHandlers(deps)
