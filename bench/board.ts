import { readFile } from "node:fs/promises"
import path from "node:path"
import { invariant } from "#ground/base"
import type { LANES } from "#ground/contract"
import { type LogRecord, writeLine } from "#know/board"
import { boardFixture, input } from "../test/kit/board-room.ts"
import { atMost, type Bench, createSamples, makeRow } from "./frame.ts"

const TICKETS = 2_000
const EVENTS = 50_000
const EVENTS_A_FILE = 5_000
const ROUNDS = 7

const NEXT = { backlog: "working", working: "backlog" } as const

export const bench: Bench = {
  name: "board",
  about: `a board of ${TICKETS} tickets and ${EVENTS} events: reading it all, and again`,
  async run({ clock, rounds = ROUNDS }) {
    await using it = await boardFixture()
    const first = await it.room.create(input("ticket.new", { title: "Round quotes to cents" }))
    const text = await it.read(first.file)
    const ids = Array.from({ length: TICKETS }, (_, at) => `T-${at.toString(32).padStart(7, "0")}`)
    for (const [at, id] of ids.entries()) {
      const written = text
        .replace(first.id, id.toUpperCase())
        .replace(/number: \d+/, `number: ${at + 2}`)
      await it.file(`.qm/board/tickets/t${at}.md`, written)
    }
    await writeEvents(it, ids)
    const time = (work: () => unknown) => {
      const startedMs = clock.monotonicMs()
      work()
      return clock.monotonicMs() - startedMs
    }
    const read = it.room.log({ limit: 1 })
    invariant(read.total === EVENTS && read.problems.length === 0, "the board reads every event")
    const whole: number[] = []
    const again: number[] = []
    const floor: number[] = []
    for (let round = 0; round < rounds; round++) {
      const room = it.other()
      whole.push(time(() => room.show({ limit: TICKETS })))
      again.push(time(() => room.show({ limit: TICKETS })))
      const startedMs = clock.monotonicMs()
      for (let at = 0; at < TICKETS; at++)
        await readFile(path.join(it.root, `.qm/board/tickets/t${at}.md`))
      floor.push(clock.monotonicMs() - startedMs)
    }
    const [cold, warm, reading] = [whole, again, floor].map(
      (values) => createSamples(values).median,
    )
    const against = "reading the ticket files"
    const shared = { unit: "ms", against, floor: reading ?? 0 }
    return [
      makeRow({
        what: `${TICKETS} tickets, ${EVENTS} events replayed, first time`,
        measured: cold ?? 0,
        bar: atMost(1_000, "ms"),
        ...shared,
      }),
      makeRow({
        what: "the same board again",
        measured: warm ?? 0,
        bar: atMost(500, "ms"),
        ...shared,
      }),
    ]
  },
}

type Fixture = Awaited<ReturnType<typeof boardFixture>>

async function writeEvents(it: Fixture, ids: readonly string[]): Promise<void> {
  const lanes = new Map<string, (typeof LANES)[0 | 1]>()
  for (let file = 0; file < EVENTS / EVENTS_A_FILE; file++) {
    let previous: string | undefined
    const lines: string[] = []
    for (let at = 0; at < EVENTS_A_FILE; at++) {
      const order = file * EVENTS_A_FILE + at + 1
      const ticket = (ids[order % ids.length] ?? "").toUpperCase()
      const from = lanes.get(ticket) ?? "backlog"
      const to = NEXT[from]
      lanes.set(ticket, to)
      const record: LogRecord = {
        v: 1,
        id: `be_${order}`,
        ticket,
        ts: order,
        order,
        actor: "human",
        session: `s${file}`,
        kind: "move",
        from,
        to,
        inverse: { from: to, to: from },
      }
      previous = writeLine(record, previous)
      lines.push(previous)
    }
    await it.file(`.qm/board/log/human-s${file}.jsonl`, `${lines.join("\n")}\n`)
  }
}
