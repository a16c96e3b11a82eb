import type { Command } from "./command.ts"
import { flag } from "./flag.ts"

const RUN_ID = flag({ name: "id", isRequired: true, description: "Id of the run" })
const APPROVAL_ID = flag({
  name: "approval",
  key: "id",
  isRequired: true,
  description: "Id of the approval, as `qm approvals` lists it",
})

/** What the exit code of a command that follows a run says. */
const EXIT_CODES = [
  "Ends with 0 when the run completed, 1 when it failed, 3 when it was stopped from elsewhere or",
  "by its budget, 4 when its process ended before it did, and 130 after Ctrl-C.",
]

/**
 * Commands of runs that are written by hand: they show a run while it works, or give an operation
 * a name of their own. What they take is what the operation takes (run-commands.test.ts).
 */
export const RUN_COMMANDS: readonly Command[] = [
  {
    words: ["run"],
    operation: "run",
    summary: "Start an agent on a task and watch it work",
    group: "Act",
    arguments: [flag({ name: "prompt", isRequired: true, description: "What it shall do" })],
    flags: [
      flag({
        name: "agent",
        key: "type",
        values: ["claude-code", "codex", "copilot", "synthetic"],
        defaultText: "claude-code",
        description: "Which agent works",
      }),
      flag({ name: "cwd", description: "Directory it works in; default: the repository" }),
      flag({
        name: "mode",
        values: ["plan", "ask", "edits", "auto"],
        defaultText: "ask",
        description: "How much it may do without asking",
      }),
      flag({ name: "model", description: "Model, in the agent's own words" }),
      flag({
        name: "budget-usd",
        key: "budgetUsd",
        type: "number",
        description: "Stop before it costs more",
      }),
      flag({
        name: "budget-tokens",
        key: "budgetTokens",
        type: "number",
        description: "Stop before more tokens",
      }),
      flag({ name: "sources", isList: true, description: "Only these MCP servers of the host" }),
      flag({ name: "script", description: "For the synthetic agent: a name, or JSON lines" }),
      flag({ name: "env", isList: true, description: "A variable of the agent, as NAME=value" }),
      flag({ name: "resume", description: "The host's session to go on with" }),
      flag({
        name: "pack",
        description: "Kept package before its first turn; last for the newest",
      }),
      flag({
        name: "gateway",
        values: ["off", "record", "fold"],
        description: "Send its requests through the gateway; default: gateway.mode",
      }),
      flag({
        name: "detach",
        type: "boolean",
        description: "Leave it to the running server and come back at once",
      }),
    ],
    notes: [
      "The first Ctrl-C stops the run, the second leaves at once.",
      "With --json: one line for each message, then one for the end, and nothing else on stdout.",
      ...EXIT_CODES,
    ],
  },
  {
    words: ["send"],
    operation: "send",
    summary: "Say the next thing to an agent; a run that ended goes on here",
    group: "Act",
    arguments: [
      RUN_ID,
      flag({ name: "text", isRequired: true, description: "The next turn, or a word in between" }),
    ],
    flags: [
      flag({
        name: "now",
        type: "boolean",
        description: "Into the running turn, if the agent can take it",
      }),
      flag({ name: "follow", type: "boolean", description: "Watch the run until it ends" }),
    ],
    notes: EXIT_CODES,
  },
  {
    words: ["attach"],
    operation: "attach",
    summary: "Watch a run of any process until it ends, and leave it alone",
    group: "Act",
    arguments: [
      flag({ name: "id", description: "Id of the run; without it the newest that runs" }),
    ],
    flags: [
      flag({ name: "after", type: "number", description: "Only messages after this number" }),
      flag({ name: "tail", type: "number", description: "Begin with the last so many messages" }),
    ],
    notes: ["Ctrl-C leaves; the run goes on.", ...EXIT_CODES],
  },
  {
    words: ["stop"],
    operation: "stop",
    summary: "Stop a run and wait until it has ended; what it said is kept",
    group: "Act",
    arguments: [RUN_ID],
    flags: [],
  },
  {
    words: ["approve"],
    operation: "answer",
    given: { decision: "allow" },
    summary: "Allow what an agent asks; the first answer counts",
    group: "Act",
    arguments: [APPROVAL_ID],
    flags: [
      flag({
        name: "always",
        type: "boolean",
        description: "Write a rule, so that this is not asked again",
      }),
    ],
  },
  {
    words: ["deny"],
    operation: "answer",
    given: { decision: "deny" },
    summary: "Deny what an agent asks; the first answer counts",
    group: "Act",
    arguments: [APPROVAL_ID],
    flags: [flag({ name: "note", description: "What the agent is told" })],
  },
]
