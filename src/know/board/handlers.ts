import type {
  autonomyOperations,
  boardOperations,
  CallContext,
  Handlers,
  ticketOperations,
} from "#ground/contract"
import type { AutonomyRoom } from "./autonomy/autonomy.ts"
import type { BoardRoom } from "./board.ts"

type HandlerDeps = { board(): Promise<BoardRoom>; autonomy(): Promise<AutonomyRoom> }

export const boardHandlers = ({
  board,
}: Pick<HandlerDeps, "board">): Handlers<typeof boardOperations> => ({
  show: async (input) => (await board()).show(input),
  log: async (input) => (await board()).log(input),
})

export const ticketHandlers = ({
  board,
  autonomy,
}: HandlerDeps): Handlers<typeof ticketOperations> => {
  const refuseMoves = async ({ caller }: CallContext) =>
    (await autonomy()).refuseManual("board-move", caller)
  return {
    new: async (input) => (await board()).create(input),
    show: async (input) => (await board()).detail(input),
    async edit(input, context) {
      if (input.lane !== undefined) await refuseMoves(context)
      return (await board()).edit(input, context)
    },
    async move(input, context) {
      await refuseMoves(context)
      return (await board()).move(input, context)
    },
    ready: async (input) => (await board()).ready(input),
    block: async (input) => (await board()).block(input),
    link: async (input) => (await board()).link(input),
    undo: async (input, context) => (await board()).undo(input, context),
    evidence: async (input, context) => (await board()).capture(input, context),
    approve: async (input, context) => (await board()).approve(input, context),
    reject: async (input, context) => (await board()).reject(input, context),
  }
}

export const autonomyHandlers = ({
  autonomy,
}: Pick<HandlerDeps, "autonomy">): Handlers<typeof autonomyOperations> => ({
  show: async () => (await autonomy()).show(),
  stop: async ({ area }) => (await autonomy()).stop(area),
  resume: async ({ area }, { caller }) => (await autonomy()).resume(area, caller),
})
