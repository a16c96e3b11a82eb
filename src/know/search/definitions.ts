/** Without a limit the search is quadratic. */
const MOST_MODIFIERS = 12

/**
 * Part of the ranker, which was trained with the results of these five patterns. They match: a
 * keyword and a name (with a receiver in Go); a constant that is a function or a class; a function
 * assigned to a property; a method with visibility and type; a C function. A pattern is tried only
 * on lines that can begin its match: most lines begin none.
 */
export function definedNames(text: string): ReadonlySet<string> {
  if (OTHER_LINE_ENDS.test(text)) {
    const matches = PATTERNS.flatMap(({ everywhere }) => [...text.matchAll(everywhere)])
    return new Set(matches.map((it) => it[1] ?? ""))
  }
  const names = PATTERNS.map(() => new Array<string>())
  const nexts = PATTERNS.map(() => 0)
  const functions = createFinder(text, "function")
  const brackets = createFinder(text, "(")
  for (let start = 0, end = 0; start < text.length; start = end + 1) {
    end = endOfLine(text, start)
    const from = afterBlanks(text, start)
    if (!isNameStart(text.charCodeAt(from))) continue
    const wordEnd = afterName(text, from)
    const line: Line = {
      begins:
        wordEnd - from > LONGEST_WORD_UNITS ? 0 : (BEGINNINGS.get(text.slice(from, wordEnd)) ?? 0),
      isIndented: from > start,
      hasFunction: functions.firstFrom(from) < end,
      hasBracket: brackets.firstFrom(from) < end,
    }
    for (let at = 0; at < PATTERNS.length; at++) {
      const pattern = PATTERNS[at]
      if (pattern === undefined || start < (nexts[at] ?? 0) || !pattern.canMatch(line)) continue
      pattern.here.lastIndex = start
      const match = pattern.here.exec(text)
      if (match === null) continue
      names[at]?.push(match[1] ?? "")
      nexts[at] = pattern.here.lastIndex
    }
  }
  return new Set(names.flat())
}

/** `^` matches after these too. */
const OTHER_LINE_ENDS = /[\r\u2028\u2029]/

type Line = {
  /** Bits of the definitions that may begin with its first word. */
  readonly begins: number
  readonly isIndented: boolean
  readonly hasFunction: boolean
  readonly hasBracket: boolean
}

function createFinder(text: string, word: string) {
  let place = -1
  return {
    /** Places ascend from call to call. */
    firstFrom(from: number): number {
      if (place >= from) return place
      const next = text.indexOf(word, from)
      place = next < 0 ? text.length : next
      return place
    },
  }
}

function endOfLine(text: string, start: number): number {
  const newline = text.indexOf("\n", start)
  return newline < 0 ? text.length : newline
}

const [TAB, BLANK, DOT, UNDERSCORE] = [9, 32, 46, 95]

function afterBlanks(text: string, start: number): number {
  let at = start
  while (text.charCodeAt(at) === BLANK || text.charCodeAt(at) === TAB) at++
  return at
}

function isNameStart(code: number): boolean {
  const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
  return isLetter || code === UNDERSCORE || code === DOT
}

function afterName(text: string, from: number): number {
  let at = from
  while (isNameStart(text.charCodeAt(at))) at++
  return at
}

const MODIFIER_WORDS =
  "export|default|public|private|protected|internal|static|final|abstract|async|override" +
  "|open|sealed|pub(?:\\([a-z]+\\))?|unsafe|const|inline|data|suspend|extern|partial|virtual" +
  "|declare"
const MODIFIERS = `(?:(?:${MODIFIER_WORDS})\\s+){0,${MOST_MODIFIERS}}`

const KEYWORD_WORDS =
  "def|class|func|function\\*?|fn|fun|struct|trait|interface|enum|type|module|object|protocol" +
  "|extension|record|namespace|impl(?:<[^>\\n]*>)?|macro_rules!"
const KEYWORDS = `(?:${KEYWORD_WORDS})`

const VISIBILITIES = "public|private|protected|internal"

const [DEFINITION, CONSTANT, METHOD] = [1, 2, 4]

const BEGINNINGS = beginnings([
  [DEFINITION, `${MODIFIER_WORDS}|${KEYWORD_WORDS}`],
  [CONSTANT, "export|const|let|var"],
  [METHOD, VISIBILITIES],
])

const LONGEST_WORD_UNITS = Math.max(...[...BEGINNINGS.keys()].map((it) => it.length))

function beginnings(kinds: readonly (readonly [number, string])[]): ReadonlyMap<string, number> {
  const bitsByWord = new Map<string, number>()
  for (const [what, alternatives] of kinds) {
    for (const alternative of alternatives.split("|")) {
      const word = /^[a-z_]+/.exec(alternative)?.[0] ?? ""
      bitsByWord.set(word, (bitsByWord.get(word) ?? 0) | what)
    }
  }
  return bitsByWord
}

const LETTER = "[\\p{L}\\p{N}_]"
const NAME = `([A-Za-z_]${LETTER}*)`

type DefinitionPattern = { readonly source: string; readonly canMatch: (line: Line) => boolean }

const PATTERNS = (
  [
    {
      source: `^[ \\t]*${MODIFIERS}${KEYWORDS}[ \\t]+(?:\\([^)\\n]*\\)[ \\t]*)?(?:self\\.)?([A-Za-z_$](?:${LETTER}|\\$)*)`,
      canMatch: ({ begins }) => (begins & DEFINITION) !== 0,
    },
    {
      source: `^[ \\t]*(?:export[ \\t]+)?(?:const|let|var)[ \\t]+${NAME}[ \\t]*(?::[^=\\n]{1,60})?=[ \\t]*(?:async[ \\t]*)?(?:function|\\(|class)`,
      canMatch: ({ begins }) => (begins & CONSTANT) !== 0,
    },
    {
      source: `^[ \\t]*[A-Za-z_.]+\\.${NAME}[ \\t]*=[ \\t]*(?:async[ \\t]+)?function`,
      canMatch: ({ hasFunction }) => hasFunction,
    },
    {
      source: `^[ \\t]+(?:${VISIBILITIES})[ \\t][^\\n(=;]{0,80}?${NAME}[ \\t]*\\(`,
      canMatch: ({ begins, isIndented }) => isIndented && (begins & METHOD) !== 0,
    },
    {
      source: `^[A-Za-z_][\\p{L}\\p{N}_ \\t*]{0,60}?[ \\t*]${NAME}[ \\t]*\\([^;\\n]*$`,
      canMatch: ({ isIndented, hasBracket }) => !isIndented && hasBracket,
    },
  ] satisfies readonly DefinitionPattern[]
).map(({ source, canMatch }) => ({
  canMatch,
  everywhere: new RegExp(source, "gmu"),
  here: new RegExp(source, "myu"),
}))
