import type { AgentType, CommandGroup, ListedRows } from "#ground/contract"

export type Flag = {
  /** Without the dashes: `max-bytes`. */
  readonly name: string
  /** Name before a rename; still accepted. */
  readonly formerName?: string
  /** Field of the operation's input: `maxBytes`. */
  readonly key: string
  readonly type: "text" | "number" | "boolean"
  readonly values: readonly string[]
  readonly isList: boolean
  readonly isRequired: boolean
  readonly defaultText: string
  readonly description: string
  /** Operation whose rows complete it at the shell. */
  readonly listedBy?: string
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

/** Most commands are derived from operations (derive-commands.ts); a few are built in. */
export type Command = {
  readonly words: readonly string[]
  readonly operation: string
  readonly summary: string
  readonly group: CommandGroup
  /** In order; only the last may be a list. */
  readonly arguments: readonly Flag[]
  readonly flags: readonly Flag[]
  /** Input fields with fixed values: `approve` sends `decision: "allow"`. */
  readonly given?: Readonly<Record<string, string>>
  readonly examples: readonly string[]
  /** Sentences at the end of the help. */
  readonly notes?: readonly string[]
  /** The command that help lists instead of this alias, such as `memory` for `memory list`. */
  readonly aliasOf?: string
  /** For a list whose rows complete flags and arguments. */
  readonly rows?: ListedRows
}

/** Topics of `qm help --all`, in order. A list of its own, because the contract loads zod. */
export const HELP_TOPICS: readonly { readonly name: CommandGroup; readonly about: string }[] = [
  { name: "Context", about: "what an agent loads" },
  { name: "Code", about: "find code, select context for a task" },
  { name: "Knowledge", about: "documents and other sources" },
  { name: "Runs", about: "start, watch and steer agents" },
  { name: "Guard", about: "permissions and risky edits" },
  { name: "Pipelines", about: "recipes that run in stages" },
  { name: "Memory", about: "what agents should remember" },
  { name: "Sessions", about: "who works on what" },
  { name: "Board", about: "tickets, evidence and approvals" },
  { name: "Gateway", about: "requests that agents send to models" },
  { name: "Store", about: "stored data and measurements" },
  { name: "People", about: "roles, tokens and machines of a team" },
  { name: "Setup", about: "install, configure, connect" },
]

/** The topic of `qm help <topic>`, in upper or lower case. */
export function findTopic(words: readonly string[]): CommandGroup | undefined {
  const name = words.join(" ").toLowerCase()
  return HELP_TOPICS.find((it) => it.name.toLowerCase() === name)?.name
}

/** Flags that every command takes. */
export const GLOBAL_FLAGS: readonly Flag[] = [
  flag({ name: "json", type: "boolean", description: "Print the result as JSON" }),
  flag({
    name: "set",
    isList: true,
    description: "Override a setting for this call: --set tokens.encoding=o200k",
  }),
  flag({ name: "directory", description: "Directory to work in (short: -C; default: here)" }),
  flag({
    name: "color",
    values: ["auto", "always", "never"],
    defaultText: "auto",
    description: "When to use colors",
  }),
  flag({ name: "verbose", type: "boolean", description: "Write a log to stderr (short: -v)" }),
  flag({ name: "help", type: "boolean", description: "Show help for a command (short: -h)" }),
  flag({ name: "version", type: "boolean", description: "Print the version (short: -V)" }),
]

export const SHORT_FLAGS: Readonly<Record<string, string>> = {
  "-C": "--directory",
  "-v": "--verbose",
  "-h": "--help",
  "-V": "--version",
}

const ALLOWED_AGENTS: readonly AgentType[] = [
  "claude-code",
  "codex",
  "copilot",
  "gemini",
  "opencode",
  "acp",
  "synthetic",
]

/** Commands of the command line itself, without an operation. */
export const BUILT_IN_COMMANDS: readonly Command[] = [
  {
    words: ["attach"],
    operation: "attach",
    summary: "Follow a run of any process until it ends",
    group: "Runs",
    arguments: [
      flag({
        name: "id",
        description: "Run id (default: the newest running one)",
        listedBy: "agents.list",
      }),
    ],
    flags: [
      flag({ name: "after", type: "number", description: "Only messages after this number" }),
      flag({ name: "tail", type: "number", description: "Start with this many recent messages" }),
    ],
    examples: ["qm attach", "qm attach run_abc123 --tail 20"],
    notes: ["Ctrl-C detaches and the run continues. Exit codes are those of `qm run`."],
  },
  {
    words: ["up"],
    operation: "up",
    summary: "Start the console and API for this repository and print a link",
    group: "Setup",
    arguments: [],
    flags: [
      flag({
        name: "port",
        type: "number",
        description: "Port; 0 uses any free port (default: setting server.port)",
      }),
      flag({
        name: "open",
        type: "boolean",
        description: "Open the browser if there is a display; --no-open prevents it",
      }),
      flag({
        name: "demo",
        type: "boolean",
        description: "Start with a sample run of the synthetic agent; needs no key",
      }),
      flag({ name: "host", description: "Address other than loopback; dangerous" }),
      flag({
        name: "expose-to-the-network",
        key: "exposeToTheNetwork",
        type: "boolean",
        description: "Confirm that other machines may reach --host; needs TLS",
      }),
      flag({ name: "tls-cert", key: "tlsCert", description: "PEM certificate file for --host" }),
      flag({ name: "tls-key", key: "tlsKey", description: "PEM key file for --host" }),
    ],
    examples: ["qm up", "qm up --port 0 --no-open"],
  },
  {
    words: ["open"],
    operation: "open",
    summary: "Print a new link to the running console and open it",
    group: "Setup",
    arguments: [],
    flags: [
      flag({ name: "window", type: "boolean", description: "Open in its own window (Chromium)" }),
    ],
    examples: ["qm open"],
  },
  {
    words: ["token"],
    operation: "token",
    summary: "Print the bearer token for scripts",
    group: "Setup",
    arguments: [],
    flags: [
      flag({ name: "client", description: "Client name; its token is valid for /mcp only" }),
      flag({
        name: "revoke",
        type: "boolean",
        description: "End all sessions and client tokens, then print a new token",
      }),
    ],
    examples: ["qm token", "qm token --client ci", "qm token --revoke"],
  },
  {
    words: ["mcp"],
    operation: "mcp",
    summary: "Serve the MCP tools to an agent on stdin and stdout",
    group: "Setup",
    arguments: [],
    flags: [
      flag({
        name: "tools",
        isList: true,
        defaultText: "core",
        description:
          "Tool sets, separated by commas: core, knowledge, sessions, board, work, sources",
      }),
    ],
    examples: ["claude mcp add qm -- qm mcp", "qm mcp --tools core,sessions"],
    notes: [
      "Agents start it themselves. Only MCP messages are written to stdout.",
      "It ends when stdin closes, and ends the branches opened through it.",
      "`qm capture --ask-servers` counts the tokens of its tools.",
    ],
  },
  {
    words: ["acp"],
    operation: "acp",
    summary: "Connect an editor to an agent and record its sessions",
    group: "Runs",
    arguments: [
      flag({
        name: "command",
        isList: true,
        isRequired: true,
        description: "Agent that speaks the Agent Client Protocol, and its arguments, after --",
      }),
    ],
    flags: [
      flag({ name: "pack", description: "Stored package before the first prompt of a session" }),
    ],
    examples: ["qm acp -- claude-agent-acp", "qm acp --pack pk_abc123 -- opencode acp"],
    notes: [
      "An editor such as Zed starts it instead of the agent. Messages are passed on unchanged.",
      "Sessions are recorded as runs. Permission rules and the guard may deny an action.",
    ],
  },
  {
    words: ["connect"],
    operation: "connect",
    summary: "Connect this repository to a team server and take runs with consent",
    group: "People",
    arguments: [
      flag({ name: "url", description: "Address of the server (default: the last one)" }),
    ],
    flags: [
      flag({
        name: "allow",
        isList: true,
        values: ALLOWED_AGENTS,
        description: "Agent whose runs start without a question",
      }),
      flag({
        name: "token-stdin",
        key: "tokenStdin",
        type: "boolean",
        description: "Read the token of a person from stdin instead of a prompt",
      }),
    ],
    examples: ["qm connect https://qm.example.org", "qm connect --allow claude-code"],
    notes: [
      "Runs until Ctrl-C. Each run is a question (y/N) unless --allow names its agent.",
      "The token is stored encrypted. Nothing is shared unless `qm connect share` turns it on.",
    ],
  },
  {
    words: ["connect", "status"],
    operation: "connect.status",
    summary: "Show connected repositories: server, what is shared, last contact",
    group: "People",
    arguments: [],
    flags: [],
    examples: ["qm connect status"],
  },
  {
    words: ["connect", "share"],
    operation: "connect.share",
    summary: "Turn sharing of sessions, board or memory of this repository on or off",
    group: "People",
    arguments: [
      flag({
        name: "kind",
        values: ["sessions", "board", "memory"],
        isRequired: true,
        description: "Records of this repository",
      }),
      flag({ name: "state", values: ["on", "off"], isRequired: true, description: "on or off" }),
    ],
    flags: [],
    examples: ["qm connect share board on", "qm connect share board off"],
  },
  {
    words: ["connect", "forget"],
    operation: "connect.forget",
    summary: "Remove the connection of this repository, its token and what it shares",
    group: "People",
    arguments: [],
    flags: [],
    examples: ["qm connect forget"],
  },
  {
    words: ["gateway", "run"],
    operation: "gateway.run",
    summary: "Run an agent and record its model requests",
    group: "Gateway",
    arguments: [
      flag({
        name: "command",
        isList: true,
        isRequired: true,
        description: "Program and its arguments, after --",
      }),
    ],
    flags: [
      flag({
        name: "mode",
        values: ["record", "fold"],
        defaultText: "record",
        description: "Only record, or also fold returned branches",
      }),
      flag({
        name: "content",
        type: "boolean",
        description: "Store the text of requests, with secrets redacted",
      }),
      flag({
        name: "auto-fold",
        key: "autoFold",
        values: ["off", "suggest", "on"],
        description: "Mask old tool results (default: setting gateway.autoFold)",
      }),
      flag({
        name: "at",
        description: "Fill of the window at which masks start, e.g. 60%",
      }),
      flag({
        name: "wire",
        values: ["anthropic", "openai", "gemini"],
        description: "API format (default: derived for claude, codex, copilot and gemini)",
      }),
    ],
    examples: [
      "qm gateway run -- claude",
      "qm gateway run --mode fold -- claude",
      "qm gateway run --mode fold --auto-fold on --at 60% -- claude",
    ],
    notes: [
      "No settings file is changed. The exit code is that of the program.",
      "Then show the requests with `qm gateway show last`.",
    ],
  },
  {
    words: ["hook"],
    operation: "hook",
    summary: "Run one hook by hand: a host's event from stdin, or a git hook",
    group: "Setup",
    arguments: [
      flag({
        name: "event",
        isRequired: true,
        description: "SessionStart and other host events; pre-commit, commit-msg, pre-push",
      }),
      flag({ name: "args", isList: true, description: "Arguments that git passes to its hook" }),
    ],
    flags: [
      flag({
        name: "host",
        values: ["claude-code", "codex", "antigravity"],
        defaultText: "claude-code",
        description: "Host of the event",
      }),
    ],
    examples: ["qm hook SessionStart < event.json", "qm hook pre-commit"],
    notes: [
      "Hosts start the program qm-hook instead; it gives the same response.",
      "The environment variable QM_SKIP=commit-msg (or pre-commit, pre-push) skips a git hook.",
    ],
  },
  {
    words: ["statusline"],
    operation: "statusline",
    summary: "Print one line about a Claude Code session, from its JSON on stdin",
    group: "Setup",
    arguments: [],
    flags: [],
    examples: ["qm statusline < status.json"],
    notes: ["`qm init --statusline` sets it up in Claude Code."],
  },
  {
    words: ["keep"],
    operation: "keep",
    summary: "Run the index daemon; hooks start it and it ends by itself",
    group: "Setup",
    arguments: [],
    flags: [],
    examples: ["qm keep"],
  },
  {
    words: ["tour"],
    operation: "tour",
    summary: "Try the main commands on this repository, in half a minute",
    group: "Setup",
    arguments: [],
    flags: [],
    examples: ["qm tour"],
  },
  {
    words: ["completion"],
    operation: "completion",
    summary: "Print the completion script for a shell",
    group: "Setup",
    arguments: [
      flag({
        name: "shell",
        values: ["bash", "zsh", "fish"],
        isRequired: true,
        description: "Shell",
      }),
    ],
    flags: [],
    examples: ["source <(qm completion bash)", "qm completion fish | source"],
  },
  {
    words: ["version"],
    operation: "version",
    summary: "Print the versions of qm, Node and SQLite",
    group: "Setup",
    arguments: [],
    flags: [],
    examples: ["qm version"],
  },
  {
    words: ["help"],
    operation: "help",
    summary: "Show help for a command or topic",
    group: "Setup",
    arguments: [flag({ name: "command", isList: true, description: "Command or topic" })],
    flags: [
      flag({ name: "all", type: "boolean", description: "List all commands by topic" }),
      flag({ name: "man", type: "boolean", description: "Print the manual page for man" }),
    ],
    examples: ["qm help capture", "qm help pipelines", "qm help --all", "qm help --man | man -l -"],
  },
]
