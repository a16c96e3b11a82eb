import type { CommandGroup } from "#ground/contract"

/** A flag or an argument, as the command line sees one field of an operation's input. */
export type Flag = {
  /** As typed, without the dashes: `max-bytes`. */
  readonly name: string
  /** The field of the operation's input: `maxBytes`. */
  readonly key: string
  readonly type: "text" | "number" | "boolean"
  readonly values: readonly string[]
  readonly isList: boolean
  readonly isRequired: boolean
  readonly defaultText: string
  readonly description: string
}

export function flag(fields: Pick<Flag, "name" | "description"> & Partial<Flag>): Flag {
  return {
    key: fields.name,
    type: "text",
    values: [],
    isList: false,
    isRequired: false,
    defaultText: "",
    ...fields,
  }
}

/** One command. Most are derived from operations (command-index.ts); a few are built in. */
export type Command = {
  readonly words: readonly string[]
  readonly operation: string
  readonly summary: string
  readonly group: CommandGroup
  /** What stands without a name after the words, in order; only the last may be a list. */
  readonly arguments: readonly Flag[]
  readonly flags: readonly Flag[]
  /** Fields of the input that the words themselves give: `approve` is an answer that allows. */
  readonly given?: Readonly<Record<string, string>>
  /** Sentences below what it takes. */
  readonly notes?: readonly string[]
}

/** Headings of the help, in its order. A list of its own, because the contract loads zod. */
export const HELP_GROUPS: readonly CommandGroup[] = [
  "See",
  "Know",
  "Choose",
  "Act",
  "Keep",
  "Set up",
]

/** Flags that every command takes. */
export const GLOBAL_FLAGS: readonly Flag[] = [
  flag({ name: "json", type: "boolean", description: "Print the result as JSON" }),
  flag({
    name: "set",
    isList: true,
    description: "Override one setting for this call: --set tokens.encoding=o200k",
  }),
  flag({ name: "directory", description: "Work in this directory instead of here (short: -C)" }),
  flag({
    name: "color",
    values: ["auto", "always", "never"],
    description: "Colours on the terminal",
  }),
  flag({ name: "verbose", type: "boolean", description: "Log what happens to stderr (short: -v)" }),
  flag({ name: "help", type: "boolean", description: "Show help for a command (short: -h)" }),
  flag({ name: "version", type: "boolean", description: "Print the version (short: -V)" }),
]

export const SHORT_FLAGS: Readonly<Record<string, string>> = {
  "-C": "--directory",
  "-v": "--verbose",
  "-h": "--help",
  "-V": "--version",
}

/** Commands that are the command line's own business and need no operation. */
export const BUILT_IN_COMMANDS: readonly Command[] = [
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
    notes: ["Ctrl-C leaves; the run goes on; the exit code is that of `qm run`."],
  },
  {
    words: ["up"],
    operation: "up",
    summary: "Start the console and the API for this repository, and print a link",
    group: "See",
    arguments: [],
    flags: [
      flag({ name: "port", type: "number", description: "Port to listen on; 0 is any free one" }),
      flag({
        name: "open",
        type: "boolean",
        description: "Open the browser when there is a screen; --no-open does not",
      }),
      flag({
        name: "demo",
        type: "boolean",
        description: "Begin with a run of the synthetic agent to look at; it needs no key",
      }),
      flag({ name: "host", description: "Another address than loopback; dangerous" }),
      flag({
        name: "expose-to-the-network",
        key: "exposeToTheNetwork",
        type: "boolean",
        description: "Yes, other machines may reach the server at --host; needs TLS",
      }),
      flag({ name: "tls-cert", key: "tlsCert", description: "Certificate in PEM, for --host" }),
      flag({ name: "tls-key", key: "tlsKey", description: "Its key in PEM, for --host" }),
    ],
  },
  {
    words: ["open"],
    operation: "open",
    summary: "Print a fresh link to the running console, and open it",
    group: "See",
    arguments: [],
    flags: [
      flag({ name: "window", type: "boolean", description: "In a window of its own (Chromium)" }),
    ],
  },
  {
    words: ["token"],
    operation: "token",
    summary: "Print the token that scripts send as a bearer token",
    group: "Set up",
    arguments: [],
    flags: [
      flag({ name: "client", description: "For one client of our tools: it opens /mcp only" }),
    ],
  },
  {
    words: ["mcp"],
    operation: "mcp",
    summary: "Offer an agent its tools over MCP, on stdin and stdout",
    group: "Set up",
    arguments: [],
    flags: [
      flag({
        name: "tools",
        isList: true,
        defaultText: "core",
        description: "Sets of tools, one or several with commas",
      }),
    ],
    notes: [
      "An agent starts it by itself: `claude mcp add qm -- qm mcp`. Nothing but MCP is on stdout.",
      "It ends when stdin does; branches that were opened through it end with it.",
    ],
  },
  {
    words: ["gateway", "run"],
    operation: "gateway.run",
    summary: "Run a host of yours with its requests going through the gateway",
    group: "Act",
    arguments: [
      flag({
        name: "command",
        isList: true,
        isRequired: true,
        description: "The program and what it takes, behind --",
      }),
    ],
    flags: [
      flag({
        name: "mode",
        values: ["record", "fold"],
        defaultText: "record",
        description: "Only look, or also fold branches that were returned from",
      }),
      flag({
        name: "content",
        type: "boolean",
        description: "Keep the texts of requests, secrets replaced",
      }),
      flag({
        name: "wire",
        values: ["anthropic", "openai", "gemini"],
        description: "In whose words it speaks; known for claude, codex, copilot and gemini",
      }),
    ],
    notes: [
      "Such as: qm gateway run --mode fold -- claude. Nothing is written to any settings file.",
      "It ends with the exit code of the program. `qm gateway show last` tells what was sent.",
    ],
  },
  {
    words: ["hook"],
    operation: "hook",
    summary: "Run one hook by hand: an event of a host on stdin, or a hook of git",
    group: "Set up",
    arguments: [
      flag({
        name: "event",
        isRequired: true,
        description: "Such as SessionStart, or pre-commit, commit-msg, pre-push",
      }),
      flag({ name: "args", isList: true, description: "What git hands to its hook" }),
    ],
    flags: [
      flag({
        name: "host",
        values: ["claude-code", "codex", "antigravity"],
        defaultText: "claude-code",
        description: "Whose event it is",
      }),
    ],
    notes: [
      "Hosts start a small program of their own for it; this one says what that one would say.",
      "QM_SKIP=commit-msg (or pre-commit, pre-push) in the environment passes a hook of git over.",
    ],
  },
  {
    words: ["keep"],
    operation: "keep",
    summary: "Keep packages for sub-agents ready; hooks start it, and it ends by itself",
    group: "Set up",
    arguments: [],
    flags: [],
  },
  {
    words: ["tour"],
    operation: "tour",
    summary: "Walk through the commands on this repository, in half a minute",
    group: "Set up",
    arguments: [],
    flags: [],
  },
  {
    words: ["completion"],
    operation: "completion",
    summary: "Print the completion script of a shell",
    group: "Set up",
    arguments: [
      flag({
        name: "shell",
        values: ["bash", "zsh", "fish"],
        isRequired: true,
        description: "Which shell",
      }),
    ],
    flags: [],
  },
  {
    words: ["help"],
    operation: "help",
    summary: "Show help for a command",
    group: "Set up",
    arguments: [flag({ name: "command", isList: true, description: "Words of a command" })],
    flags: [],
  },
]
