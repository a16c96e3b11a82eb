import path from "node:path"

/** A shell command longer than this is a script; the rest is not judged. */
const LONGEST_COMMAND_UNITS = 20_000

/** `bash -c "bash -c …"`. */
const DEEPEST_SHELLS = 3

/** A call of git or rm that a shell command contains, with the directory it runs in. */
export type ShellCall = {
  readonly program: "git" | "rm"
  readonly directory: string
  readonly args: readonly string[]
}

/** Finds the calls of git and rm in a shell command; a script file is not read. */
export function parseShellCalls(command: string, directory: string): readonly ShellCall[] {
  return callsIn(command.slice(0, LONGEST_COMMAND_UNITS), directory, 0)
}

/** The words of each command of a shell text, also inside `bash -c`, without prefixes like sudo. */
export function readShellWords(command: string): readonly (readonly string[])[] {
  return wordsIn(command.slice(0, LONGEST_COMMAND_UNITS), 0)
}

function wordsIn(text: string, depth: number): readonly (readonly string[])[] {
  return splitCommands(text).flatMap((words) => {
    const own = withoutPrefix(words)
    const [program = "", ...args] = own
    if (!SHELLS.has(path.basename(program)) || depth >= DEEPEST_SHELLS) return [own]
    const script = args[args.findIndex((it) => /^-[a-z]*c$/.test(it)) + 1]
    return script === undefined || script === args[0] ? [own] : wordsIn(script, depth + 1)
  })
}

function callsIn(text: string, directory: string, depth: number): readonly ShellCall[] {
  const calls: ShellCall[] = []
  let here = directory
  for (const words of splitCommands(text)) {
    const [first = "", ...args] = withoutPrefix(words)
    const program = path.basename(first)
    const [target = ""] = args
    if (program === "cd" && args.length === 1 && !target.startsWith("-"))
      here = path.resolve(here, target)
    else if (program === "git") calls.push(gitCall(args, here))
    else if (program === "rm") calls.push({ program, directory: here, args })
    else if (SHELLS.has(program) && depth < DEEPEST_SHELLS) {
      const script = args[args.findIndex((it) => /^-[a-z]*c$/.test(it)) + 1]
      if (script !== undefined && script !== target) calls.push(...callsIn(script, here, depth + 1))
    }
  }
  return calls
}

const SHELLS: ReadonlySet<string> = new Set(["bash", "dash", "sh", "zsh"])
const PREFIXES: ReadonlySet<string> = new Set(["command", "env", "exec", "nohup", "sudo", "time"])

function withoutPrefix(words: readonly string[]): readonly string[] {
  const at = words.findIndex((it) => !PREFIXES.has(it) && !/^\w+=/.test(it))
  return at === -1 ? [] : words.slice(at)
}

const OPTIONS_WITH_VALUE: ReadonlySet<string> = new Set([
  "-c",
  "--config-env",
  "--exec-path",
  "--git-dir",
  "--namespace",
])

/** Options before the verb: `-C` and `--work-tree` change the directory. */
function gitCall(words: readonly string[], directory: string): ShellCall {
  let here = directory
  let at = 0
  for (; at < words.length && (words[at] ?? "").startsWith("-"); at++) {
    const [option = "", value = words[at + 1] ?? ""] = (words[at] ?? "").split(/=(.*)/s)
    const isSplit = !(words[at] ?? "").includes("=")
    if (option === "-C" || option === "--work-tree") {
      here = path.resolve(here, value)
      at += isSplit ? 1 : 0
    } else if (OPTIONS_WITH_VALUE.has(option) && isSplit) at += 1
  }
  return { program: "git", directory: here, args: words.slice(at) }
}

/** Words of each simple command, with quotes removed. Text in `$(…)` becomes a command, too. */
function splitCommands(text: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]]
  let word: string | undefined
  const endWord = () => {
    if (word !== undefined) commands.at(-1)?.push(word)
    word = undefined
  }
  const endCommand = () => {
    endWord()
    commands.push([])
  }
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ""
    if (character === "'") {
      const end = text.indexOf("'", at + 1)
      const stop = end === -1 ? text.length : end
      word = (word ?? "") + text.slice(at + 1, stop)
      at = stop
    } else if (character === '"') {
      const { value, end } = doubleQuoted(text, at + 1)
      word = (word ?? "") + value
      at = end
    } else if (character === "\\") {
      const next = text[at + 1] ?? ""
      if (next !== "\n") word = (word ?? "") + next
      at += 1
    } else if (";&|\n(){}`".includes(character)) endCommand()
    else if (character === "$" && text[at + 1] === "(") endCommand()
    else if (/\s/.test(character)) endWord()
    else word = (word ?? "") + character
  }
  endWord()
  return commands.filter((it) => it.length > 0)
}

function doubleQuoted(text: string, start: number) {
  let value = ""
  let at = start
  for (; at < text.length && text[at] !== '"'; at++) {
    const isEscape = text[at] === "\\" && '"\\$`'.includes(text[at + 1] ?? " ")
    if (isEscape) at += 1
    value += text[at] ?? ""
  }
  return { value, end: at }
}
