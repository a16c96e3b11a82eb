import { oneLine, withoutHiddenCharacters } from "#ground/base"
import type { ParsedInput, Ticket } from "#ground/contract"
import { readOne, TICKET_FOLDER } from "../board-files.ts"
import type { BoardDeps } from "../deps.ts"
import { BoardFull, DependencyCycle, TicketFileChanged, TicketInvalid } from "../errors.ts"
import { LARGEST_TICKET_BYTES, MOST_TICKETS } from "../limits.ts"
import { type BoardSnapshot, entryOf, findTicket, type Snapshots } from "../snapshot.ts"
import { findCycle } from "./rank-tickets.ts"
import {
  editFields,
  type FieldChanges,
  fileNameOf,
  readTicket,
  type TicketEntry,
  writeTicket,
  writtenCriteria,
} from "./ticket-file.ts"

const ID_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
/** 34 billion ids: two clones with 10,000 tickets each collide with a chance below 1 %. */
const ID_CHARACTERS = 7

const MOST_CRITERIA = 100

export type TicketFieldInput = Omit<ParsedInput<"ticket.edit">, "lane" | "session">

export function createChanges(deps: BoardDeps, { locked, commit }: Snapshots) {
  const clean = async (text: string) => deps.redact(withoutHiddenCharacters(text))
  const cleanLine = async (text: string) => oneLine(await clean(text)).trim()

  async function change(
    snapshot: BoardSnapshot,
    ticket: Ticket,
    fields: FieldChanges,
  ): Promise<Ticket> {
    const entry = entryOf(snapshot, ticket)
    const before = readOne(deps.root(), entry.file)
    if (before === undefined)
      throw TicketFileChanged({ file: entry.file, problem: "it was deleted" })
    const text = before.bytes.toString("utf8")
    const mark = text.startsWith("\uFEFF") ? "\uFEFF" : ""
    const hasId = /^id:/m.test(text.slice(0, 4_096))
    const edited = editFields(text.slice(mark.length), {
      ...(!hasId && { id: entry.id }),
      ...fields,
    })
    if (Buffer.byteLength(edited) > LARGEST_TICKET_BYTES)
      throw TicketInvalid({ field: "file", wrong: `exceeds ${LARGEST_TICKET_BYTES} bytes` })
    const after = readTicket(edited, { file: entry.file, modifiedAtMs: entry.createdAt })
    if (after.kind === "problem" || after.entry.id !== entry.id) {
      const problem =
        after.kind === "problem" ? after.problem : "the file now contains another ticket"
      throw TicketFileChanged({ file: entry.file, problem })
    }
    return commit(snapshot, {
      ticket: after.entry,
      writes: [{ file: entry.file, text: `${mark}${edited}` }],
      event: { name: "board.changed" },
    })
  }

  return {
    async create(input: ParsedInput<"ticket.new">): Promise<Ticket> {
      return locked(async (snapshot) => {
        if (snapshot.entries.length >= MOST_TICKETS) throw BoardFull({})
        const title = await cleanLine(input.title)
        if (title === "") throw TicketInvalid({ field: "title", wrong: "is empty" })
        const id = newId(deps, snapshot)
        const entry: TicketEntry = {
          id,
          file: `${TICKET_FOLDER}/${fileNameOf(title, id)}`,
          number: Math.max(0, ...snapshot.tickets.map((it) => it.number)) + 1,
          title,
          type: input.type ?? "feature",
          priority: input.priority ?? "P2",
          severity: input.severity ?? null,
          complexity: input.complexity ?? 1,
          slaDays: input.slaDays,
          dependsOn: input.dependsOn.map((it) => findTicket(snapshot.tickets, it).id),
          paths: await Promise.all((input.paths ?? []).map(cleanLine)),
          acceptance: await criteriaOf(input.accept, cleanLine),
          blocked: null,
          createdAt: deps.clock.now(),
          body: await clean(input.body),
        }
        const writes = [{ file: entry.file, text: writeTicket(entry) }]
        return commit(snapshot, { ticket: entry, writes, event: { name: "board.changed" } })
      })
    },

    async edit(input: TicketFieldInput): Promise<Ticket> {
      return locked(async (snapshot) => {
        const ticket = findTicket(snapshot.tickets, input.id)
        const fields = await fieldsOf(input, entryOf(snapshot, ticket), cleanLine)
        return Object.keys(fields).length === 0 ? ticket : change(snapshot, ticket, fields)
      })
    },

    async block({ id, reason, clear }: ParsedInput<"ticket.block">): Promise<Ticket> {
      const text = await cleanLine(reason)
      if (!clear && text === "") throw TicketInvalid({ field: "reason", wrong: "is empty" })
      return locked(async (snapshot) => {
        const ticket = findTicket(snapshot.tickets, id)
        if (clear && ticket.blockedReason === null) return ticket
        return change(snapshot, ticket, { blocked: clear ? null : text })
      })
    },

    async link({ id, on, remove }: ParsedInput<"ticket.link">): Promise<Ticket> {
      return locked(async (snapshot) => {
        const { tickets, entries } = snapshot
        const ticket = findTicket(tickets, id)
        const isListed = ticket.dependencies.includes(on.toUpperCase())
        const other = isListed ? on.toUpperCase() : findTicket(tickets, on).id
        const others = ticket.dependencies.filter((it) => it !== other)
        const dependsOn = remove ? others : [...others, other]
        const linked = entries.map((it) => (it.id === ticket.id ? { ...it, dependsOn } : it))
        const way = remove ? undefined : findCycle(linked, ticket.id)
        if (way !== undefined) throw DependencyCycle({ way })
        const value = dependsOn.length === 0 ? null : dependsOn
        return change(snapshot, ticket, { depends_on: value })
      })
    },
  }
}

type CleanLine = (text: string) => Promise<string>

async function fieldsOf(
  input: TicketFieldInput,
  entry: TicketEntry,
  cleanLine: CleanLine,
): Promise<FieldChanges> {
  const { title, type, priority, severity, complexity, slaDays, paths } = input
  const acceptance = await editedCriteria(input, entry, cleanLine)
  return {
    ...(title !== undefined && { title: await cleanLine(title) }),
    ...(type !== undefined && { type }),
    ...(priority !== undefined && { priority }),
    ...(severity !== undefined && { severity }),
    ...(complexity !== undefined && { complexity }),
    ...(slaDays !== undefined && { sla_days: slaDays }),
    ...(paths !== undefined && { paths: await Promise.all(paths.map(cleanLine)) }),
    ...(acceptance !== undefined && { acceptance: writtenCriteria(acceptance) }),
  }
}

async function editedCriteria(
  { accept = [], check = [], uncheck = [] }: TicketFieldInput,
  { acceptance }: TicketEntry,
  cleanLine: CleanLine,
) {
  if (accept.length + check.length + uncheck.length === 0) return undefined
  const all = [...acceptance, ...(await criteriaOf(accept, cleanLine))]
  const last = [...check, ...uncheck].find((it) => it > all.length)
  if (last !== undefined) {
    const wrong = `has ${all.length} entries; there is no number ${last}`
    throw TicketInvalid({ field: "list of acceptance criteria", wrong })
  }
  if (all.length > MOST_CRITERIA)
    throw TicketInvalid({
      field: "list of acceptance criteria",
      wrong: `exceeds ${MOST_CRITERIA} entries`,
    })
  return all.map(({ text, isDone }, at) => ({
    text,
    isDone: !uncheck.includes(at + 1) && (isDone || check.includes(at + 1)),
  }))
}

async function criteriaOf(texts: readonly string[], cleanLine: CleanLine) {
  const cleaned = await Promise.all(texts.map(cleanLine))
  return cleaned.filter((it) => it !== "").map((text) => ({ text, isDone: false }))
}

function newId({ random }: BoardDeps, { entries }: BoardSnapshot): string {
  for (;;) {
    const bytes = Array.from(random.bytes(ID_CHARACTERS))
    const id = `T-${bytes.map((byte) => ID_ALPHABET[byte & 31]).join("")}`
    if (!entries.some((it) => it.id === id)) return id
  }
}
