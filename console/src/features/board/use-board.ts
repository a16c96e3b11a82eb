import { useMutation, useQueryClient } from "@tanstack/react-query"
import { installedInstead, TYPES } from "../../base/agent-types.ts"
import { toWireError } from "../../base/errors.ts"
import type { Board, Lane, Ticket, TicketDetail } from "../../contract.ts"
import type { AnyOperation } from "../../data/client.ts"
import { invalidateOperations, keys } from "../../data/keys.ts"
import { navigate } from "../../data/location.ts"
import { paths } from "../../data/paths.ts"
import { useClient, useOperation } from "../../data/queries.tsx"
import { recall } from "../../ui/remember.ts"
import { useToast } from "../../ui/toast/toast.tsx"
import { LANE_NAMES, promptOf } from "./words.ts"

const CHANGED: readonly AnyOperation[] = ["board.show", "board.log", "ticket.show", "ticket.ready"]

const MOST_EVENTS = 200

export const useBoard = () => useOperation("board.show", {})

export const useTicket = (id: string) =>
  useOperation("ticket.show", { id }, { isEnabled: id !== "" })

export const useLog = (isOpen: boolean) =>
  useOperation("board.log", { limit: MOST_EVENTS }, { isEnabled: isOpen })

type Move = { readonly ticket: Ticket; readonly lane: Lane }

/** Each change shows at once, can be undone, and is read again in any case. */
export function useTicketActions() {
  const client = useClient()
  const queries = useQueryClient()
  const toast = useToast()
  const settle = () => {
    invalidateOperations(queries, CHANGED)
  }
  const fail = (error: unknown) => toast.fail(toWireError(error))
  const patch = ({ id }: Ticket, lane: Lane) =>
    queries.setQueriesData<Board>({ queryKey: keys.anyInput("board.show") }, (board) =>
      board === undefined
        ? board
        : { ...board, tickets: board.tickets.map((it) => (it.id === id ? { ...it, lane } : it)) },
    )
  const undo = useMutation({
    mutationFn: (id: string) => client.write("ticket.undo", { id }),
    onError: fail,
    onSettled: settle,
  })
  const move = useMutation({
    mutationFn: ({ ticket: { id, lane: from, isAutomated }, lane }: Move) =>
      from === "testing" && lane === "conclusion" && isAutomated
        ? client.write("ticket.approve", { id })
        : client.write("ticket.move", { id, lane }),
    onMutate: ({ ticket, lane }) => patch(ticket, lane),
    onSuccess: ({ id }, { lane }) =>
      toast.show({ text: `${id} is in ${LANE_NAMES[lane]}`, undo: () => undo.mutate(id) }),
    onError: fail,
    onSettled: settle,
  })
  // Its refusal is shown beside the buttons, where a message would cover them.
  const approve = useMutation({
    mutationFn: (ticket: Ticket) =>
      ticket.isAutomated
        ? client.write("ticket.approve", { id: ticket.id })
        : client.write("ticket.move", { id: ticket.id, lane: "conclusion" }),
    onSuccess: ({ id }) =>
      toast.show({ text: `${id} is in Conclusion`, undo: () => undo.mutate(id) }),
    onSettled: settle,
  })
  const reject = useMutation({
    mutationFn: ({ id, feedback }: { readonly id: string; readonly feedback: string }) =>
      client.write("ticket.reject", { id, feedback }),
    onSuccess: ({ id }) =>
      toast.show({ text: `${id} is back in Working`, undo: () => undo.mutate(id) }),
    onError: fail,
    onSettled: settle,
  })
  const check = useMutation({
    mutationFn: ({ id, at, isDone }: { id: string; at: number; isDone: boolean }) =>
      client.write("ticket.edit", { id, ...(isDone ? { check: [at] } : { uncheck: [at] }) }),
    onError: fail,
    onSettled: settle,
  })
  const start = useMutation({
    mutationFn: async ({ ticket, body }: TicketDetail) => {
      const prompt = promptOf(ticket, body)
      const { providers } = await client.read("agents.providers", {})
      const lastUsed = TYPES.find((it) => it === recall("launch.agent")) ?? "claude-code"
      const type = installedInstead(lastUsed, providers) ?? lastUsed
      const { pack } = await client.write("pack.build", { task: prompt })
      const run = await client.write("agents.start", { prompt, type, pack: pack.id })
      return client.write("agents.edit", { id: run.id, label: [ticket.id] })
    },
    onSuccess: ({ id }) => navigate(paths.run(id)),
    onError: fail,
  })
  return {
    move: move.mutate,
    approve: approve.mutate,
    refusal: approve.error === null ? undefined : toWireError(approve.error),
    reject: reject.mutate,
    undo: undo.mutate,
    check: check.mutate,
    start: start.mutate,
    isStarting: start.isPending,
    refresh: settle,
  }
}
