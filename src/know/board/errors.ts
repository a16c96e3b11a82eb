import { defineError, formatExact, plural, visibleLine } from "#ground/base"
import { MOST_TICKETS } from "./limits.ts"

export const TicketUnknown = defineError<{ id: string }>()("BOARD_TICKET_NOT_FOUND", {
  family: "not-found",
  message: (it) => `No ticket matches ${shown(it.id)}.`,
  hint: () => "Run `qm board` to list tickets and files that could not be read.",
})

export const TicketAmbiguous = defineError<{ id: string; matches: readonly string[] }>()(
  "BOARD_TICKET_AMBIGUOUS",
  {
    family: "invalid",
    message: (it) => `${shown(it.id)} matches ${it.matches.length} tickets: ${listed(it.matches)}.`,
    hint: () => "Use more characters of the id.",
  },
)

export const TicketInvalid = defineError<{ field: string; wrong: string }>()(
  "BOARD_TICKET_INVALID",
  {
    family: "invalid",
    message: (it) => `The ${it.field} of the ticket ${it.wrong}.`,
    hint: (it) => `Correct the ${it.field} and try again; nothing was written.`,
  },
)

export const TicketFileChanged = defineError<{ file: string; problem: string }>()(
  "BOARD_FILE_CHANGED",
  {
    family: "conflict",
    message: (it) => `${shown(it.file)} cannot be edited: ${it.problem}.`,
    hint: () => "Repair the file by hand, then try again; nothing was written.",
  },
)

export const DependencyCycle = defineError<{ way: readonly string[] }>()("BOARD_CYCLE", {
  family: "conflict",
  message: (it) => `The dependency creates a cycle: ${it.way.join(" → ")}.`,
  // The first step is the refused dependency, which does not exist.
  hint: ({ way }) =>
    way[2] === undefined
      ? "A ticket cannot depend on itself. Name another ticket; `qm board` lists them."
      : `Remove another dependency of the cycle first: \`qm ticket link ${way[1]} ${way[2]} --remove\`.`,
})

export const MoveIllegal = defineError<{ id: string; reason: string; next: string }>()(
  "BOARD_MOVE_ILLEGAL",
  {
    family: "denied",
    message: (it) => `${it.id} was not moved: ${it.reason}.`,
    hint: (it) => `${it.next.replaceAll("TICKET", it.id)}`,
  },
)

export const LaneFull = defineError<{ lane: string; limit: number }>()("BOARD_LANE_FULL", {
  family: "conflict",
  message: (it) => `${it.lane} has ${plural(it.limit, "ticket")}, which is the limit.`,
  hint: (it) =>
    `Finish one first, or raise the limit: \`qm config set board.${it.lane}Limit ${it.limit + 1}\`.`,
})

export const CriteriaOpen = defineError<{ id: string; open: readonly string[] }>()(
  "BOARD_CRITERIA_OPEN",
  {
    family: "conflict",
    message: (it) =>
      `${it.id} has ${it.open.length} open acceptance ${it.open.length === 1 ? "criterion" : "criteria"}: ${shown(it.open.join("; "))}.`,
    hint: (it) =>
      `Mark the met ones by their numbers, such as \`qm ticket edit ${it.id} --check 1\`.`,
  },
)

export const EvidenceMissing = defineError<{ id: string; reason: string }>()(
  "BOARD_EVIDENCE_MISSING",
  {
    family: "conflict",
    message: (it) => `${it.id} cannot be approved: ${it.reason}.`,
    hint: (it) =>
      `Run the tests, such as \`qm ticket evidence ${it.id} -- npm test\`, and approve again.`,
  },
)

export const CommandNotAllowed = defineError<{ command: string }>()("BOARD_COMMAND_NOT_ALLOWED", {
  family: "denied",
  message: (it) => `${shown(it.command)} is not a configured check.`,
  hint: () => "Use a command of the setting board.checks, or ask the user to add this one.",
})

export const CommandNotStarted = defineError<{ command: string; reason: string }>()(
  "BOARD_COMMAND_NOT_STARTED",
  {
    family: "invalid",
    message: (it) => `${shown(it.command)} could not be started: ${it.reason}.`,
    hint: () => "Check the program's name; the command runs without a shell.",
  },
)

export const NothingToUndo = defineError<{ id: string }>()("BOARD_NOTHING_TO_UNDO", {
  family: "conflict",
  message: (it) => `${it.id} has no move to undo.`,
  hint: (it) => `\`qm ticket show ${it.id}\` lists its events.`,
})

export const BoardFull = defineError<Record<never, never>>()("BOARD_FULL", {
  family: "full",
  message: () => `The board has ${formatExact(MOST_TICKETS)} tickets, which is the limit.`,
  hint: () => "Delete files of concluded tickets from .qm/board/tickets.",
})

const LONGEST_SHOWN_UNITS = 200

function shown(text: string): string {
  return visibleLine(text.slice(0, LONGEST_SHOWN_UNITS))
}

function listed(texts: readonly string[]): string {
  return texts.slice(0, 5).join(", ")
}

export const AutonomyRefused = defineError<{ area: string; why: string }>()(
  "BOARD_NOT_AUTONOMOUS",
  {
    family: "denied",
    message: (it) => `Automation may not do this on its own (${it.area}): ${it.why}.`,
    hint: () => "Ask the user to do it. `qm autonomy` shows each area and its answer.",
  },
)
