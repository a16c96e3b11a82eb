import { compareText, invariant } from "#ground/base"
import { type CliCommand, type InputField, inputFields, type Operation } from "#ground/contract"
import { type Command, type Flag, flag, GLOBAL_FLAGS } from "./command.ts"

/** The commands that operations declare, sorted by their words. Loads zod. */
export function deriveCommands(operations: readonly Operation[]): readonly Command[] {
  return operations
    .filter((it) => it.surfaces.includes("cli"))
    .flatMap((operation) => [operation.cli ?? []].flat().flatMap((it) => commandsOf(it, operation)))
    .toSorted((a, b) => compareText(a.words.join(" "), b.words.join(" ")))
}

function commandsOf(cli: CliCommand, operation: Operation): readonly Command[] {
  const {
    args = [],
    omit = [],
    given = {},
    flagNames = {},
    formerFlags = {},
    extraFlags = [],
  } = cli
  const flags = inputFields(operation)
    .filter((it) => !omit.includes(it.key) && !(it.key in given))
    .map((it) => flagOf(it, flagNames[it.key], formerFlags[it.key]))
  const argumentFlags = args.flatMap((key) => flags.find((it) => it.key === key) ?? [])
  const command: Command = {
    words: cli.words ?? operation.name.split("."),
    operation: operation.name,
    summary: cli.summary ?? operation.summary,
    group: cli.group,
    arguments: argumentFlags,
    flags: [
      ...flags.filter((it) => !argumentFlags.includes(it)),
      ...extraFlags.map((it) => flag(it)),
    ],
    examples: cli.examples,
    ...(cli.given !== undefined && { given: cli.given }),
    ...(cli.notes !== undefined && { notes: cli.notes }),
    ...(operation.rows !== undefined && { rows: operation.rows }),
  }
  const clash = command.flags.find((it) => GLOBAL_FLAGS.some((global) => global.name === it.name))
  invariant(clash === undefined, `${operation.name} has no field named like a global flag`)
  const aliasOf = command.words.join(" ")
  const aliases = cli.aliases ?? []
  return [command, ...aliases.map((it) => ({ ...command, words: it.split(" "), aliasOf }))]
}

function flagOf(
  { key, defaultValue, ...field }: InputField,
  name = kebab(key),
  formerName?: string,
): Flag {
  const former = formerName === undefined ? {} : { formerName }
  return { name, ...former, key, ...field, defaultText: defaultTextOf(defaultValue) }
}

function kebab(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** Empty for obvious defaults: false, empty text and empty lists. */
function defaultTextOf(value: unknown): string {
  const isPlain = value === undefined || value === false || value === ""
  if (isPlain || (Array.isArray(value) && value.length === 0)) return ""
  return typeof value === "string" ? value : JSON.stringify(value)
}
