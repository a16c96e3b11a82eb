import type { ListedRows } from "#ground/contract"
import { type Command, type Flag, GLOBAL_FLAGS, SHORT_FLAGS } from "../command.ts"

export type Candidate = { readonly text: string; readonly about: string }

/** Ids to add to the candidates. Only they need a room. */
export type ListRequest = {
  readonly operation: string
  readonly rows: ListedRows
  readonly typed: string
  /** Text before the id in the same word: `--run=`. */
  readonly before: string
  readonly directory: string | undefined
  readonly settings: readonly string[]
}

export type Completion = {
  readonly candidates: readonly Candidate[]
  readonly list?: ListRequest
}

/** Candidates for the last word of a line, which start with its typed characters. */
export function complete(words: readonly string[], commands: readonly Command[]): Completion {
  const line = readWords(words.slice(0, -1), commands)
  const { command, pending } = line
  const typed = words.at(-1) ?? ""
  // bash passes `--mode=fold` as three words.
  if (pending !== undefined)
    return completeValue(pending, { typed: typed === "=" ? "" : typed }, line)
  if (!line.isLiteral && typed.startsWith("-")) return completeFlag(typed, line)
  const nested = startingWith(typed, nextWords(line, commands))
  const place = line.plain.length - (command?.words.length ?? 0)
  const { arguments: args = [] } = command ?? {}
  const last = args.at(-1)
  const argument = args[place] ?? (last?.isList === true ? last : undefined)
  if (argument === undefined) return { candidates: nested }
  const values = completeValue(argument, { typed }, line)
  return { ...values, candidates: [...nested, ...values.candidates] }
}

type TypedLine = {
  readonly commands: readonly Command[]
  readonly command: Command | undefined
  readonly plain: readonly string[]
  readonly usedFlags: ReadonlySet<string>
  /** A flag that still needs its value. */
  readonly pending: Flag | undefined
  /** Whether `--` was typed. */
  readonly isLiteral: boolean
  readonly directory: string | undefined
  readonly settings: readonly string[]
}

/** Like `parseLine`, for a line that is not finished. */
function readWords(words: readonly string[], commands: readonly Command[]): TypedLine {
  const plain: string[] = []
  const values: [name: string, value: string][] = []
  let pending: Flag | undefined
  let isLiteral = false
  for (const word of words) {
    if (pending !== undefined) {
      if (word === "=") continue
      values.push([pending.name, word])
      pending = undefined
    } else if (isLiteral || !word.startsWith("-") || word === "-") plain.push(word)
    else if (word === "--") isLiteral = true
    else {
      const [name, value] = splitFlag(word)
      const flag = flagsOf(longestMatch(plain, commands)).find((it) => `--${it.name}` === name)
      if (flag === undefined) continue
      if (value === undefined && flag.type !== "boolean") pending = flag
      else values.push([flag.name, value ?? ""])
    }
  }
  return {
    commands,
    command: longestMatch(plain, commands),
    plain,
    usedFlags: new Set(values.map(([name]) => name)),
    pending,
    isLiteral,
    directory: values.findLast(([name]) => name === "directory")?.[1],
    settings: values.flatMap(([name, value]) => (name === "set" ? [value] : [])),
  }
}

function splitFlag(word: string): readonly [name: string, value: string | undefined] {
  const split = word.indexOf("=")
  if (split === -1) return [SHORT_FLAGS[word] ?? word, undefined]
  return [word.slice(0, split), word.slice(split + 1)]
}

function flagsOf(command: Command | undefined): readonly Flag[] {
  return [...(command?.flags ?? []), ...GLOBAL_FLAGS]
}

function longestMatch(words: readonly string[], commands: readonly Command[]): Command | undefined {
  const matching = commands.filter((it) => it.words.every((word, i) => words[i] === word))
  return matching.toSorted((a, b) => b.words.length - a.words.length)[0]
}

/** The values of a flag or argument, and the list that has more. */
function completeValue(
  flag: Flag,
  { typed, before = "" }: { readonly typed: string; readonly before?: string },
  { commands, directory, settings }: TypedLine,
): Completion {
  const values = flag.values.filter((it) => it.startsWith(typed))
  const candidates = values.map((it) => ({ text: before + it, about: "" }))
  const list = commands.find((it) => it.operation === flag.listedBy)
  if (list?.rows === undefined) return { candidates }
  const { operation, rows } = list
  return { candidates, list: { operation, rows, typed, before, directory, settings } }
}

function completeFlag(typed: string, line: TypedLine): Completion {
  const flags = flagsOf(line.command)
  const [name, value] = splitFlag(typed)
  const flag = flags.find((it) => `--${it.name}` === name)
  if (flag !== undefined && value !== undefined) {
    return completeValue(flag, { typed: value, before: `${name}=` }, line)
  }
  const open = flags.filter((it) => it.isList || !line.usedFlags.has(it.name))
  const candidates = open.map((it) => ({ text: `--${it.name}`, about: it.description }))
  return { candidates: startingWith(typed, candidates) }
}

/** The words that may follow, each with the summary of its command or the words below it. */
function nextWords({ plain }: TypedLine, commands: readonly Command[]): readonly Candidate[] {
  const depth = plain.length
  const below = commands.filter((it) => plain.every((word, i) => it.words[i] === word))
  const words = new Set(below.flatMap((it) => it.words[depth] ?? []))
  return [...words].map((text) => {
    const members = below.filter((it) => it.words[depth] === text)
    const exact = members.find((it) => it.words.length === depth + 1)
    const verbs = members.map((it) => it.words.slice(depth + 1).join(" "))
    return { text, about: exact?.summary ?? verbs.join(", ") }
  })
}

function startingWith(typed: string, candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.filter((it) => it.text.startsWith(typed))
}

/**
 * Each script asks `qm complete`, which prints one candidate on a line, with a tab before its
 * description. Without candidates, file names are completed.
 */
export const COMPLETION_SCRIPTS: Readonly<Record<string, string>> = {
  // A loop, because bash 3.2 of macOS has no mapfile and an unquoted $(…) would expand `*`. A
  // single candidate is inserted, so it has no description and its special characters are quoted.
  bash: `# bash completion for qm: source <(qm completion bash)
_qm() {
  local line word about width=0 words=() abouts=() i
  while IFS= read -r line; do
    word=\${line%%$'\\t'*}
    about=
    [[ $line == *$'\\t'* ]] && about=\${line#*$'\\t'}
    words+=("$word")
    abouts+=("$about")
    (( \${#word} > width )) && width=\${#word}
  done < <(qm complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=()
  if [[ \${#words[@]} -eq 1 ]]; then
    COMPREPLY=("$(printf '%q' "\${words[0]}")")
    return
  fi
  compopt -o nosort 2>/dev/null
  for i in "\${!words[@]}"; do
    # 37 is menu completion, which inserts the candidates as they are.
    if [[ -n \${abouts[i]} && \${COMP_TYPE:-9} -ne 37 ]]; then
      COMPREPLY+=("$(printf '%-*s  (%s)' "$width" "\${words[i]}" "\${abouts[i]}")")
    else
      COMPREPLY+=("\${words[i]}")
    fi
  done
}
complete -o default -F _qm qm quartermaster
`,
  zsh: `#compdef qm quartermaster
# zsh completion for qm, after compinit: source <(qm completion zsh)
_qm() {
  local line word
  local -a candidates
  while IFS= read -r line; do
    word=\${line%%$'\\t'*}
    word=\${word//:/\\\\:}
    if [[ $line == *$'\\t'* ]]; then word+=":\${line#*$'\\t'}"; fi
    candidates+=("$word")
  done < <(qm complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#candidates} )); then _describe -V qm candidates; else _files; fi
}
if [[ \${funcstack[1]} == _qm ]]; then _qm "$@"; else compdef _qm qm quartermaster; fi
`,
  fish: `# fish completion for qm: qm completion fish | source
function __qm_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l candidates (qm complete -- $words[2..-1] 2>/dev/null)
  if test (count $candidates) -gt 0
    printf '%s\\n' $candidates
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c qm -f -k -a '(__qm_complete)'
complete -c quartermaster -f -k -a '(__qm_complete)'
`,
}
