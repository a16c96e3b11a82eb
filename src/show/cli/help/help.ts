import { type Command, type Flag, findTopic, GLOBAL_FLAGS, HELP_TOPICS } from "../command.ts"
import { argumentText, placeholder } from "../parse.ts"
import { fitText, table } from "../terminal/layout.ts"
import type { Screen } from "../terminal/screen.ts"

type HelpRequest = { readonly words: readonly string[]; readonly isAll?: boolean }

/** The commands of the short help, by the question of a user. Each example parses as written. */
export const FEATURED: readonly {
  readonly question: string
  readonly rows: readonly (readonly [example: string, what: string])[]
}[] = [
  {
    question: "See what my agent loads",
    rows: [
      ["qm capture", "Show files in load order, with reasons and tokens"],
      ["qm tokens CLAUDE.md", "Count the tokens of files"],
    ],
  },
  {
    question: "Give it what a task needs",
    rows: [
      ['qm pack "fix the login"', "Select files and symbols within a budget"],
      ['qm search "session token"', "Find files and symbols by words"],
      ["qm map show src/server.ts", "Show callers and dependencies"],
    ],
  },
  {
    question: "Watch and steer runs",
    rows: [
      ['qm run "add a login test"', "Start an agent and show its work"],
      ["qm status", "Show running agents and pending approvals"],
      ["qm runs", "List runs; then `qm approve`, `qm send`, `qm stop`"],
    ],
  },
  {
    question: "Keep what matters",
    rows: [
      ['qm memory search "tests"', "Search what agents should remember"],
      ["qm decision", "List decisions and their reasons"],
    ],
  },
  {
    question: "Set up",
    rows: [
      ["qm init", "Install hooks in your agents; shows a plan first"],
      ["qm up", "Start the console in the browser"],
      ["qm doctor", "Check this machine"],
    ],
  },
]

/** The short help, all commands, one topic, the commands that start with a word, or one command. */
export function renderHelp(
  { words, isAll = false }: HelpRequest,
  commands: readonly Command[],
  screen: Screen,
): string {
  return fitText(helpText({ words, isAll }, commands, screen), screen)
}

function helpText(request: HelpRequest, commands: readonly Command[], screen: Screen): string {
  const { words } = request
  const listed = commands.filter((it) => it.aliasOf === undefined)
  if (words.length === 0) {
    return request.isAll === true ? renderAll(listed, screen) : renderShort(screen)
  }
  const startsWithWords = (it: Command) => words.every((word, i) => it.words[i] === word)
  const exact = commands.find((it) => it.words.length === words.length && startsWithWords(it))
  if (exact !== undefined) {
    const others = listed.filter((it) => startsWithWords(it) && it.operation !== exact.operation)
    return renderCommand(exact, { others, aliases: aliasesOf(exact, commands) }, screen)
  }
  const topic = findTopic(words)
  const members = topic === undefined ? listed.filter(startsWithWords) : commandsOf(topic, listed)
  return [
    `${screen.paint.bold("Usage")}  qm <command> [flags]`,
    "",
    listCommands(members, screen),
    "",
    screen.paint.muted(`For one command: qm help ${members[0]?.words.join(" ") ?? "<command>"}`),
    "",
  ].join("\n")
}

function commandsOf(topic: string, commands: readonly Command[]): readonly Command[] {
  return commands.filter((it) => it.group === topic)
}

function renderShort(screen: Screen): string {
  const { paint } = screen
  const rows = FEATURED.flatMap((it) => it.rows)
  const column = Math.max(...rows.map(([example]) => example.length))
  const sections = FEATURED.flatMap((section) => [
    paint.bold(section.question),
    ...section.rows.map(([example, what]) => `  ${example.padEnd(column)}  ${what}`),
    "",
  ])
  return [
    `${paint.bold("qm")}, Quartermaster: the context engine for coding agents`,
    "",
    ...sections,
    paint.bold("More"),
    `  ${"qm help --all".padEnd(column)}  List all commands by topic`,
    `  ${"qm help capture".padEnd(column)}  Explain one command, with examples`,
    `  ${"qm tour".padEnd(column)}  Try the main commands on this repository`,
    "",
    paint.muted("Every command takes --json, --help, -C <directory> and --set <key>=<value>."),
    "",
  ].join("\n")
}

function renderAll(commands: readonly Command[], screen: Screen): string {
  const { paint } = screen
  const topics = HELP_TOPICS.flatMap((topic) => {
    const members = commandsOf(topic.name, commands)
    if (members.length === 0) return []
    return [
      "",
      `${paint.bold(topic.name)}${paint.muted(`: ${topic.about}`)}`,
      listCommands(members, screen),
    ]
  })
  return [
    `${paint.bold("Usage")}  qm <command> [arguments] [flags]`,
    ...topics,
    "",
    paint.bold("Flags of every command"),
    flagRows(GLOBAL_FLAGS, usageOfFlag, screen),
    "",
    paint.muted("For one command, with examples: qm help <command>"),
    "",
  ].join("\n")
}

function aliasesOf(command: Command, commands: readonly Command[]): readonly string[] {
  const name = command.words.join(" ")
  const listed = command.aliasOf ?? name
  const all = [
    listed,
    ...commands.flatMap((it) => (it.aliasOf === listed ? [it.words.join(" ")] : [])),
  ]
  return all.filter((it) => it !== name)
}

type Context = { readonly others: readonly Command[]; readonly aliases: readonly string[] }

function renderCommand(command: Command, { others, aliases }: Context, screen: Screen): string {
  const { paint } = screen
  const { arguments: args, flags, notes = [] } = command
  const section = (title: string, body: string) =>
    body === "" ? [] : ["", paint.bold(title), body]
  return [
    `${paint.bold("Usage")}  qm ${usageOf(command)}${flags.length > 0 ? " [flags]" : ""}`,
    "",
    command.summary,
    ...(aliases.length === 0 ? [] : [`Same as: ${aliases.map((it) => `qm ${it}`).join(", ")}`]),
    ...section("Arguments", flagRows(args, argumentText, screen)),
    ...section("Flags", flagRows(flags, usageOfFlag, screen)),
    ...section("Examples", command.examples.map((it) => `  ${it}`).join("\n")),
    ...(notes.length === 0 ? [] : ["", ...notes]),
    ...section("Related", others.length === 0 ? "" : listCommands(others, screen)),
    "",
    paint.muted("Flags of every command: qm help --all"),
    "",
  ].join("\n")
}

/** The commands without their arguments, so that the summaries have room. */
function listCommands(commands: readonly Command[], screen: Screen): string {
  return indented(
    commands.map((it) => [it.words.join(" "), it.summary]),
    screen,
  )
}

function flagRows(flags: readonly Flag[], name: (flag: Flag) => string, screen: Screen): string {
  if (flags.length === 0) return ""
  return indented(
    flags.map((it) => [name(it), describeFlag(it)]),
    screen,
  )
}

function indented(rows: readonly (readonly string[])[], { width }: Screen): string {
  return table(rows, { width: width - 2 })
    .split("\n")
    .map((it) => `  ${it}`)
    .join("\n")
}

export function usageOf(command: Command): string {
  return [...command.words, ...command.arguments.map(argumentText)].join(" ")
}

export function usageOfFlag(flag: Flag): string {
  if (flag.type !== "boolean") return `--${flag.name} ${placeholder(flag)}`
  return flag.defaultText === "true" ? `--[no-]${flag.name}` : `--${flag.name}`
}

export function describeFlag(flag: Flag): string {
  const isNamed = !placeholder(flag).includes("|") && flag.values.length > 1
  const notes = [
    ...(isNamed ? [`one of ${flag.values.join(", ")}`] : []),
    ...(flag.isRequired ? ["required"] : []),
    ...(flag.isList ? ["repeatable"] : []),
    ...(flag.defaultText === "" ? [] : [`default: ${flag.defaultText}`]),
  ]
  if (notes.length === 0) return flag.description
  const [, text = flag.description, own] = /^(.*) \(([^()]+)\)$/.exec(flag.description) ?? []
  return `${text} (${[...(own === undefined ? [] : [own]), ...notes].join("; ")})`
}
