import { z } from "zod"
import { listedBy } from "../input-fields.ts"
import { defineOperations } from "../operation.ts"
import {
  Board,
  BoardEvents,
  EvidenceCaptured,
  Lane,
  Ticket,
  TicketDetail,
  TicketList,
  TicketPriority,
  TicketSeverity,
  TicketType,
} from "../shapes/board.ts"

const TicketRef = listedBy(
  "board.show",
  z.string().min(1).max(40).describe("Ticket id, its number, or the start of its id"),
)

const session = z.string().max(200).optional().describe("Session id (default: the caller's own)")

const Line = z.string().max(1_000)
const InputPath = z.string().min(1).max(4_096)

/** Fields of a ticket that `new` and `edit` take. */
const TicketFields = {
  type: TicketType.optional().describe("Kind of work"),
  priority: TicketPriority.optional().describe("P0 is the most urgent"),
  severity: TicketSeverity.optional().describe("Effect on users"),
  complexity: z.number().min(0.5).max(100).optional().describe("Size in points"),
  slaDays: z
    .number()
    .min(0)
    .max(3_650)
    .optional()
    .describe("Days until it is due (0: no deadline; default: by priority)"),
  paths: z.array(InputPath).max(200).optional().describe("Files the work is expected to touch"),
}

export const boardOperations = defineOperations("board", {
  show: {
    summary: "Show tickets by lane, the most urgent first",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["board"], group: "Board", examples: ["qm board", "qm board --lane testing"] },
    input: z.strictObject({
      lane: Lane.optional().describe("Only this lane"),
      limit: z.int().min(1).max(5_000).default(2_000).describe("Maximum number of tickets"),
    }),
    output: Board,
    rows: { field: "tickets", id: "id", title: ["title"] },
  },
  log: {
    summary: "List moves and evidence of tickets, newest first",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { group: "Board", examples: ["qm board log --limit 20"] },
    input: z.strictObject({
      limit: z.int().min(1).max(10_000).default(50).describe("Maximum number of events"),
    }),
    output: BoardEvents,
  },
})

export const ticketOperations = defineOperations("ticket", {
  new: {
    summary: "Add a ticket to the backlog, as a file",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: {
      args: ["title"],
      group: "Board",
      examples: ['qm ticket new "Round quotes to cents" --priority P1 --accept "Totals agree"'],
    },
    input: z.strictObject({
      title: z.string().min(1).max(300).describe("Title"),
      body: z.string().max(50_000).default("").describe("Text in markdown"),
      ...TicketFields,
      dependsOn: z.array(TicketRef).max(100).default([]).describe("Tickets that must be concluded"),
      accept: z.array(Line).max(50).default([]).describe("Acceptance criterion"),
    }),
    output: Ticket,
  },
  show: {
    summary: "Show a ticket with its events and evidence",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Board", examples: ["qm ticket show 12"] },
    input: z.strictObject({ id: TicketRef }),
    output: TicketDetail,
  },
  edit: {
    summary: "Change fields of a ticket; the rest of its file stays as it is",
    effect: "write",
    surfaces: ["cli", "http", "mcp"],
    cli: {
      args: ["id"],
      omit: ["lane", "session"],
      group: "Board",
      examples: ["qm ticket edit 12 --priority P0", "qm ticket edit 12 --check 1 --check 2"],
    },
    mcp: {
      set: "board",
      rank: 2,
      name: "ticket_update",
      title: "Update a ticket",
      description:
        "Move a ticket to working or testing and mark acceptance criteria as met. Only a user moves a ticket to or from conclusion; call ticket_evidence before testing.",
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
      fields: { id: "id", lane: "lane", check: "check", uncheck: "uncheck", paths: "paths" },
      texts: {
        id: "Ticket id",
        lane: "working or testing",
        check: "Numbers of criteria that are met, from 1",
        uncheck: "Numbers of criteria that are not met",
        paths: "Files the work touches",
      },
    },
    input: z.strictObject({
      id: TicketRef,
      title: z.string().min(1).max(300).optional().describe("New title"),
      ...TicketFields,
      accept: z.array(Line).max(50).optional().describe("Add an acceptance criterion"),
      check: z
        .array(z.int().min(1).max(100))
        .max(50)
        .optional()
        .describe("Mark a criterion as met, by its number"),
      uncheck: z
        .array(z.int().min(1).max(100))
        .max(50)
        .optional()
        .describe("Mark a criterion as not met, by its number"),
      lane: Lane.optional().describe("Lane to move it to afterwards"),
      session,
    }),
    output: Ticket,
  },
  move: {
    summary: "Move a ticket to another lane",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["id", "lane"], group: "Board", examples: ["qm ticket move 12 working"] },
    input: z.strictObject({ id: TicketRef, lane: Lane.describe("Target lane"), session }),
    output: Ticket,
  },
  ready: {
    summary: "List tickets that can start now, the most urgent first",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: { group: "Board", examples: ["qm ticket ready"] },
    mcp: {
      set: "board",
      rank: 1,
      name: "ticket_next",
      title: "Next tickets",
      description:
        "List tickets that can start now, most urgent first, with acceptance criteria and paths. Take the first, then call ticket_update with lane working.",
      texts: { limit: "Default 10" },
    },
    input: z.strictObject({
      limit: z.int().min(1).max(1_000).default(10).describe("Maximum number of tickets"),
    }),
    output: TicketList,
  },
  block: {
    summary: "Mark a ticket as blocked with a reason, or unblock it",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: {
      args: ["id", "reason"],
      group: "Board",
      examples: ['qm ticket block 12 "waits for the new tariff"', "qm ticket block 12 --clear"],
    },
    input: z.strictObject({
      id: TicketRef,
      reason: z.string().max(1_000).default("").describe("Why it cannot continue"),
      clear: z.boolean().default(false).describe("Remove the reason"),
    }),
    output: Ticket,
  },
  link: {
    summary: "Make a ticket depend on another one, or remove the dependency",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["id", "on"], group: "Board", examples: ["qm ticket link 12 9"] },
    input: z.strictObject({
      id: TicketRef,
      on: listedBy(
        "board.show",
        z.string().min(1).max(40).describe("Ticket that must be concluded first"),
      ),
      remove: z.boolean().default(false).describe("Remove the dependency"),
    }),
    output: Ticket,
  },
  undo: {
    summary: "Undo the last move of a ticket",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Board", examples: ["qm ticket undo 12"] },
    input: z.strictObject({ id: TicketRef, session }),
    output: Ticket,
  },
  evidence: {
    summary: "Run a command and store its result as evidence for a ticket",
    effect: "write",
    surfaces: ["cli", "http", "mcp"],
    cli: {
      args: ["id", "command"],
      group: "Board",
      examples: ["qm ticket evidence 12 -- npm test"],
      notes: ["The command runs in the repository root, without a shell."],
    },
    mcp: {
      set: "board",
      rank: 3,
      title: "Capture evidence",
      description:
        "Run a configured check (setting board.checks) in the repository and store exit code, tree id and output hash as evidence for a ticket.",
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
      fields: { id: "id", command: "command", timeout: "timeout" },
      texts: {
        id: "Ticket id",
        command: "Program and arguments, as configured",
        timeout: "Seconds",
      },
    },
    input: z.strictObject({
      id: TicketRef,
      command: z.array(z.string().max(8_000)).min(1).max(200).describe("Program and arguments"),
      timeout: z
        .int()
        .min(1)
        .max(7_200)
        .default(1_800)
        .describe("Seconds after which the command is stopped"),
      session,
    }),
    output: EvidenceCaptured,
  },
  approve: {
    summary: "Approve a tested ticket; needs passing evidence for the current tree",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Board", examples: ["qm ticket approve 12"] },
    input: z.strictObject({ id: TicketRef, session }),
    output: Ticket,
  },
  reject: {
    summary: "Send a tested ticket back to working, with feedback",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: {
      args: ["id", "feedback"],
      group: "Board",
      examples: ['qm ticket reject 12 "The refusal must name both lengths"'],
    },
    input: z.strictObject({
      id: TicketRef,
      feedback: z.string().min(1).max(4_000).describe("What is missing or wrong"),
      session,
    }),
    output: Ticket,
  },
})
