import { join } from "node:path"
import { ensureDirectory, whileLocked } from "#ground/base"
import type { Lane, Ticket, TicketProblem } from "#ground/contract"
import {
  BOARD_FILE,
  type BoardWrite,
  createBoardFiles,
  readOne,
  writeFiles,
} from "./board-files.ts"
import type { BoardDeps } from "./deps.ts"
import { TicketAmbiguous, TicketUnknown } from "./errors.ts"
import { NEW_TICKET, type TicketState } from "./log/legality.ts"
import type { LogRecord } from "./log/log-record.ts"
import { type Replay, replayRecords } from "./log/replay.ts"
import { renderBoard } from "./render-board.ts"
import { graphProblems, rankTickets } from "./tickets/rank-tickets.ts"
import type { TicketEntry } from "./tickets/ticket-file.ts"

/** The board as its files are at one moment. */
export type BoardSnapshot = {
  readonly entries: readonly TicketEntry[]
  readonly tickets: readonly Ticket[]
  readonly replay: Replay
  readonly problems: readonly TicketProblem[]
}

type BoardChange = {
  readonly ticket: TicketEntry
  readonly writes: readonly BoardWrite[]
  /** Appended to the replayed events, to render the board before it is written. */
  readonly record?: LogRecord
  readonly event: BoardNotice
}

type BoardNotice =
  | { readonly name: "board.changed" }
  | { readonly name: "board.moved"; readonly from: Lane; readonly to: Lane; readonly actor: string }
  | { readonly name: "board.proved"; readonly isPassed: boolean }

export function createSnapshots(deps: BoardDeps) {
  const files = createBoardFiles(deps.root)
  let replayed: { readonly records: readonly LogRecord[]; readonly replay: Replay } | undefined

  function replayOnce(records: readonly LogRecord[]): Replay {
    const earlier = replayed?.records
    const isSame =
      earlier?.length === records.length && records.every((it, at) => it === earlier[at])
    if (!isSame || replayed === undefined) replayed = { records, replay: replayRecords(records) }
    return replayed.replay
  }

  async function load(): Promise<BoardSnapshot> {
    const { entries, records, problems } = await files.read()
    const replay = replayOnce(records)
    return {
      entries,
      tickets: rankTickets(entries, replay.states, deps.clock.now()),
      replay,
      problems: [...problems, ...graphProblems(entries)],
    }
  }

  return {
    load,

    /** One writer per clone, across processes and worktrees. */
    async locked<Result>(work: (snapshot: BoardSnapshot) => Promise<Result>): Promise<Result> {
      const folder = join(deps.stateDirectory, "board")
      await ensureDirectory(folder)
      return whileLocked(join(folder, "board"), async () => work(await load()))
    },

    /** Writes the change, the rendered board and the journal's event; all or none. */
    async commit(snapshot: BoardSnapshot, change: BoardChange): Promise<Ticket> {
      const { ticket, event, record } = change
      const states = new Map(snapshot.replay.states)
      if (record !== undefined && record.kind !== "evidence") {
        const { states: after } = replayRecords([...(replayed?.records ?? []), record])
        states.set(ticket.id, after.get(ticket.id) ?? NEW_TICKET)
      }
      const others = snapshot.entries.filter((it) => it.id !== ticket.id)
      const tickets = rankTickets([...others, ticket], states, deps.clock.now())
      const text = renderBoard(tickets)
      const isSame = readOne(deps.root(), BOARD_FILE)?.bytes.toString("utf8") === text
      const board = isSame ? [] : [{ file: BOARD_FILE, text }]
      const db = await deps.db()
      await writeFiles(deps.root(), [...change.writes, ...board], () =>
        db.transaction(async (tx) => {
          const { id } = ticket
          if (event.name === "board.changed") tx.emit("board.changed", { id })
          else if (event.name === "board.proved")
            tx.emit("board.proved", { id, isPassed: event.isPassed })
          else tx.emit("board.moved", { id, from: event.from, to: event.to, actor: event.actor })
        }),
      )
      return findTicket(tickets, ticket.id)
    },
  }
}

export type Snapshots = ReturnType<typeof createSnapshots>

/** By id in upper or lower case, by number with or without #, or by a unique start of the id. */
export function findTicket(tickets: readonly Ticket[], ref: string): Ticket {
  const word = ref.trim().toUpperCase()
  const exact = tickets.find((it) => it.id === word)
  if (exact !== undefined) return exact
  const [, digits] = /^#?(\d{1,10})$/.exec(word) ?? []
  const numbered = tickets.find((it) => it.number === Number(digits))
  if (numbered !== undefined) return numbered
  const start = word.startsWith("T-") ? word : `T-${word}`
  const matches = tickets.filter((it) => it.id.startsWith(start))
  const [only] = matches
  if (only === undefined) throw TicketUnknown({ id: ref })
  if (matches.length > 1) throw TicketAmbiguous({ id: ref, matches: matches.map((it) => it.id) })
  return only
}

export function entryOf({ entries }: BoardSnapshot, { id }: Pick<Ticket, "id">): TicketEntry {
  const entry = entries.find((it) => it.id === id)
  if (entry === undefined) throw TicketUnknown({ id })
  return entry
}

export function stateOf({ replay }: BoardSnapshot, { id }: Pick<Ticket, "id">): TicketState {
  return replay.states.get(id) ?? NEW_TICKET
}
