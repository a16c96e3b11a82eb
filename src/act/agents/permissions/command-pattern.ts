/**
 * What a shell gives a meaning of its own: behind an allowed beginning it could begin another
 * command, write a file or put one command's words into the other's. Control characters are among
 * them, a new line above all.
 */
const OPERATOR = /[;&|<>$()`{}\\\u0000-\u001f\u007f\u0085\u2028\u2029]/

/** Where one command of a text may end and the next begin; quotes too, for those in `sh -c "…"`. */
const BETWEEN_COMMANDS = /[;&|<>$()`{}"'\\\n\r]+/

/** What takes a meaning from a letter or a word but leaves the word: `r'm'` runs rm. */
const QUOTES = /["'\\]/g

/** Whether a pattern ends in a star for further words: `git status *`, or `*` for every command. */
export function isBeginning(pattern: string): boolean {
  return pattern === "*" || pattern.endsWith(" *")
}

/**
 * For rules that allow: the whole command to the letter, or its beginning by whole words and behind
 * it nothing a shell would give a meaning of its own.
 */
export function matchesExactly(pattern: string, command: string): boolean {
  if (pattern === command) return true
  if (!isBeginning(pattern)) return false
  const begin = pattern.slice(0, -1).trimEnd()
  const rest = begin === "" ? command : command.slice(begin.length)
  const isWhole = command.startsWith(begin) && (begin === "" || rest === "" || rest[0] === " ")
  return isWhole && !OPERATOR.test(rest)
}

/**
 * For rules that deny or ask: the same words anywhere in the text, from any word on, because any
 * word may be run by those before it (`sudo -n`, `timeout 5`, `xargs -0`, `find -exec`). It is meant
 * to find too much rather than too little; a shell has more ways to write a name than this.
 */
export function matchesAnywhere(pattern: string, text: string): boolean {
  const wanted = plain(isBeginning(pattern) ? pattern.slice(0, -1).trimEnd() : pattern)
  if (wanted === "") return true
  const unquoted = text.replace(QUOTES, "")
  const parts = [text, unquoted].flatMap((it) => [it, ...it.split(BETWEEN_COMMANDS)])
  return parts.some((it) => isFromSomeWord(plain(it), wanted, isBeginning(pattern)))
}

function plain(text: string): string {
  return text.replace(/\s+/g, " ").trim()
}

/** Whether the words stand there from a word on, and go on only where more may follow. */
function isFromSomeWord(part: string, wanted: string, mayGoOn: boolean): boolean {
  for (let at = part.indexOf(wanted); at >= 0; at = part.indexOf(wanted, at + 1)) {
    // A program may be named by its path, or behind the sign of an option: `/bin/rm`, `--run=rm`.
    const isWordStart = at === 0 || /[ /=]/.test(part[at - 1] ?? "")
    const next = part[at + wanted.length]
    if (isWordStart && (next === undefined || (mayGoOn && next === " "))) return true
  }
  return false
}
