import { type Command, type Flag, GLOBAL_FLAGS } from "./command.ts"

/** Candidates for the last word of a line, which start with its typed characters. */
export function complete(words: readonly string[], commands: readonly Command[]): string[] {
  const before = words.slice(0, -1).filter((it) => !it.startsWith("-"))
  const typed = words.at(-1) ?? ""
  const previous = words.at(-2) ?? ""
  const command = longestMatch(before, commands)
  const flags = [...(command?.flags ?? []), ...GLOBAL_FLAGS]

  const asked = flags.find((it) => `--${it.name}` === previous && it.type !== "boolean")
  if (asked !== undefined) return startingWith(typed, asked.values)
  if (typed.startsWith("-"))
    return startingWith(
      typed,
      flags.map((it: Flag) => `--${it.name}`),
    )
  if (command !== undefined) {
    const next = command.arguments[before.length - command.words.length] ?? command.arguments.at(-1)
    return startingWith(typed, next?.values ?? [])
  }
  const next = commands
    .filter((it) => before.every((word, i) => it.words[i] === word))
    .flatMap((it) => it.words[before.length] ?? [])
  return startingWith(typed, [...new Set(next)])
}

function longestMatch(words: readonly string[], commands: readonly Command[]): Command | undefined {
  const matching = commands.filter((it) => it.words.every((word, i) => words[i] === word))
  return matching.toSorted((a, b) => b.words.length - a.words.length)[0]
}

function startingWith(typed: string, candidates: readonly string[]): string[] {
  return candidates.filter((it) => it.startsWith(typed))
}

/** A script that asks `qm complete` for candidates and falls back to file names. */
export const COMPLETION_SCRIPTS: Readonly<Record<string, string>> = {
  bash: `# bash completion for qm: source <(qm completion bash)
_qm() {
  local IFS=$'\\n'
  COMPREPLY=($(qm complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _qm qm
`,
  zsh: `#compdef qm
# zsh completion for qm: source <(qm completion zsh)
_qm() {
  local -a candidates
  candidates=(\${(f)"$(qm complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( \${#candidates} )); then compadd -a candidates; else _files; fi
}
compdef _qm qm
`,
  fish: `# fish completion for qm: qm completion fish | source
function __qm_complete
  set -l words (commandline -opc) (commandline -ct)
  qm complete -- $words[2..-1] 2>/dev/null
end
complete -c qm -a '(__qm_complete)'
`,
}
