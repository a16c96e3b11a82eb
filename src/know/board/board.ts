import type { Board, BoardEvents, ParsedInput, TicketDetail, TicketList } from "#ground/contract"
import { LANES } from "#ground/contract"
import type { BoardDeps } from "./deps.ts"
import { createSnapshots, entryOf, findTicket } from "./snapshot.ts"
import { createChanges, type TicketFieldInput } from "./tickets/change-tickets.ts"
import { type CallFrom, createMoves, limitOf } from "./tickets/move-tickets.ts"

export type BoardRoom = ReturnType<typeof createBoard>

/** Tickets are files, lanes are the replayed log; everything else is derived from both. */
export function createBoard(deps: BoardDeps) {
  const snapshots = createSnapshots(deps)
  const changes = createChanges(deps, snapshots)
  const moves = createMoves(deps, snapshots)
  const { load } = snapshots
  return {
    ...moves,
    create: changes.create,
    block: changes.block,
    link: changes.link,

    /** Fields first: a ticket that moves to testing has its criteria marked. */
    async edit({ lane, session, ...fields }: ParsedInput<"ticket.edit">, from: CallFrom) {
      const input: TicketFieldInput = fields
      const ticket = await changes.edit(input)
      return lane === undefined || lane === ticket.lane
        ? ticket
        : moves.move({ id: ticket.id, lane, session }, from)
    },

    async show({ lane, limit }: ParsedInput<"board.show">): Promise<Board> {
      const { tickets, problems } = await load()
      const settings = deps.settings()
      const shownTickets = lane === undefined ? tickets : tickets.filter((it) => it.lane === lane)
      return {
        lanes: LANES.map((it) => ({
          lane: it,
          tickets: tickets.filter((ticket) => ticket.lane === it).length,
          limit: limitOf(it, settings),
        })),
        tickets: shownTickets.slice(0, limit),
        total: tickets.length,
        ready: tickets.filter((it) => it.isReady).length,
        problems: [...problems],
      }
    },

    async log({ limit }: ParsedInput<"board.log">): Promise<BoardEvents> {
      const { replay, problems } = await load()
      const events = replay.events.toReversed()
      return { events: events.slice(0, limit), total: events.length, problems: [...problems] }
    },

    async detail({ id }: ParsedInput<"ticket.show">): Promise<TicketDetail> {
      const snapshot = await load()
      const ticket = findTicket(snapshot.tickets, id)
      const events = snapshot.replay.events.filter((it) => it.ticket === ticket.id).toReversed()
      return {
        ticket,
        body: entryOf(snapshot, ticket).body,
        events,
        evidence: events.flatMap((it) => it.evidence ?? []),
      }
    },

    async ready({ limit }: ParsedInput<"ticket.ready">): Promise<TicketList> {
      const ready = (await load()).tickets.filter((it) => it.isReady)
      return { tickets: ready.slice(0, limit), total: ready.length }
    },
  }
}
