/** Shell operators and control characters; after an allowed prefix they could run anything. */
const OPERATOR = /[;&|<>$()`{}\\\u0000-\u001f\u007f\u0085\u2028\u2029]/

/** Separates commands; includes quotes, for those in `sh -c "…"`. */
const BETWEEN_COMMANDS = /[;&|<>$()`{}"'\\\n\r]+/

/** Quotes are removed: `r'm'` runs rm. */
const QUOTES = /["'\\]/g

export function isBeginning(pattern: string): boolean {
  return pattern === "*" || pattern.endsWith(" *")
}

/** For allow rules: the exact command, or a prefix of whole words without an operator after it. */
export function matchesExactly(pattern: string, command: string): boolean {
  if (pattern === command) return true
  if (!isBeginning(pattern)) return false
  const begin = pattern.slice(0, -1).trimEnd()
  const rest = begin === "" ? command : command.slice(begin.length)
  const isWhole = command.startsWith(begin) && (begin === "" || rest === "" || rest[0] === " ")
  return isWhole && !OPERATOR.test(rest)
}

/**
 * For deny and ask rules: matches from any word, because earlier words may run it (`sudo -n`,
 * `timeout 5`, `xargs -0`, `find -exec`). It matches too much rather than too little.
 */
export function matchesAnywhere(pattern: string, text: string): boolean {
  const prefix = plain(isBeginning(pattern) ? pattern.slice(0, -1).trimEnd() : pattern)
  if (prefix === "") return true
  const unquoted = text.replace(QUOTES, "")
  const parts = [text, unquoted].flatMap((it) => [it, ...it.split(BETWEEN_COMMANDS)])
  return parts.some((it) => isFromSomeWord(plain(it), prefix, isBeginning(pattern)))
}

function plain(text: string): string {
  return text.replace(/\s+/g, " ").trim()
}

function isFromSomeWord(part: string, prefix: string, mayGoOn: boolean): boolean {
  for (let at = part.indexOf(prefix); at >= 0; at = part.indexOf(prefix, at + 1)) {
    // A program may be named by its path or in an option: `/bin/rm`, `--run=rm`.
    const isWordStart = at === 0 || /[ /=]/.test(part[at - 1] ?? "")
    const next = part[at + prefix.length]
    if (isWordStart && (next === undefined || (mayGoOn && next === " "))) return true
  }
  return false
}
