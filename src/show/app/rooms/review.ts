import { createReview, reviewHandlers, syncHandlers } from "#act/review"
import { once } from "#ground/base"
import type { Services } from "../services.ts"
import { claimsOf, ledgerOf } from "./ledger.ts"

export function openReviewHandlers(services: Services) {
  const review = once(() =>
    createReview({
      repository: services.places().repository,
      clock: services.clock,
      environment: services.environment,
      settings: () => services.config().review,
      claims: () => claimsOf(services),
      ledger: () => ledgerOf(services),
      resolve: services.resolve,
      async ticketBranch(ticket, call) {
        const { worktrees } = await (await services.worktrees()).list(call)
        return worktrees.find((it) => it.ticket === ticket)?.branch ?? undefined
      },
      redact: async (text) => (await services.secrets()).redact(text).text,
    }),
  )
  return { sync: syncHandlers({ review }), review: reviewHandlers({ review }) }
}
