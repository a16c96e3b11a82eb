import type { Handlers, reviewOperations, syncOperations } from "#ground/contract"
import type { Review } from "./review.ts"

type HandlerDeps = { review(): Review }

export const syncHandlers = ({ review }: HandlerDeps): Handlers<typeof syncOperations> => ({
  preflight: (input, call) => review().preflight(input, call),
  prepr: (input, call) => review().prepr(input, call),
})

export const reviewHandlers = ({ review }: HandlerDeps): Handlers<typeof reviewOperations> => ({
  create: (input, call) => review().create(input, call),
  comments: (input, call) => review().comments(input, call),
  post: (input, call) => review().post(input, call),
  status: (input, call) => review().status(input, call),
})
