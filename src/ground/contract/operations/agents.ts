import { z } from "zod"
import { AgentMode, AgentType } from "../agent.ts"
import { GatewayMode } from "../gateway.ts"
import { Message } from "../message.ts"
import { defineOperations } from "../operation.ts"
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
  Permissions,
  Run,
  RunId,
  RunStatus,
} from "../run.ts"

/** What the exit code of a command that follows a run says. */
const EXIT_CODES = [
  "Ends with 0 when the run completed, 1 when it failed, 3 when it was stopped from elsewhere or",
  "by its budget, 4 when its process ended before it did, and 130 after Ctrl-C.",
] as const

const RunIdInput = { id: RunId.describe("Id of the run") }

/** Characters of a prompt or of a further turn. */
const MOST_PROMPT_CHARACTERS = 1_000_000

const prompt = z.string().trim().min(1).max(MOST_PROMPT_CHARACTERS)

const TurnIdInput = { id: z.string().min(1).max(100).describe("Id of the turn that waits") }

const AgentsExportInput = z.object({
  ...RunIdInput,
  format: z.enum(["jsonl", "html"]).default("jsonl").describe("Lines to import, or a page to read"),
})

export const agentsOperations = defineOperations("agents", {
  list: {
    summary: "List the runs of agents, newest first",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["runs"], group: "Act" },
    /** Which runs: all of these hold at once. */
    input: z.object({
      limit: z.int().min(1).max(500).default(50).describe("At most so many runs"),
      text: z.string().max(200).optional().describe("Words of the title, the prompt or a message"),
      status: z.array(RunStatus).optional().describe("Only runs that stand so"),
      label: z.string().max(60).optional().describe("Only runs with this label"),
      workflow: z.string().max(60).optional().describe("Only runs whose work stands here"),
      archived: z.boolean().default(false).describe("Those put away, instead of the others"),
    }),
    output: AgentsList,
  },
  show: {
    summary: "Show one run: where it stands, what it cost, what it waits for",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["runs", "show"], args: ["id"], group: "Act" },
    input: z.object(RunIdInput),
    output: Run,
  },
  messages: {
    summary: "Show what was said in a run",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["runs", "messages"], args: ["id"], group: "Act" },
    input: z.object({
      ...RunIdInput,
      after: z.int().nonnegative().default(0).describe("Only messages after this number"),
      before: z.int().positive().optional().describe("The newest messages before this number"),
      limit: z.int().min(1).max(1_000).default(200).describe("At most so many messages"),
      brief: z
        .boolean()
        .default(false)
        .describe("Long texts cut, and without the host's own words"),
    }),
    output: AgentsMessages,
  },
  message: {
    summary: "Show one message of a run whole, with the host's own words",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["runs", "message"], args: ["id", "seq"], group: "Act" },
    input: z.object({
      ...RunIdInput,
      seq: z.int().positive().describe("Number of the message"),
    }),
    output: Message,
  },
  turns: {
    summary: "List the turns that wait behind a run",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["runs", "turns"], args: ["id"], group: "Act" },
    input: z.object(RunIdInput),
    output: AgentsTurns,
  },
  parts: {
    summary: "Show what is put in front of the next turn of a run",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["runs", "parts"], args: ["id"], group: "Act" },
    input: z.object(RunIdInput),
    output: AgentsParts,
  },
  approvals: {
    summary: "List what agents ask and nobody has answered",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["approvals"], group: "Act" },
    input: z.object({
      run: RunId.optional().describe("Of one run, the answered ones too"),
    }),
    output: AgentsApprovals,
  },
  timeline: {
    summary: "Show where the time of a run went, waiting for a person apart",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["runs", "timeline"], args: ["id"], group: "Act" },
    input: z.object(RunIdInput),
    output: AgentsTimeline,
  },
  context: {
    summary: "Show what is in an agent's window, what came when, and what it changed",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["runs", "context"], args: ["id"], group: "Act" },
    /** What is in the agent's window, what came when, and what the run changed. */
    input: z.object(RunIdInput),
    output: AgentsContext,
  },
  providers: {
    summary: "List the agents there are and which of them are on this machine",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["providers"], group: "Act" },
    input: z.object({}),
    output: AgentsProviders,
  },
  start: {
    summary: "Start an agent on a task",
    effect: "write",
    surfaces: ["cli", "http"],
    // `qm run` works in its own process and shows the run: a command that ended would take its agent
    // with it.
    cli: {
      words: ["run"],
      args: ["prompt"],
      group: "Act",
      summary: "Start an agent on a task and watch it work",
      flagNames: { type: "agent" },
      extraFlags: [
        {
          name: "detach",
          type: "boolean",
          description: "Leave it to the running server and come back at once",
        },
      ],
      notes: [
        "The first Ctrl-C stops the run, the second leaves at once.",
        "With --json: one line for each message, then one for the end, and nothing else on stdout.",
        ...EXIT_CODES,
      ],
    },
    /** Flat, as every input is; the REST door takes the nested form of the same. */
    input: z.object({
      prompt: prompt.describe("What it shall do"),
      type: AgentType.default("claude-code").describe("Which agent works"),
      cwd: z.string().min(1).optional().describe("Directory it works in; default: the repository"),
      model: z.string().min(1).max(200).optional().describe("Model, in the agent's own words"),
      mode: AgentMode.default("ask").describe("How much it may do without asking"),
      budgetUsd: z
        .number()
        .positive()
        .max(100_000)
        .optional()
        .describe("Stop before it costs more"),
      budgetTokens: z
        .int()
        .positive()
        .max(10_000_000_000)
        .optional()
        .describe("Stop before more tokens"),
      sources: z
        .array(z.string().min(1).max(200))
        .max(100)
        .optional()
        .describe("Only these MCP servers of the host"),
      script: z
        .string()
        .min(1)
        .max(200_000)
        .optional()
        .describe("For the synthetic agent: a name, or JSON lines"),
      env: z
        .array(
          z
            .string()
            .regex(/^[A-Za-z_]\w*=/)
            .max(32_200),
        )
        .max(100)
        .optional()
        .describe("Further variables of the agent, as NAME=value"),
      resume: z.string().min(1).max(200).optional().describe("The host's session to go on with"),
      pack: z
        .string()
        .min(1)
        .max(100)
        .optional()
        .describe("Kept package before its first turn; last for the newest"),
      gateway: GatewayMode.optional().describe(
        "Send its requests through the gateway; default: the setting gateway.mode",
      ),
    }),
    output: Run,
  },
  send: {
    summary: "Say the next thing to an agent: behind its turn, or into it",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: {
      words: ["send"],
      args: ["id", "text"],
      group: "Act",
      summary: "Say the next thing to an agent; a run that ended goes on here",
      extraFlags: [{ name: "follow", type: "boolean", description: "Watch the run until it ends" }],
      notes: EXIT_CODES,
    },
    input: z.object({
      ...RunIdInput,
      text: prompt.describe("The next turn"),
      now: z.boolean().default(false).describe("Into the running turn, if the agent can take it"),
    }),
    output: Run,
  },
  stop: {
    summary: "Stop a run, whichever process works on it; what it said is kept",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: {
      words: ["stop"],
      args: ["id"],
      group: "Act",
      summary: "Stop a run and wait until it has ended; what it said is kept",
    },
    input: z.object(RunIdInput),
    output: Run,
  },
  mode: {
    summary: "Change how much a running agent may do without asking",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { words: ["runs", "mode"], args: ["id", "mode"], group: "Act" },
    input: z.object({
      ...RunIdInput,
      mode: AgentMode.describe("How much it may do without asking, from now on"),
    }),
    output: Run,
  },
  answer: {
    summary: "Allow or deny what an agent asks; the first answer counts",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: [
      {
        words: ["approve"],
        args: ["id"],
        group: "Act",
        summary: "Allow what an agent asks; the first answer counts",
        flagNames: { id: "approval" },
        given: { decision: "allow" },
        omit: ["note"],
      },
      {
        words: ["deny"],
        args: ["id"],
        group: "Act",
        summary: "Deny what an agent asks; the first answer counts",
        flagNames: { id: "approval" },
        given: { decision: "deny" },
        omit: ["always"],
      },
    ],
    input: z.object({
      id: z.string().min(1).max(100).describe("Id of the approval, as `qm approvals` lists it"),
      decision: z.enum(["allow", "deny"]).describe("Whether the agent may"),
      note: z.string().max(2_000).optional().describe("What it is told when it may not"),
      always: z.boolean().default(false).describe("Write a rule, so that this is not asked again"),
    }),
    output: Approval,
  },
  edit: {
    summary: "Rename a run, label it, say where its work stands, or put it away",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { words: ["runs", "edit"], args: ["id"], group: "Act" },
    input: z.object({
      ...RunIdInput,
      title: z.string().trim().min(1).max(200).optional().describe("What the run is called"),
      label: z
        .array(z.string().trim().min(1).max(60))
        .max(20)
        .optional()
        .describe("Its labels, all"),
      unlabel: z.boolean().optional().describe("Take all labels off"),
      workflow: z.string().trim().min(1).max(60).optional().describe("Where the work stands"),
      archived: z.boolean().optional().describe("Put it away, or take it out again"),
    }),
    output: Run,
  },
  rewrite: {
    summary: "Change the words of a turn that waits",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { words: ["runs", "rewrite"], args: ["id", "text"], group: "Act" },
    input: z.object({
      ...TurnIdInput,
      text: prompt.describe("The new words"),
    }),
    output: AgentsTurns,
  },
  drop: {
    summary: "Take a turn that waits out of the queue",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { words: ["runs", "drop"], args: ["id"], group: "Act" },
    input: z.object(TurnIdInput),
    output: AgentsDeleted,
  },
  delete: {
    summary: "Stop a run and delete all it said",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { words: ["runs", "delete"], args: ["id"], group: "Act" },
    input: z.object(RunIdInput),
    output: AgentsDeleted,
  },
  export: {
    summary: "Give a run as lines that can be imported, or as one page that opens offline",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["runs", "export"], args: ["id"], group: "Act" },
    input: AgentsExportInput,
    output: AgentsExport,
  },
  save: {
    summary: "Write a run into a new file, as lines or as a page",
    effect: "write",
    // It can name any file of this machine: for the person before it only.
    surfaces: ["cli"],
    cli: { words: ["runs", "save"], args: ["id", "file"], group: "Act" },
    input: AgentsExportInput.extend({
      file: z.string().min(1).describe("A file that is not there yet"),
    }),
    output: AgentsSaved,
  },
  import: {
    summary: "Take in a run that was exported as lines",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { words: ["runs", "import"], args: ["file"], group: "Act" },
    input: z.object({
      file: z.string().min(1).describe("A session.jsonl of Quartermaster"),
    }),
    output: Run,
  },
  sessions: {
    summary: "List the sessions that Claude Code and Codex kept on this machine",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["runs", "sessions"], group: "Act" },
    input: z.object({
      limit: z.int().min(1).max(500).default(50).describe("At most so many sessions"),
      everywhere: z
        .boolean()
        .default(false)
        .describe("Of all directories, not only this repository"),
    }),
    output: AgentsSessions,
  },
  read: {
    summary: "Read a host's session into a run; again, and only what is new is read",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { words: ["runs", "read"], args: ["session"], group: "Act" },
    input: z.object({
      session: z.string().min(1).max(200).describe("Id of a host's session"),
    }),
    output: Run,
  },
  handoff: {
    summary: "Make the package with which a fresh session goes on with the work of a run",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { words: ["runs", "handoff"], args: ["id"], group: "Act" },
    /** What a fresh session needs of one whose window is nearly full. */
    input: z.object({
      ...RunIdInput,
      start: z.boolean().default(false).describe("Start the fresh session with it"),
    }),
    output: AgentsHandoff,
  },
})

export const permissionsOperations = defineOperations("permissions", {
  list: {
    summary: "List the rules over what agents may do, in the order in which they are tried",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["permissions"], group: "Act" },
    input: z.object({}),
    output: Permissions,
  },
  add: {
    summary: "Write a rule into the project's file",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["decision"], group: "Act" },
    input: z.object({
      decision: z.enum(["allow", "ask", "deny"]).describe("What happens when it matches"),
      tool: z.string().min(1).max(200).optional().describe("Name of the tool, or a pattern with *"),
      command: z
        .string()
        .min(1)
        .max(2_000)
        .optional()
        .describe("A whole command, or its beginning *"),
      path: z.string().min(1).max(1_000).optional().describe("A glob, from the repository's root"),
    }),
    output: Permissions,
  },
  remove: {
    summary: "Take a rule out of the project's file",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Act" },
    input: z.object({
      id: z.string().min(1).max(100).describe("Id of the rule"),
    }),
    output: Permissions,
  },
  trust: {
    summary: "Approve the project's file of rules as it is now",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { group: "Act" },
    input: z.object({
      digest: z
        .string()
        .min(1)
        .max(100)
        .optional()
        .describe("Of the file as you read it; refused when it is another one by now"),
    }),
    output: Permissions,
  },
})
