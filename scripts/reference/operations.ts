import { OPERATIONS, type Operation } from "#ground/contract"
import {
  arrange,
  type Command,
  derivedCommands,
  type Flag,
  GLOBAL_FLAGS,
  HELP_TOPICS,
  renderManual,
} from "#show/cli"
import { fieldsOf } from "./fields.ts"
import { code, pageHead, table } from "./markdown.ts"

const operations: readonly Operation[] = Object.values(OPERATIONS)

export function operationsPage(): string {
  const about =
    "All operations of Quartermaster. The command line, the HTTP API and the MCP tools are derived " +
    "from their descriptors."
  return [pageHead("Operations", about), ...operations.map(describeOperation)].join("\n")
}

export async function cliPage(): Promise<string> {
  const about =
    "Every command. Results go to stdout, logs to stderr; `--json` prints the result as the " +
    "operation returns it."
  const commands = arrange(await derivedCommands())
  return [
    pageHead("Command line", about),
    "## Flags of every command\n",
    flagTable(GLOBAL_FLAGS, []),
    ...HELP_TOPICS.flatMap((topic) => [
      `## ${topic.name}: ${topic.about}\n`,
      ...commands
        .filter((it) => it.group === topic.name && it.aliasOf === undefined)
        .map((it) => describeCommand(it, commands)),
    ]),
  ].join("\n")
}

/** For `man qm` of an installed package. */
export async function manualPage(): Promise<string> {
  return renderManual(arrange(await derivedCommands()))
}

function describeOperation(operation: Operation): string {
  const input = fieldsOf(operation.input, "input").map((it) => [
    code(it.name),
    it.isRequired ? `${it.type}, required` : it.type,
    it.defaultText,
    it.description,
  ])
  const output = fieldsOf(operation.output, "output").map((it) => [
    code(it.name),
    it.type,
    it.description,
  ])
  return [
    `## ${operation.name}\n`,
    `${operation.summary}. Effect: ${operation.effect}. On: ${operation.surfaces.join(", ")}.\n`,
    input.length === 0
      ? "Takes nothing.\n"
      : table(["Input", "Type", "Default", "What it is"], input),
    table(["Output", "Type", "What it is"], output),
  ].join("\n")
}

function describeCommand(command: Command, commands: readonly Command[]): string {
  const words = command.words.join(" ")
  const aliases = commands.filter((it) => it.aliasOf === words).map((it) => it.words.join(" "))
  const shown = command.arguments.map((it) => ` ${usage(it)}`).join("")
  const flags = [...command.arguments, ...command.flags]
  return [
    `### qm ${words}\n`,
    `${command.summary}.${aliases.map((it) => ` Alias: ${code(`qm ${it}`)}.`).join("")}\n`,
    `    qm ${words}${shown}\n`,
    ...(flags.length === 0 ? [] : [flagTable(flags, command.arguments)]),
    `Examples:\n\n${command.examples.map((it) => `    ${it}`).join("\n")}\n`,
  ].join("\n")
}

function usage(argument: Flag): string {
  const name = `<${argument.name}>${argument.isList ? "…" : ""}`
  return argument.isRequired ? name : `[${name}]`
}

function flagTable(flags: readonly Flag[], args: readonly Flag[]): string {
  const rows = flags.map((it) => [
    code(args.includes(it) ? usage(it) : `--${it.name}`),
    it.values.length > 0 ? it.values.map(code).join(", ") : it.type,
    it.defaultText,
    it.description,
  ])
  return table(["Flag", "Value", "Default", "What it does"], rows)
}
