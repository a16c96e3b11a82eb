import { createIds, withoutHiddenCharacters } from "#ground/base"
import type { Caller, EvidenceCaptured, Lane, ParsedInput, Ticket } from "#ground/contract"
import type { BoardDeps, BoardIdentity } from "../deps.ts"
import {
  CommandNotAllowed,
  CriteriaOpen,
  EvidenceMissing,
  LaneFull,
  MoveIllegal,
  NothingToUndo,
} from "../errors.ts"
import { refuseMove } from "../log/legality.ts"
import type { LogRecord } from "../log/log-record.ts"
import { createLogWriter } from "../log/log-writer.ts"
import { type BoardSnapshot, entryOf, findTicket, type Snapshots, stateOf } from "../snapshot.ts"
import { isDocument } from "../working-tree.ts"
import { createEvidenceStore } from "./evidence.ts"

export type CallFrom = { readonly caller?: Caller | undefined; readonly signal: AbortSignal }

type MoveDraft = Pick<
  LogRecord,
  "actor" | "commit" | "exempt" | "feedback" | "kind" | "proof" | "undoes"
> & { readonly to: Lane }

/** The tree changed while the command ran, so the result belongs to no tree. */
const UNSETTLED = "unsettled"

/** The last lines of an output that a result shows. */
const TAIL_UNITS = 2_000

export function createMoves(deps: BoardDeps, { locked, commit, load }: Snapshots) {
  const ids = createIds(deps)
  const writer = createLogWriter(deps)
  const evidence = createEvidenceStore(deps)

  function recordOf(
    snapshot: BoardSnapshot,
    ticket: Ticket,
    fields: Omit<LogRecord, "id" | "order" | "ticket" | "ts" | "v">,
  ): LogRecord {
    const order = snapshot.replay.highestOrder + 1
    const id = ids.next("be")
    return { v: 1, id, ticket: ticket.id, ts: deps.clock.now(), order, ...fields }
  }

  async function write(snapshot: BoardSnapshot, ticket: Ticket, draft: MoveDraft & Author) {
    const { lane: from } = ticket
    const { to } = draft
    const inverse = { from: to, to: from }
    const record = recordOf(snapshot, ticket, { ...draft, from, inverse })
    const refusal = refuseMove(stateOf(snapshot, ticket), record)
    if (refusal !== undefined) throw MoveIllegal({ id: ticket.id, ...refusal })
    const log = await writer.prepare(record)
    const moved = await commit(snapshot, {
      ticket: entryOf(snapshot, ticket),
      writes: [log.write],
      record,
      event: { name: "board.moved", from, to, actor: draft.actor },
    })
    await log.remember()
    return moved
  }

  async function proofFor(ticket: Ticket, snapshot: BoardSnapshot, signal: AbortSignal) {
    const { baseCommit } = stateOf(snapshot, ticket)
    const changed =
      baseCommit === undefined ? undefined : await deps.tree.changedSince(baseCommit, signal)
    const isDocsOnly = changed !== undefined && changed.length > 0 && changed.every(isDocument)
    if (isDocsOnly) return { exempt: "docs" } as const
    const records = snapshot.replay.evidence.get(ticket.id) ?? []
    if (records.length === 0) throw EvidenceMissing({ id: ticket.id, reason: "it has no evidence" })
    const tree = await deps.tree.id(signal)
    const latest = new Map<string, LogRecord>()
    for (const record of records) {
      if (record.evidence?.tree === tree) latest.set(record.evidence.command, record)
    }
    if (latest.size === 0)
      throw EvidenceMissing({ id: ticket.id, reason: "its evidence is of another tree" })
    for (const record of latest.values()) {
      const command = record.evidence?.command ?? ""
      const fault = await evidence.findFault(record)
      const problem = record.evidence?.exitCode === 0 ? fault : "the command failed"
      if (problem !== undefined)
        throw EvidenceMissing({ id: ticket.id, reason: `evidence of \`${command}\`: ${problem}` })
    }
    return { proof: [...latest.values()].map((it) => it.id) }
  }

  /** Whether the latest run of a command on the current tree passed, for any ticket. */
  async function stampOf(command: string): Promise<"failed" | "missing" | "passed"> {
    const tree = await deps.tree.id(new AbortController().signal)
    const records = [...(await load()).replay.evidence.values()].flat()
    const runs = records.filter(
      (it) => it.evidence?.tree === tree && it.evidence.command === command,
    )
    const last = runs.toSorted((a, b) => a.ts - b.ts).at(-1)
    if (last === undefined || (await evidence.findFault(last)) !== undefined) return "missing"
    return last.evidence?.exitCode === 0 ? "passed" : "failed"
  }

  /** A person who reviews; automation is refused by `refuseMove`. */
  const reviewer = ({ actor, session, by }: BoardIdentity): Author => ({
    actor: actor === "human" ? "qa" : "auto",
    session,
    by,
  })

  return {
    stampOf,

    async move(input: ParsedInput<"ticket.move">, { caller, signal }: CallFrom): Promise<Ticket> {
      const author = deps.identify(caller, input.session)
      const commitId = input.lane === "working" ? await deps.tree.head(signal) : undefined
      return locked(async (snapshot) => {
        const ticket = findTicket(snapshot.tickets, input.id)
        const draft = { kind: "move", to: input.lane, commit: commitId, ...author } as const
        const refusal = refuseMove(stateOf(snapshot, ticket), { ...draft, from: ticket.lane })
        if (refusal !== undefined) throw MoveIllegal({ id: ticket.id, ...refusal })
        refuseUnready(ticket, input.lane)
        refuseOverLimit(snapshot, input.lane, deps)
        if (input.lane === "conclusion" && ticket.lane === "testing") refuseOpenCriteria(ticket)
        return write(snapshot, ticket, draft)
      })
    },

    async approve(
      input: ParsedInput<"ticket.approve">,
      { caller, signal }: CallFrom,
    ): Promise<Ticket> {
      const author = reviewer(deps.identify(caller, input.session))
      return locked(async (snapshot) => {
        const ticket = findTicket(snapshot.tickets, input.id)
        const draft = { kind: "approve", to: "conclusion", ...author } as const
        const asIfProved = { ...draft, from: ticket.lane, exempt: "docs" } as const
        const refusal = refuseMove(stateOf(snapshot, ticket), asIfProved)
        if (refusal !== undefined) throw MoveIllegal({ id: ticket.id, ...refusal })
        refuseOpenCriteria(ticket)
        const proof = await proofFor(ticket, snapshot, signal)
        return write(snapshot, ticket, { ...draft, ...proof })
      })
    },

    /** Throws where `approve` would, without approving. */
    async refuseUnproved({ id }: { readonly id: string }, { caller, signal }: CallFrom) {
      const author = reviewer(deps.identify(caller, undefined))
      const snapshot = await load()
      const ticket = findTicket(snapshot.tickets, id)
      if (ticket.lane === "conclusion") return
      const draft = { kind: "approve", to: "conclusion", exempt: "docs", ...author } as const
      const refusal = refuseMove(stateOf(snapshot, ticket), { ...draft, from: ticket.lane })
      if (refusal !== undefined) throw MoveIllegal({ id: ticket.id, ...refusal })
      refuseOpenCriteria(ticket)
      await proofFor(ticket, snapshot, signal)
    },

    /** The first reason why `approve` would refuse; undefined if there is none. */
    async missingFor(
      { id }: { readonly id: string },
      signal: AbortSignal,
    ): Promise<string | undefined> {
      const snapshot = await load()
      const ticket = findTicket(snapshot.tickets, id)
      if (ticket.lane !== "testing") return `it is in ${ticket.lane}, not in testing`
      try {
        refuseOpenCriteria(ticket)
        await proofFor(ticket, snapshot, signal)
        return undefined
      } catch (error) {
        if (CriteriaOpen.is(error) || EvidenceMissing.is(error)) return error.message
        throw error
      }
    },

    /** The id that evidence of the current tree has. */
    treeId: (signal: AbortSignal): Promise<string> => deps.tree.id(signal),

    /** Automation gives a ticket back. */
    async evict(input: ParsedInput<"ticket.move">, { caller }: CallFrom): Promise<Ticket> {
      const { session, by } = deps.identify(caller, input.session)
      return locked(async (snapshot) => {
        const ticket = findTicket(snapshot.tickets, input.id)
        return write(snapshot, ticket, { kind: "move", to: "backlog", actor: "evict", session, by })
      })
    },

    async reject(input: ParsedInput<"ticket.reject">, { caller }: CallFrom): Promise<Ticket> {
      const author = reviewer(deps.identify(caller, input.session))
      const feedback = (await deps.redact(withoutHiddenCharacters(input.feedback))).trim()
      return locked(async (snapshot) => {
        const ticket = findTicket(snapshot.tickets, input.id)
        return write(snapshot, ticket, { kind: "reject", to: "working", feedback, ...author })
      })
    },

    async undo(input: ParsedInput<"ticket.undo">, { caller }: CallFrom): Promise<Ticket> {
      const author = deps.identify(caller, input.session)
      return locked(async (snapshot) => {
        const ticket = findTicket(snapshot.tickets, input.id)
        const { last } = stateOf(snapshot, ticket)
        if (last === undefined) throw NothingToUndo({ id: ticket.id })
        const to = last.before.lane
        return write(snapshot, ticket, { kind: "undo", to, undoes: last.id, ...author })
      })
    },

    /** The command runs outside the lock: it may take an hour. */
    async capture(
      input: ParsedInput<"ticket.evidence">,
      { caller, signal }: CallFrom,
    ): Promise<EvidenceCaptured> {
      const author = deps.identify(caller, input.session)
      const command = input.command.join(" ")
      const isCheck = checksOf(deps.settings().checks).includes(command)
      if (caller !== undefined && !isCheck) throw CommandNotAllowed({ command })
      const { id: ticketId } = findTicket((await load()).tickets, input.id)
      const id = ids.next("be")
      const startedMs = deps.clock.monotonicMs()
      const before = await deps.tree.id(signal)
      const limits = { timeoutMs: input.timeout * 1_000, signal }
      const { output, ...result } = await evidence.runCommand(id, input.command, limits)
      const facts = {
        command: await deps.redact(command),
        ...result,
        tree: (await deps.tree.id(signal)) === before ? before : UNSETTLED,
        durationMs: Math.round(deps.clock.monotonicMs() - startedMs),
      }
      const isPassed = facts.exitCode === 0 && facts.tree !== UNSETTLED
      return locked(async (snapshot) => {
        const ticket = findTicket(snapshot.tickets, ticketId)
        const fields = { kind: "evidence", ...author, evidence: facts } as const
        const unsealed = { ...recordOf(snapshot, ticket, fields), id }
        const record = { ...unsealed, seal: await evidence.sealOf(unsealed) }
        const log = await writer.prepare(record)
        const entry = entryOf(snapshot, ticket)
        const event = { name: "board.proved", isPassed } as const
        await commit(snapshot, { ticket: entry, writes: [log.write], record, event })
        await log.remember()
        const shown = { id, at: record.ts, ...facts }
        return { evidence: shown, isPassed, tail: output.slice(-TAIL_UNITS) }
      })
    },
  }
}

type Author = Pick<LogRecord, "actor" | "by" | "session">

function checksOf(setting: string): readonly string[] {
  return setting
    .split(";")
    .map((it) => it.trim().replaceAll(/\s+/g, " "))
    .filter((it) => it !== "")
}

function refuseUnready({ id, lane, openDependencies, blockedReason }: Ticket, to: Lane): void {
  if (lane !== "backlog" || to !== "working") return
  const next = "Take another one from `qm ticket ready`."
  if (blockedReason !== null) throw MoveIllegal({ id, reason: "it is blocked", next })
  if (openDependencies.length === 0) return
  const reason = `it depends on ${openDependencies.join(", ")}`
  throw MoveIllegal({ id, reason, next })
}

function refuseOverLimit({ tickets }: BoardSnapshot, lane: Lane, { settings }: BoardDeps): void {
  const limit = limitOf(lane, settings())
  const count = tickets.filter((it) => it.lane === lane).length
  if (limit > 0 && count >= limit) throw LaneFull({ lane, limit })
}

export function limitOf(
  lane: Lane,
  { workingLimit, testingLimit }: ReturnType<BoardDeps["settings"]>,
): number {
  if (lane === "working") return workingLimit
  return lane === "testing" ? testingLimit : 0
}

function refuseOpenCriteria({ id, acceptance }: Ticket): void {
  const open = acceptance.filter((it) => !it.isDone).map((it) => it.text)
  if (open.length > 0) throw CriteriaOpen({ id, open })
}
