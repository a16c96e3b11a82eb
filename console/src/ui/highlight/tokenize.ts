/** A part of code in one colour; `kind` is undefined for everything else. */
export type CodePart = { readonly text: string; readonly kind?: CodePartKind }
export type CodePartKind = "comment" | "keyword" | "number" | "string"

type Language = {
  readonly line?: readonly string[]
  readonly block?: readonly (readonly [open: string, close: string])[]
  readonly quotes: string
  /** Quotes of texts that may contain line ends. */
  readonly long?: readonly string[]
  readonly keywords: ReadonlySet<string>
  readonly ignoresCase?: boolean
  /** Further characters of a word, such as the dash of CSS. */
  readonly word?: string
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))
const C_COMMENTS = { line: ["//"], block: [["/*", "*/"]] } as const

const SCRIPT: Language = {
  ...C_COMMENTS,
  quotes: "\"'",
  long: ["`"],
  keywords: words(
    "abstract as async await break case catch class const continue declare default delete do else enum export extends false finally for from function get if implements import in instanceof interface keyof let namespace new null of private protected public readonly return satisfies set static super switch this throw true try type typeof undefined using var void while with yield",
  ),
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  ts: SCRIPT,
  json: { ...C_COMMENTS, quotes: '"', keywords: words("true false null") },
  py: {
    line: ["#"],
    quotes: "\"'",
    long: ['"""', "'''"],
    keywords: words(
      "and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield",
    ),
  },
  go: {
    ...C_COMMENTS,
    quotes: "\"'",
    long: ["`"],
    keywords: words(
      "break case chan const continue default defer else fallthrough false for func go goto if import interface map nil package range return select struct switch true type var",
    ),
  },
  rs: {
    ...C_COMMENTS,
    quotes: '"',
    keywords: words(
      "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return Self self static struct super trait true type unsafe use where while",
    ),
  },
  java: {
    ...C_COMMENTS,
    quotes: "\"'",
    long: ['"""'],
    keywords: words(
      "abstract assert boolean break byte case catch char class const continue data default do double else enum extends false final finally float for fun if implements import in instanceof int interface internal is lateinit long native new null object open operator override package private protected public record return sealed short static super suspend switch synchronized this throw throws transient true try val var void volatile when while",
    ),
  },
  c: {
    ...C_COMMENTS,
    quotes: "\"'",
    keywords: words(
      "auto bool break case catch char class const constexpr continue default delete do double else enum explicit extern false float for foreach friend goto if inline int internal interface long namespace new null nullptr operator out override private protected public readonly ref return sealed short signed sizeof static string struct switch template this throw true try typedef typename union unsigned using var virtual void volatile while",
    ),
  },
  rb: {
    line: ["#"],
    quotes: "\"'",
    keywords: words(
      "alias and begin break case class def defined do else elsif end ensure false for if in module next nil not or redo rescue retry return self super then true undef unless until when while yield",
    ),
  },
  php: {
    line: ["//", "#"],
    block: [["/*", "*/"]],
    quotes: "\"'",
    keywords: words(
      "abstract and array as break case catch class clone const continue declare default do echo else elseif extends false final finally fn for foreach function global if implements instanceof interface match namespace new null or print private protected public readonly require return static switch throw trait true try use var while yield",
    ),
  },
  sh: {
    line: ["#"],
    quotes: "\"'",
    keywords: words(
      "case do done elif else esac exit export fi for function if in local return set shift source then trap unset until while",
    ),
  },
  sql: {
    line: ["--"],
    block: [["/*", "*/"]],
    quotes: "'",
    ignoresCase: true,
    keywords: words(
      "add all alter and as asc begin between by case check commit constraint create cross default delete desc distinct drop else end exists false foreign from full group having if in index inner insert into is join key left like limit not null offset on or order outer primary references returning right rollback select set table then transaction true union unique update using values view when where with",
    ),
  },
  yaml: { line: ["#"], quotes: "\"'", keywords: words("true false null yes no on off") },
  css: {
    block: [["/*", "*/"]],
    quotes: "\"'",
    word: "-",
    keywords: words("important inherit initial unset revert none auto"),
  },
  html: { block: [["<!--", "-->"]], quotes: "\"'", keywords: words("") },
}

const ALIASES: Readonly<Record<string, string>> = {
  bash: "sh",
  cjs: "ts",
  cpp: "c",
  cs: "c",
  csharp: "c",
  cts: "ts",
  golang: "go",
  h: "c",
  hpp: "c",
  htm: "html",
  ini: "yaml",
  javascript: "ts",
  js: "ts",
  jsonc: "json",
  jsx: "ts",
  kotlin: "java",
  kt: "java",
  less: "css",
  mjs: "ts",
  mts: "ts",
  python: "py",
  ruby: "rb",
  rust: "rs",
  scss: "css",
  shell: "sh",
  svelte: "html",
  svg: "html",
  swift: "java",
  toml: "yaml",
  tsx: "ts",
  typescript: "ts",
  vue: "html",
  xml: "html",
  yml: "yaml",
  zsh: "sh",
}

/** Longer code is shown without colours; reading it would take longer than a frame. */
const LONGEST_CHARACTERS = 60_000

function languageOf(name: string): Language | undefined {
  const key = name.toLowerCase()
  const rulesName = ALIASES[key] ?? key
  return Object.hasOwn(LANGUAGES, rulesName) ? LANGUAGES[rulesName] : undefined
}

/** Undefined for an unknown language or a long text. The parts together are the text. */
export function tokenizeCode(text: string, language: string): readonly CodePart[] | undefined {
  const rules = languageOf(language)
  if (rules === undefined || text.length > LONGEST_CHARACTERS) return undefined
  const parts: CodePart[] = []
  let plainFrom = 0
  let at = 0
  const add = (end: number, kind: CodePartKind): void => {
    if (plainFrom < at) parts.push({ text: text.slice(plainFrom, at) })
    parts.push({ text: text.slice(at, end), kind })
    at = end
    plainFrom = end
  }
  while (at < text.length) {
    const comment = commentEnd(text, at, rules)
    if (comment !== undefined) {
      add(comment, "comment")
      continue
    }
    const string = stringEnd(text, at, rules)
    if (string !== undefined) {
      add(string, "string")
      continue
    }
    const word = wordEnd(text, at, rules)
    if (word === at) {
      at += 1
      continue
    }
    const kind = wordKind(text.slice(at, word), rules)
    if (kind === undefined) at = word
    else add(word, kind)
  }
  if (plainFrom < text.length) parts.push({ text: text.slice(plainFrom) })
  return parts
}

function commentEnd(text: string, at: number, { line = [], block = [] }: Language) {
  if (line.some((it) => text.startsWith(it, at))) return lineEnd(text, at)
  const opened = block.find(([open]) => text.startsWith(open, at))
  if (opened === undefined) return undefined
  const [open, close] = opened
  const end = text.indexOf(close, at + open.length)
  return end === -1 ? text.length : end + close.length
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf("\n", from)
  return at === -1 ? text.length : at
}

function stringEnd(text: string, at: number, { quotes, long = [] }: Language) {
  const open = long.find((it) => text.startsWith(it, at))
  if (open !== undefined) return closeOf(text, at + open.length, { quote: open, isLong: true })
  const quote = text[at] ?? ""
  if (!quotes.includes(quote)) return undefined
  return closeOf(text, at + 1, { quote, isLong: false })
}

/** Behind the closing quote; a quote that its line does not close ends with the line. */
function closeOf(
  text: string,
  from: number,
  { quote, isLong }: { readonly quote: string; readonly isLong: boolean },
): number {
  let at = from
  while (at < text.length) {
    if (text[at] === "\\") at += 2
    else if (text.startsWith(quote, at)) return at + quote.length
    else if (text[at] === "\n" && !isLong) return at
    else at += 1
  }
  return text.length
}

const WORD = /[\p{L}\p{N}_$]/u

function wordEnd(text: string, from: number, { word = "" }: Language): number {
  let at = from
  while (at < text.length) {
    const char = text[at] ?? ""
    const isNumberDot = char === "." && at > from && /\d/.test(text[from] ?? "")
    if (!WORD.test(char) && !(char !== "" && word.includes(char)) && !isNumberDot) break
    at += 1
  }
  return at
}

function wordKind(word: string, { keywords, ignoresCase }: Language): CodePartKind | undefined {
  if (/^\d/.test(word)) return "number"
  return keywords.has(ignoresCase === true ? word.toLowerCase() : word) ? "keyword" : undefined
}
