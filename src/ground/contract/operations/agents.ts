import { z } from "zod"
import { listedBy } from "../input-fields.ts"
import { defineOperations } from "../operation.ts"
import { AgentMode } from "../shapes/agent.ts"
import {
  AgentsApprovals,
  AgentsContext,
  AgentsDeleted,
  AgentsExport,
  AgentsHandoff,
  AgentsList,
  AgentsMessages,
  AgentsParts,
  AgentsProviders,
  AgentsSaved,
  AgentsSessions,
  AgentsTimeline,
  AgentsTurns,
  Approval,
  Message,
  Run,
  RunId,
  RunStatus,
} from "../shapes/run.ts"
import { prompt, StartInput } from "./start-input.ts"

const EXIT_CODES = [
  "Exit codes: 0 when the run completed, 1 when it failed, 3 when another process or its budget " +
    "stopped it, 4 when its process ended early, 130 after Ctrl-C.",
] as const

const RunIdInput = { id: listedBy("agents.list", RunId.describe("Run id, listed by `qm runs`")) }

/** `qm runs <verb> <id>`. */
const ofRun = (verb: string) => ({ words: ["runs", verb], args: ["id"] })

const TurnIdInput = {
  id: z.string().min(1).max(100).describe("Id of the queued turn, listed by `qm runs turns`"),
}

const AgentsExportInput = z.object({
  ...RunIdInput,
  format: z
    .enum(["jsonl", "html"])
    .default("jsonl")
    .describe("jsonl can be imported, html is a page to read"),
})

export const agentsOperations = defineOperations("agents", {
  list: {
    summary: "List agent runs, newest first",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      words: ["runs"],
      group: "Runs",
      examples: ["qm runs", "qm runs --text login --status running"],
    },
    /** All given filters must match. */
    input: z.object({
      limit: z.int().min(1).max(500).default(50).describe("Maximum number of runs"),
      text: z
        .string()
        .max(200)
        .optional()
        .describe("Only runs with these words in title, prompt or messages"),
      status: z.array(RunStatus).max(20).optional().describe("Only runs in this state"),
      label: z.string().max(60).optional().describe("Only runs with this label"),
      workflow: z.string().max(60).optional().describe("Only runs in this workflow state"),
      archived: z.boolean().default(false).describe("List archived runs instead of active ones"),
    }),
    output: AgentsList,
    rows: { field: "runs", id: "id", title: ["title"] },
  },
  show: {
    summary: "Show a run: state, cost and pending approvals",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { ...ofRun("show"), group: "Runs", examples: ["qm runs show run_abc123"] },
    input: z.object(RunIdInput),
    output: Run,
  },
  messages: {
    summary: "Show the messages of a run",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      words: ["runs", "messages"],
      args: ["id"],
      group: "Runs",
      examples: ["qm runs messages run_abc123 --brief"],
    },
    input: z.object({
      ...RunIdInput,
      after: z.int().nonnegative().default(0).describe("Only messages after this number"),
      before: z
        .int()
        .positive()
        .optional()
        .describe("Only messages before this number, newest first"),
      limit: z.int().min(1).max(1_000).default(200).describe("Maximum number of messages"),
      brief: z
        .boolean()
        .default(false)
        .describe("Truncate long texts and leave out the host's raw data"),
    }),
    output: AgentsMessages,
  },
  message: {
    summary: "Show one message of a run in full, with the host's raw data",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      words: ["runs", "message"],
      args: ["id", "seq"],
      group: "Runs",
      examples: ["qm runs message run_abc123 12"],
    },
    input: z.object({
      ...RunIdInput,
      seq: z.int().positive().describe("Message number"),
    }),
    output: Message,
  },
  turns: {
    summary: "List the queued turns of a run",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { ...ofRun("turns"), group: "Runs", examples: ["qm runs turns run_abc123"] },
    input: z.object(RunIdInput),
    output: AgentsTurns,
  },
  parts: {
    summary: "Show what is added in front of a run's next turn",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { ...ofRun("parts"), group: "Runs", examples: ["qm runs parts run_abc123"] },
    input: z.object(RunIdInput),
    output: AgentsParts,
  },
  approvals: {
    summary: "List approvals that agents wait for",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      words: ["approvals"],
      group: "Runs",
      examples: ["qm approvals", "qm approvals --run run_abc123"],
    },
    input: z.object({
      run: listedBy(
        "agents.list",
        RunId.optional().describe("Run id; also lists its answered approvals"),
      ),
    }),
    output: AgentsApprovals,
    rows: { field: "approvals", id: "id", title: ["title"] },
  },
  timeline: {
    summary: "Show how long each step of a run took, with waiting times",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { ...ofRun("timeline"), group: "Runs", examples: ["qm runs timeline run_abc123"] },
    input: z.object(RunIdInput),
    output: AgentsTimeline,
  },
  context: {
    summary: "Show what is in a run's context window and what it changed",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { ...ofRun("context"), group: "Runs", examples: ["qm runs context run_abc123"] },
    input: z.object(RunIdInput),
    output: AgentsContext,
  },
  providers: {
    summary: "List supported agents and which are installed here",
    effect: "read",
    surfaces: ["http"],
    input: z.object({}),
    output: AgentsProviders,
  },
  start: {
    summary: "Start an agent on a task",
    effect: "write",
    ownerFields: { resume: "always" },
    quota: "run",
    surfaces: ["cli", "http"],
    // `qm run` works in its own process and shows the run: the agent ends with the command.
    cli: {
      words: ["run"],
      args: ["prompt"],
      group: "Runs",
      examples: [
        'qm run "add a test for the login"',
        'qm run "review this branch" --agent codex --mode plan',
      ],
      summary: "Start an agent on a task and show its work",
      flagNames: { type: "agent" },
      extraFlags: [
        {
          name: "detach",
          type: "boolean",
          description: "Hand the run to the running server and return at once",
        },
      ],
      notes: [
        "Ctrl-C stops the run; a second Ctrl-C exits at once.",
        "With --json: one line for each message, then one for the end, and nothing else on stdout.",
        ...EXIT_CODES,
      ],
    },
    input: StartInput,
    output: Run,
  },
  send: {
    summary: "Send a prompt to a run: queued as next turn, or into the current turn",
    effect: "write",
    quota: "turn",
    surfaces: ["cli", "http"],
    cli: {
      words: ["send"],
      args: ["id", "text"],
      group: "Runs",
      examples: [
        'qm send run_abc123 "Also update the docs"',
        'qm send run_abc123 "Stop at 10 files" --now',
      ],
      summary: "Send a prompt to a run; resumes a run that has ended",
      extraFlags: [{ name: "follow", type: "boolean", description: "Show the run until it ends" }],
      notes: EXIT_CODES,
    },
    input: z.object({
      ...RunIdInput,
      text: prompt.describe("Prompt for the next turn"),
      now: z
        .boolean()
        .default(false)
        .describe("Send it into the current turn, if the agent supports that"),
    }),
    output: Run,
  },
  stop: {
    summary: "Stop a run in any process; its messages are kept",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: {
      words: ["stop"],
      args: ["id"],
      group: "Runs",
      examples: ["qm stop run_abc123"],
      summary: "Stop a run and wait until it has ended; its messages are kept",
    },
    input: z.object(RunIdInput),
    output: Run,
  },
  mode: {
    summary: "Change what a running agent may do without asking",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: {
      words: ["runs", "mode"],
      args: ["id", "mode"],
      group: "Runs",
      examples: ["qm runs mode run_abc123 edits"],
    },
    input: z.object({
      ...RunIdInput,
      mode: AgentMode.describe("Actions allowed without asking, from now on"),
    }),
    output: Run,
  },
  answer: {
    summary: "Answer an approval: allow or deny; the first answer counts",
    effect: "write",
    ownerFields: { always: [true] },
    surfaces: ["cli", "http"],
    cli: [
      {
        words: ["approve"],
        args: ["id"],
        group: "Runs",
        examples: ["qm approve apr_abc123", "qm approve apr_abc123 --always"],
        summary: "Allow what an agent asks for; the first answer counts",
        flagNames: { id: "approval" },
        given: { decision: "allow" },
        omit: ["note"],
      },
      {
        words: ["deny"],
        args: ["id"],
        group: "Runs",
        examples: ['qm deny apr_abc123 --note "Use the test database"'],
        summary: "Deny what an agent asks for; the first answer counts",
        flagNames: { id: "approval" },
        given: { decision: "deny" },
        omit: ["always"],
      },
    ],
    input: z.object({
      id: listedBy(
        "agents.approvals",
        z.string().min(1).max(100).describe("Approval id, listed by `qm approvals`"),
      ),
      decision: z.enum(["allow", "deny"]).describe("allow or deny"),
      note: z.string().max(2_000).optional().describe("Reason to send to the agent"),
      always: z
        .boolean()
        .default(false)
        .describe("Also add a permission rule, so that the agent does not ask again"),
    }),
    output: Approval,
  },
  edit: {
    summary: "Rename, label or archive a run, or set its workflow state",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: {
      words: ["runs", "edit"],
      args: ["id"],
      group: "Runs",
      examples: ['qm runs edit run_abc123 --title "Login fix" --label review'],
    },
    input: z.object({
      ...RunIdInput,
      title: z.string().trim().min(1).max(200).optional().describe("New title of the run"),
      label: z
        .array(z.string().trim().min(1).max(60))
        .max(20)
        .optional()
        .describe("Label; the given labels replace the current ones"),
      unlabel: z.boolean().optional().describe("Remove all labels"),
      workflow: z
        .string()
        .trim()
        .min(1)
        .max(60)
        .optional()
        .describe("Workflow state, such as review or done"),
      archived: z.boolean().optional().describe("Archive the run; --no-archived restores it"),
    }),
    output: Run,
  },
  title: {
    summary: "Let the agent's model write the title of a run again",
    effect: "write",
    quota: "turn",
    surfaces: ["cli", "http"],
    cli: { ...ofRun("title"), group: "Runs", examples: ["qm runs title run_abc123"] },
    input: z.object(RunIdInput),
    output: Run,
  },
  rewrite: {
    summary: "Replace the text of a queued turn",
    effect: "write",
    quota: "turn",
    surfaces: ["cli", "http"],
    cli: {
      words: ["runs", "rewrite"],
      args: ["id", "text"],
      group: "Runs",
      examples: ['qm runs rewrite cmd_abc123 "Run the tests first"'],
    },
    input: z.object({
      ...TurnIdInput,
      text: prompt.describe("New text of the turn"),
    }),
    output: AgentsTurns,
  },
  drop: {
    summary: "Remove a queued turn",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: {
      words: ["runs", "drop"],
      args: ["id"],
      group: "Runs",
      examples: ["qm runs drop cmd_abc123"],
    },
    input: z.object(TurnIdInput),
    output: AgentsDeleted,
  },
  delete: {
    summary: "Stop a run and delete it with all its messages",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: {
      words: ["runs", "delete"],
      args: ["id"],
      group: "Runs",
      examples: ["qm runs delete run_abc123"],
    },
    input: z.object(RunIdInput),
    output: AgentsDeleted,
  },
  export: {
    summary: "Export a run as JSON lines or as an offline HTML page",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      words: ["runs", "export"],
      args: ["id"],
      group: "Runs",
      examples: ["qm runs export run_abc123 --format html"],
    },
    input: AgentsExportInput,
    output: AgentsExport,
  },
  save: {
    summary: "Export a run to a new file",
    effect: "write",
    // It can create files anywhere on this machine, so only the user at the terminal may call it.
    surfaces: ["cli"],
    cli: {
      words: ["runs", "save"],
      args: ["id", "file"],
      group: "Runs",
      examples: ["qm runs save run_abc123 login.html --format html"],
    },
    input: AgentsExportInput.extend({
      file: z.string().min(1).max(4_096).describe("File to create; it must not exist"),
    }),
    output: AgentsSaved,
  },
  import: {
    summary: "Import a run from an exported file",
    effect: "write",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: {
      words: ["runs", "import"],
      args: ["file"],
      group: "Runs",
      examples: ["qm runs import login.jsonl"],
    },
    input: z.object({
      file: z.string().min(1).max(4_096).describe("File written by `qm runs save`"),
    }),
    output: Run,
  },
  sessions: {
    summary: "List the sessions Claude Code and Codex stored on this machine",
    effect: "read",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: {
      words: ["sessions", "stored"],
      aliases: ["session stored", "runs sessions"],
      group: "Sessions",
      examples: ["qm sessions stored", "qm sessions stored --everywhere"],
    },
    input: z.object({
      limit: z.int().min(1).max(500).default(50).describe("Maximum number of sessions"),
      everywhere: z.boolean().default(false).describe("Include sessions of other directories"),
    }),
    output: AgentsSessions,
    rows: { field: "sessions", id: "sessionId", title: ["host", "title"] },
  },
  read: {
    summary: "Import a host's session as a run; repeat to import new messages",
    effect: "write",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: {
      words: ["runs", "import-session"],
      aliases: ["session import", "runs read"],
      args: ["session"],
      group: "Runs",
      examples: ["qm runs import-session 0f3c2a9e"],
    },
    input: z.object({
      session: listedBy(
        "agents.sessions",
        z.string().min(1).max(200).describe("Session id, listed by `qm sessions stored`"),
      ),
    }),
    output: Run,
  },
  handoff: {
    summary: "Write a handoff text from which a new session can continue a run",
    effect: "write",
    quota: "turn",
    surfaces: ["cli", "http"],
    cli: {
      words: ["runs", "handoff"],
      args: ["id"],
      group: "Runs",
      examples: ["qm runs handoff run_abc123 --start"],
    },
    input: z.object({
      ...RunIdInput,
      start: z.boolean().default(false).describe("Also start the new session with it"),
    }),
    output: AgentsHandoff,
  },
})
