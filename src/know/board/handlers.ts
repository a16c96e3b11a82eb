import type { boardOperations, Handlers, ticketOperations } from "#ground/contract"
import type { BoardRoom } from "./board.ts"

type HandlerDeps = { board(): Promise<BoardRoom> }

export const boardHandlers = ({ board }: HandlerDeps): Handlers<typeof boardOperations> => ({
  show: async (input) => (await board()).show(input),
  log: async (input) => (await board()).log(input),
})

export const ticketHandlers = ({ board }: HandlerDeps): Handlers<typeof ticketOperations> => ({
  new: async (input) => (await board()).create(input),
  show: async (input) => (await board()).detail(input),
  edit: async (input, context) => (await board()).edit(input, context),
  move: async (input, context) => (await board()).move(input, context),
  ready: async (input) => (await board()).ready(input),
  block: async (input) => (await board()).block(input),
  link: async (input) => (await board()).link(input),
  undo: async (input, context) => (await board()).undo(input, context),
  evidence: async (input, context) => (await board()).capture(input, context),
  approve: async (input, context) => (await board()).approve(input, context),
  reject: async (input, context) => (await board()).reject(input, context),
})
