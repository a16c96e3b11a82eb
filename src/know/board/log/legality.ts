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

/** `TICKET` in `next` is replaced by the id of the ticket. */
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
    return refused(
      `it is in ${state.lane}, not in ${move.from ?? "a lane"}`,
      "Run `qm ticket show TICKET` to see its lane.",
    )
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
      return refused("evidence does not move a ticket", "Use `qm ticket move TICKET working`.")
    default:
      return move.kind satisfies never
  }
}

function refusePlainMove(
  { lane, isAutomated }: TicketState,
  actor: BoardActor,
  to: Lane,
): Refusal | undefined {
  if (to === lane) return refused(`it is already in ${lane}`, "Nothing is left to do.")
  switch (actor) {
    case "auto":
      return AUTOMATION_MOVES[lane].includes(to) ? undefined : refuseAutomation(lane, to)
    case "human":
      if (!PERSON_MOVES[lane].includes(to)) return refusePerson(lane, to)
      return lane === "testing" && isAutomated
        ? refused(
            "automation worked on it, so it needs an approval with evidence",
            "Run `qm ticket evidence TICKET -- npm test`, then `qm ticket approve TICKET`.",
          )
        : undefined
    case "evict":
      return lane === "working" && to === "backlog"
        ? undefined
        : refused(
            "an eviction moves a ticket from working to backlog only",
            "Use `qm ticket move TICKET working`.",
          )
    case "qa":
      return refused(
        "a reviewer approves or rejects",
        'Use `qm ticket approve TICKET` or `qm ticket reject TICKET "reason"`.',
      )
    default:
      return actor satisfies never
  }
}

function refuseAutomation(lane: Lane, to: Lane): Refusal {
  const reason = `automation moves from backlog to working to testing, not from ${lane} to ${to}`
  return refused(reason, "Leave the ticket where it is; the user approves, rejects or moves it.")
}

const PERSON_HINTS: Readonly<Record<Lane, string>> = {
  backlog: "Use `qm ticket move TICKET working`; `qm ticket move TICKET conclusion` drops it.",
  working: "Use `qm ticket move TICKET testing` or `qm ticket move TICKET backlog`.",
  testing: 'Use `qm ticket reject TICKET "reason"` or `qm ticket undo TICKET`.',
  conclusion: "Use `qm ticket move TICKET backlog`.",
}

function refusePerson(lane: Lane, to: Lane): Refusal {
  return refused(`a ticket cannot move from ${lane} to ${to}`, PERSON_HINTS[lane])
}

const BEFORE_APPROVAL: Readonly<Record<Lane, string>> = {
  backlog:
    "Run `qm ticket move TICKET working`, do the work, then `qm ticket move TICKET testing`.",
  working: "Move it first: `qm ticket move TICKET testing`.",
  testing: "Run `qm ticket show TICKET` to see its lane.",
  conclusion: "It is concluded already; nothing is left to do.",
}

function refuseApproval({ actor, from, to, proof = [], exempt }: MoveRequest): Refusal | undefined {
  if (actor !== "qa") return refused("only a user approves", "Ask the user to approve it.")
  if (from !== "testing" || to !== "conclusion")
    return refused(
      `it is in ${from}; only a ticket in testing can be approved`,
      BEFORE_APPROVAL[from ?? "conclusion"],
    )
  return proof.length > 0 || exempt === "docs"
    ? undefined
    : refused(
        "the approval names no evidence",
        "Run `qm ticket evidence TICKET -- npm test` first.",
      )
}

function refuseRejection({ actor, from, to, feedback = "" }: MoveRequest): Refusal | undefined {
  if (actor !== "qa") return refused("only a user rejects", "Ask the user to review it.")
  if (from !== "testing" || to !== "working")
    return refused(
      `it is in ${from}; only a ticket in testing can be rejected`,
      from === "backlog"
        ? 'Add what is missing: `qm ticket edit TICKET --accept "expected result"`.'
        : "Use `qm ticket move TICKET backlog`.",
    )
  return feedback.trim() === ""
    ? refused("a rejection needs feedback", 'Add it: `qm ticket reject TICKET "what is missing"`.')
    : undefined
}

function refuseUndo(
  { last }: TicketState,
  { actor, to, undoes }: MoveRequest,
): Refusal | undefined {
  if (actor !== "human") return refused("only a user undoes a move", "Ask the user to undo it.")
  const isLast = last !== undefined && last.id === undoes && last.before.lane === to
  return isLast
    ? undefined
    : refused("a later move exists", "Run `qm ticket show TICKET` to see its events.")
}

function refused(reason: string, next: string): Refusal {
  return { reason, next }
}
