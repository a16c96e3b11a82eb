import type { BoardActor, Lane } from "#ground/contract"
import type { LogRecord } from "./log-record.ts"

/** Where a ticket is, and what decides which moves are legal. */
export type TicketState = {
  readonly lane: Lane
  readonly since: number | undefined
  /** Automation moved it at least once. It stays true: the work may still be in the tree. */
  readonly isAutomated: boolean
  readonly isDropped: boolean
  /** HEAD when it last entered working from the backlog. */
  readonly baseCommit: string | undefined
  /** The last event with an effect, and the state before it. */
  readonly last: { readonly id: string; readonly before: TicketState } | undefined
}

export const NEW_TICKET: TicketState = {
  lane: "backlog",
  since: undefined,
  isAutomated: false,
  isDropped: false,
  baseCommit: undefined,
  last: undefined,
}

type MoveRequest = Pick<
  LogRecord,
  "actor" | "exempt" | "feedback" | "from" | "kind" | "proof" | "to" | "undoes"
>

type Refusal = { readonly reason: string; readonly next: string }

const PERSON_MOVES: Readonly<Record<Lane, readonly Lane[]>> = {
  backlog: ["working", "conclusion"],
  working: ["backlog", "testing"],
  testing: ["conclusion"],
  conclusion: ["backlog"],
}

const AUTOMATION_MOVES: Readonly<Record<Lane, readonly Lane[]>> = {
  backlog: ["working"],
  working: ["testing"],
  testing: [],
  conclusion: [],
}

/**
 * The only place that decides whether a move is legal: before an event is written, and again when a
 * log is replayed. Undefined if it is.
 */
export function refuseMove(state: TicketState, move: MoveRequest): Refusal | undefined {
  if (move.from !== state.lane)
    return refused(`it is in ${state.lane}, not in ${move.from ?? "a lane"}`, "Look at it again.")
  if (move.to === undefined) return refused("the event names no lane", "Name a lane.")
  switch (move.kind) {
    case "move":
      return refusePlainMove(state, move.actor, move.to)
    case "approve":
      return refuseApproval(move)
    case "reject":
      return refuseRejection(move)
    case "undo":
      return refuseUndo(state, move)
    case "evidence":
      return refused("evidence moves no ticket", "Use a move.")
    default:
      return move.kind satisfies never
  }
}

function refusePlainMove(
  { lane, isAutomated }: TicketState,
  actor: BoardActor,
  to: Lane,
): Refusal | undefined {
  if (to === lane) return refused(`it already is in ${lane}`, "Nothing is left to do.")
  switch (actor) {
    case "auto":
      return AUTOMATION_MOVES[lane].includes(to) ? undefined : refuseAutomation(lane, to)
    case "human":
      if (!PERSON_MOVES[lane].includes(to)) return refusePerson(lane, to)
      return lane === "testing" && isAutomated
        ? refused(
            "automation worked on it, so it needs an approval with evidence",
            "Capture evidence with `qm ticket evidence`, then run `qm ticket approve`.",
          )
        : undefined
    case "evict":
      return lane === "working" && to === "backlog"
        ? undefined
        : refused("an eviction only moves from working to backlog", "Use another command.")
    case "qa":
      return refused("a reviewer approves or rejects", "Use `qm ticket approve` or `reject`.")
    default:
      return actor satisfies never
  }
}

function refuseAutomation(lane: Lane, to: Lane): Refusal {
  const reason = `automation moves from backlog to working to testing, not from ${lane} to ${to}`
  return refused(reason, "Leave the ticket where it is; the user approves, rejects or moves it.")
}

function refusePerson(lane: Lane, to: Lane): Refusal {
  const isBack = lane === "testing"
  return refused(
    `no move leads from ${lane} to ${to}`,
    isBack
      ? "Use `qm ticket reject` with feedback, or `qm ticket undo`."
      : `Possible: ${PERSON_MOVES[lane].join(", ")}.`,
  )
}

function refuseApproval({ actor, from, to, proof = [], exempt }: MoveRequest): Refusal | undefined {
  if (actor !== "qa") return refused("only a user approves", "Ask the user to approve it.")
  if (from !== "testing" || to !== "conclusion")
    return refused("an approval leads from testing to conclusion", "Move it to testing first.")
  return proof.length > 0 || exempt === "docs"
    ? undefined
    : refused("the approval names no evidence", "Capture evidence with `qm ticket evidence`.")
}

function refuseRejection({ actor, from, to, feedback = "" }: MoveRequest): Refusal | undefined {
  if (actor !== "qa") return refused("only a user rejects", "Ask the user to review it.")
  if (from !== "testing" || to !== "working")
    return refused("a rejection leads from testing to working", "Use `qm ticket move`.")
  return feedback.trim() === ""
    ? refused("a rejection needs feedback", "Say what is missing or wrong.")
    : undefined
}

function refuseUndo(
  { last }: TicketState,
  { actor, to, undoes }: MoveRequest,
): Refusal | undefined {
  if (actor !== "human") return refused("only a user undoes a move", "Ask the user to undo it.")
  const isLast = last !== undefined && last.id === undoes && last.before.lane === to
  return isLast ? undefined : refused("another move followed", "Look at it again.")
}

function refused(reason: string, next: string): Refusal {
  return { reason, next }
}
