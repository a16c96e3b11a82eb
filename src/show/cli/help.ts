import { type Command, type Flag, GLOBAL_FLAGS, HELP_GROUPS } from "./command.ts"
import { argumentText, placeholder } from "./parse.ts"
import type { Paint } from "./screen.ts"

/** Help for the words given: everything, one group of commands, or one command. */
export function renderHelp(
  words: readonly string[],
  commands: readonly Command[],
  paint: Paint,
): string {
  const matching = commands.filter((it) => words.every((word, i) => it.words[i] === word))
  if (words.length === 0) return renderOverview(commands, paint)
  const own = matching.find((it) => it.words.length === words.length)
  if (own === undefined) return renderOverview(matching, paint)
  const others = matching.filter((it) => it !== own)
  return renderCommand(own, others, paint)
}

function renderOverview(commands: readonly Command[], paint: Paint): string {
  const rows = commands.map((it) => usageOf(it))
  const width = Math.max(
    ...rows.map((it) => it.length),
    ...GLOBAL_FLAGS.map((it) => usageOfFlag(it).length),
  )
  const groups = HELP_GROUPS.flatMap((group) => {
    const members = commands.filter((it) => it.group === group)
    if (members.length === 0) return []
    const lines = members.map((it) => row(usageOf(it), it.summary, width))
    return ["", paint.bold(group), ...lines]
  })
  return [
    `${paint.bold("qm")}, Quartermaster: the context engine for coding agents`,
    "",
    `${paint.bold("Usage")}  qm <command> [flags]`,
    ...groups,
    "",
    paint.bold("On every command"),
    ...GLOBAL_FLAGS.map((it) => row(usageOfFlag(it), it.description, width)),
    "",
    paint.muted("`qm help <command>` explains one command; `qm doctor` checks this machine."),
    "",
  ].join("\n")
}

/** One command; what goes by its word and another one is named below it. */
function renderCommand(command: Command, others: readonly Command[], paint: Paint): string {
  const flags = [...command.arguments, ...command.flags]
  const names = flags.map((it) =>
    command.arguments.includes(it) ? argumentText(it) : usageOfFlag(it),
  )
  const width = Math.max(0, ...names.map((it) => it.length))
  const lines = flags.map((it, i) => row(names[i] ?? "", describeFlag(it), width))
  return [
    `${paint.bold("Usage")}  qm ${usageOf(command)}${command.flags.length > 0 ? " [flags]" : ""}`,
    "",
    command.summary,
    ...(lines.length > 0 ? ["", paint.bold("Takes"), ...lines] : []),
    ...(command.notes === undefined ? [] : ["", ...command.notes]),
    ...(others.length > 0 ? ["", paint.bold("See also"), ...listOf(others)] : []),
    "",
    paint.muted("Every command also takes --json, --set, -C and the others of `qm --help`."),
    "",
  ].join("\n")
}

function listOf(commands: readonly Command[]): string[] {
  const width = Math.max(...commands.map((it) => usageOf(it).length))
  return commands.map((it) => row(usageOf(it), it.summary, width))
}

function usageOf(command: Command): string {
  return [...command.words, ...command.arguments.map(argumentText)].join(" ")
}

function usageOfFlag(flag: Flag): string {
  return flag.type === "boolean" ? `--${flag.name}` : `--${flag.name} ${placeholder(flag)}`
}

function describeFlag(flag: Flag): string {
  const notes = [
    ...(flag.isRequired ? ["required"] : []),
    ...(flag.isList ? ["may be repeated"] : []),
    ...(flag.defaultText === "" ? [] : [`default ${flag.defaultText}`]),
  ]
  return notes.length === 0 ? flag.description : `${flag.description} (${notes.join(", ")})`
}

function row(left: string, right: string, width: number): string {
  return `  ${left.padEnd(width)}  ${right}`.trimEnd()
}
