import { visibleLine } from "#ground/base"
import { type Command, type Flag, findTopic, GLOBAL_FLAGS, SHORT_FLAGS } from "./command.ts"
import {
  ArgumentMissing,
  ArgumentUnexpected,
  FlagNeedsValue,
  FlagValueWrong,
  UnknownCommand,
  UnknownFlag,
} from "./errors.ts"

/** Up to this many characters, help lists a flag's values in its placeholder. */
const LONGEST_PLACEHOLDER = 24

type Scalar = string | number | boolean
type FlagValue = Scalar | readonly Scalar[]

export type ParsedLine = {
  readonly json: boolean
  readonly settings: readonly string[]
  readonly directory: string | undefined
  readonly color: string
  readonly verbose: boolean
  readonly action:
    | { readonly kind: "version" }
    /** No command at all. */
    | { readonly kind: "start" }
    | {
        readonly kind: "help"
        readonly words: readonly string[]
        readonly isAll: boolean
        /** The manual page instead. */
        readonly isManual?: boolean
      }
    | { readonly kind: "run"; readonly command: Command; readonly input: Record<string, FlagValue> }
}

export function parseLine(argv: readonly string[], commands: readonly Command[]): ParsedLine {
  const match = findCommand(leadingWords(argv), commands)
  const read = readTokens(argv, match.command)
  return { ...globalChoices(read.values), action: chooseAction(match, read, commands) }
}

/** For errors of lines that cannot be parsed. */
export function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--")
  return argv.slice(0, end === -1 ? argv.length : end).includes("--json")
}

type CommandMatch = { readonly words: readonly string[]; readonly command: Command | undefined }
type ReadTokens = {
  readonly values: ReadonlyMap<string, FlagValue>
  readonly loose: readonly string[]
}

function chooseAction(
  { command, words }: CommandMatch,
  read: ReadTokens,
  commands: readonly Command[],
): ParsedLine["action"] {
  const wantsHelp = read.values.get("help") === true
  const isVersionCommand = command?.operation === "version" && !wantsHelp
  if (read.values.get("version") === true || isVersionCommand) return { kind: "version" }
  if (command === undefined && words.length === 0 && !wantsHelp) return { kind: "start" }
  if (command === undefined || wantsHelp) return { kind: "help", words, isAll: false }
  if (command.operation === "help") return helpAction(read, commands)
  checkSubcommand(command, read, commands)
  return { kind: "run", command, input: gatherInput(command, read) }
}

function helpAction(read: ReadTokens, commands: readonly Command[]): ParsedLine["action"] {
  if (read.values.get("man") === true)
    return { kind: "help", words: [], isAll: true, isManual: true }
  const isAll = read.values.get("all") === true
  if (read.loose.length === 0) return { kind: "help", words: [], isAll }
  if (findTopic(read.loose) !== undefined) return { kind: "help", words: read.loose, isAll }
  return { kind: "help", words: findCommand(read.loose, commands).words, isAll }
}

/** `qm memory sarch` is a typing error: `memory` takes no arguments and has other commands. */
function checkSubcommand(command: Command, { loose }: ReadTokens, commands: readonly Command[]) {
  const [word] = loose
  if (word === undefined || command.arguments.length > 0) return
  const depth = command.words.length
  const others = commands.filter(
    (it) => it.words.length > depth && command.words.every((typed, i) => it.words[i] === typed),
  )
  if (others.length === 0) return
  throw UnknownCommand({
    words: visibleLine([...command.words, word].join(" ")),
    known: others.map((it) => it.words.join(" ")),
  })
}

function globalChoices(values: ReadonlyMap<string, FlagValue>) {
  const settings = values.get("set")
  const directory = values.get("directory")
  return {
    json: values.get("json") === true,
    settings: asList(settings).map(String),
    directory: directory === undefined ? undefined : String(directory),
    color: String(values.get("color") ?? "auto"),
    verbose: values.get("verbose") === true,
  }
}

/** The words before `--`, without the values of global flags. */
function leadingWords(argv: readonly string[]): string[] {
  const words: string[] = []
  for (let i = 0; i < argv.length; i++) {
    const token = argv[i] ?? ""
    if (token === "--") break
    if (!token.startsWith("-")) words.push(token)
    const flag = GLOBAL_FLAGS.find((it) => `--${it.name}` === (SHORT_FLAGS[token] ?? token))
    if (flag !== undefined && flag.type !== "boolean") i++
  }
  return words
}

/** The longest command that the line starts with; none for an empty line or a lone first word. */
function findCommand(words: readonly string[], commands: readonly Command[]): CommandMatch {
  const [first] = words
  if (first === undefined) return { words: [], command: undefined }
  const [longest] = commands
    .filter((command) => command.words.every((word, i) => words[i] === word))
    .toSorted((a, b) => b.words.length - a.words.length)
  if (longest !== undefined) return { words: longest.words, command: longest }

  const siblings = commands.filter((it) => it.words[0] === first)
  // `qm config` lists the commands that start with it.
  if (siblings.length > 0 && words.length === 1) return { words: [first], command: undefined }
  const [near, length] = siblings.length > 0 ? [siblings, 2] : [commands, 1]
  throw UnknownCommand({
    words: visibleLine(words.slice(0, length).join(" ")),
    known: near.map((it) => it.words.slice(0, length).join(" ")),
  })
}

function readTokens(argv: readonly string[], command: Command | undefined): ReadTokens {
  const flags = [...GLOBAL_FLAGS, ...(command?.flags ?? [])]
  const values = new Map<string, FlagValue>()
  const loose: string[] = []
  for (let i = 0; i < argv.length; i++) {
    const token = argv[i] ?? ""
    if (token === "--") {
      loose.push(...argv.slice(i + 1))
      break
    }
    if (!token.startsWith("-") || token === "-" || isNegativeNumber(token)) {
      loose.push(token)
      continue
    }
    const use = recognise(token, flags, command?.words.join(" ") ?? "help")
    const needsNext = use.flag.type !== "boolean" && use.given === undefined
    const value = readValue(use.flag, needsNext ? argv[++i] : use.given, use.isNegated)
    const earlier = values.get(use.flag.key)
    values.set(use.flag.key, use.flag.isList ? [...asList(earlier), value] : value)
  }
  return { values, loose: loose.slice(command?.words.length ?? 0) }
}

/** No flag begins with a digit. */
function isNegativeNumber(token: string): boolean {
  return /^-\d/.test(token)
}

function asList(value: FlagValue | undefined): readonly Scalar[] {
  if (value === undefined) return []
  return typeof value === "object" ? value : [value]
}

type FlagUse = {
  readonly flag: Flag
  readonly given: string | undefined
  readonly isNegated: boolean
}

/** `--name`, `--name=value`, `--no-name`, or a short form. */
function recognise(token: string, flags: readonly Flag[], command: string): FlagUse {
  const split = token.indexOf("=")
  const typed = split === -1 ? token : token.slice(0, split)
  const value = split === -1 ? undefined : token.slice(split + 1)
  const long = SHORT_FLAGS[typed] ?? typed
  const direct =
    flags.find((it) => `--${it.name}` === long) ??
    flags.find((it) => it.formerName !== undefined && `--${it.formerName}` === long)
  if (direct !== undefined) return { flag: direct, given: value, isNegated: false }
  const negated = flags.find((it) => it.type === "boolean" && `--no-${it.name}` === long)
  if (negated !== undefined) return { flag: negated, given: value, isNegated: true }
  throw UnknownFlag({
    flag: visibleLine(typed),
    command,
    known: flags.map((it) => `--${it.name}`),
  })
}

function readValue(flag: Flag, text: string | undefined, isNegated: boolean): Scalar {
  if (flag.type === "boolean") {
    if (text === undefined) return !isNegated
    if (text === "true" || text === "false") return (text === "true") !== isNegated
    throw wrongValue(flag, text, `--${flag.name}`)
  }
  if (text === undefined) {
    throw FlagNeedsValue({ flag: `--${flag.name}`, expected: placeholder(flag) })
  }
  return scalarOf(flag, text, `--${flag.name}`)
}

/** `label` names the flag or argument as the usage line shows it. */
function scalarOf(flag: Flag, text: string, label: string): Scalar {
  if (flag.values.length > 0 && !flag.values.includes(text)) throw wrongValue(flag, text, label)
  if (flag.type === "text") return text
  if (!/^-?\d+(\.\d+)?$/.test(text)) throw wrongValue(flag, text, label)
  return Number(text)
}

function wrongValue(flag: Flag, text: string, label: string): Error {
  const kinds = { boolean: "true or false", number: "a number", text: "text" }
  const expected = flag.values.length > 0 ? flag.values.join(", ") : kinds[flag.type]
  return FlagValueWrong({ flag: label, value: quotable(text), expected })
}

/** The whole text or none of it: redaction does not recognise a part of a key. */
function quotable(text: string): string {
  return text.length <= 80 ? visibleLine(text) : `a text of ${text.length} characters`
}

/** `<number>`, `<auto|always|never>`, or `<name>` for a long list of values. */
export function placeholder(flag: Flag): string {
  if (flag.values.length > 0) {
    const values = flag.values.join("|")
    return values.length <= LONGEST_PLACEHOLDER ? `<${values}>` : "<name>"
  }
  return flag.type === "number" ? "<number>" : "<text>"
}

/** `<paths…>`, `[key]`. */
export function argumentText(argument: Flag): string {
  const values = argument.values.join("|")
  const isListed = values.length > 0 && values.length <= LONGEST_PLACEHOLDER
  const name = `${isListed ? values : argument.name}${argument.isList ? "…" : ""}`
  return argument.isRequired ? `<${name}>` : `[${name}]`
}

function gatherInput(command: Command, read: ReadTokens): Record<string, FlagValue> {
  const name = command.words.join(" ")
  const keys = new Set(command.flags.map((it) => it.key))
  const flags = [...read.values].filter(([key]) => keys.has(key))
  const fixed = Object.entries(command.given ?? {})
  const input = Object.fromEntries([...flags, ...gatherArguments(command, read.loose), ...fixed])
  const missing = [...command.arguments, ...command.flags].find(
    (it) => it.isRequired && !(it.key in input),
  )
  if (missing === undefined) return input
  const isArgument = command.arguments.includes(missing)
  const argument = isArgument ? argumentText(missing) : `--${missing.name}`
  throw ArgumentMissing({ command: name, argument })
}

function gatherArguments(command: Command, loose: readonly string[]): [string, FlagValue][] {
  const last = command.arguments.at(-1)
  const spare = last?.isList === true ? undefined : loose[command.arguments.length]
  if (spare !== undefined) {
    throw ArgumentUnexpected({ command: command.words.join(" "), argument: quotable(spare) })
  }
  return command.arguments.flatMap((argument, i): [string, FlagValue][] => {
    const texts = argument.isList ? loose.slice(i) : loose.slice(i, i + 1)
    const values = texts.map((text) => scalarOf(argument, text, `<${argument.name}>`))
    const [first] = values
    if (first === undefined) return []
    return [[argument.key, argument.isList ? values : first]]
  })
}
