import { basename } from "node:path"
import { type ESTree, type ParseResult, Visitor } from "vite"
import { type Finding, type Findings, fail, join, report } from "./finding.ts"
import { callsOf } from "./tests.ts"
import { lineAt, type Source, type Tree } from "./tree.ts"

/** A phrase that needs a second reading, with the plain alternative. */
type Phrase = { readonly pattern: RegExp; readonly instead: string }

const PHRASES: readonly Phrase[] = [
  {
    pattern:
      /(?:^|[.;] )(?:What|Who|Whoever|Those (?:who|that)|One (?:who|that))(?: [^\s.?!;]+){5,}(?:[.!;]|$)/,
    instead: "Name the actor: `scan()` rejects, the server skips, the user confirms.",
  },
  {
    pattern: /\b(?:is|are|was|were|be|been) (?:said|told|heard|let in|let lie)\b/i,
    instead: "Name what reports it: prints, returns, logs, shows.",
  },
  {
    pattern: /\bsigns?\b(?![ -](?:\w+ ){0,2}(?:in|up|off|out|of)\b)/i,
    instead: "Write character, or symbol.",
  },
  {
    pattern:
      /\b(?:lies?|stands?|stood) (?:in|at|there|here|beside|before|behind|about|on|below|above|under|apart)\b/i,
    instead: "Write is, is stored in, precedes, follows.",
  },
  {
    pattern:
      /\b(?:of (?:before|now)|but one|as it were|lest|thereof|by the clock of|leads? nowhere|gives? way|go(?:es)? on with|let lie)\b/i,
    instead:
      "Use the ordinary word: previous, current, only one, so that … not, broken link, continues.",
  },
  {
    pattern: /\b(?:own word on|a word on|our own word)\b/i,
    instead: "Write report, statement or message.",
  },
  {
    pattern: /\b(?:keepers?|shel(?:f|ves)|rims?|carry(?! on\b)|carries|carried|obeys?)\b/i,
    instead: "Name the mechanism: daemon, store, boundary, includes, forwards, applies.",
  },
  {
    pattern: /\b(?:nobody|somebody|whoever)\b/i,
    instead: "Name the actor: no process, another session, the caller.",
  },
  { pattern: /\b(?:please|simply)\b/i, instead: "Leave the word out." },
]

/** Names of types that say only that a value was obtained. */
const VAGUE_TYPES = new Set(
  "Asked Said Seen Kept Found Given Wanted World Place Told Heard Held Made Known Taken Draft Read".split(
    " ",
  ),
)

/** Names of variables and parameters that say only that a value was obtained. */
const VAGUE_LOCALS = new Set(
  "found known given kept asked said hear told heard taken wanted meant looked got says spoken spelt isAsked isSaid isTold isGiven isTaken isKept isFound".split(
    " ",
  ),
)

/** Words in names of files, types, functions and variables, with what to call the thing. */
const BANNED_NAME_WORDS: ReadonlyMap<string, string> = new Map([
  ["rim", "edge or boundary"],
  ["carry", "proxied session, or what is carried"],
  ["keeper", "daemon, or connections"],
  ["shelf", "store"],
  ["obey", "apply"],
])

/** Last words of file names that are irregular participles or riddles. */
const VAGUE_FILE_WORDS = new Set(
  "said kept found given told heard held made known taken meant spelt written seen left lost sent built met fed done gone shown drawn grown spent chosen hidden broken world worlds place care stand worth pen book sign".split(
    " ",
  ),
)

const NOUNS_IN_ING =
  /(?:^|-)(?:string|setting|heading|pricing|timing|ranking|spelling|grounding|mapping|embedding|encoding|rendering|folding|warning|binding|rebinding|finding|listing|posting|interleaving|wing)s?$/

/** Nouns that end in -ed, and "generated", the suffix of generated files. */
const NOUNS_IN_ED = /(?:^|-)(?:seed|need|feed|speed|embed|generated)$/

const LONGEST_SENTENCE_WORDS = 30

/** Plain English (CONTRIBUTING.md, "Language") in texts, titles, READMEs and names. */
export function checkLanguage(tree: Tree): Findings {
  const sources = tree.sources.filter(({ path }) =>
    /^(?:src|console\/src|scripts|test|bench)\//.test(path),
  )
  const texts = [...sources.flatMap(textsOf), ...documentsOf(tree)]
  return join([
    fail(...texts.flatMap(bannedPhrases), ...sources.flatMap(vagueNames)),
    report(...texts.filter((it) => it.kind === "text").flatMap(longSentences)),
  ])
}

type Text = {
  readonly where: string
  readonly kind: "text" | "title" | "document" | "comment"
  readonly value: string
}

function bannedPhrases({ where, value }: Text): readonly Finding[] {
  // Code in backticks is quoted: identifiers and stored names are not prose.
  const prose = value.replaceAll(/`[^`]*`/g, "` `")
  return PHRASES.flatMap(({ pattern, instead }) => {
    const phrase = pattern.exec(prose)?.[0].trim()
    return phrase === undefined
      ? []
      : [{ where, wrong: `"${phrase.slice(0, 80)}" needs a second reading.`, instead }]
  })
}

function longSentences({ where, value }: Text): readonly Finding[] {
  const longest = value
    .split(/(?<=[.!?])\s|\n/)
    .map((sentence) => sentence.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length)
    .reduce((most, words) => Math.max(most, words), 0)
  if (longest <= LONGEST_SENTENCE_WORDS) return []
  return [
    {
      where,
      wrong: `A sentence has ${longest} words.`,
      instead: `Split it; ${LONGEST_SENTENCE_WORDS} are enough.`,
    },
  ]
}

const FIXTURE = /\/(?:fixtures?|golden|corpus)\//

export function isFixture(path: string): boolean {
  return FIXTURE.test(`/${path}`) || /\.fixture\.tsx?$/.test(path)
}

/** Comments, test titles and strings of at least two words. Strings of tests are fixtures, not texts. */
function textsOf(source: Source): readonly Text[] {
  if (isFixture(source.path)) return []
  const texts: Text[] = []
  const add = (kind: Text["kind"], start: number, value: string): void => {
    texts.push({ where: `${source.path}:${lineAt(source.text, start)}`, kind, value })
  }
  for (const comment of source.parsed.comments) {
    add("comment", comment.start, comment.value.replaceAll(/^\s*\*? ?/gm, ""))
  }
  for (const call of callsOf(source.parsed)) {
    if (call.title !== undefined) add("title", call.start, call.title.replace(/^\[[^\]]+\] ?/, ""))
  }
  if (!source.isTest && /^(?:src|console\/src)\//.test(source.path)) {
    for (const { start, value } of stringsOf(source.parsed)) add("text", start, value)
  }
  return texts
}

/** The pages of the reference that are not generated. */
const WRITTEN_REFERENCE = /^docs\/reference\/(?:folding|recall)\.md$/

/** Markdown by paragraph, without code blocks and headings; generated pages repeat texts of the source. */
function documentsOf(tree: Tree): readonly Text[] {
  return [...tree.texts]
    .filter(
      ([path]) =>
        path.endsWith(".md") &&
        (WRITTEN_REFERENCE.test(path) || !/^(?:docs\/reference|recipes|CHANGELOG)/.test(path)),
    )
    .filter(([path]) => !isFixture(path))
    .flatMap(([path, text]) =>
      text
        .replaceAll(/^```[\s\S]*?^```/gm, (block) => block.replaceAll(/[^\n]/g, ""))
        .split("\n")
        .map((line, index) => ({ line, where: `${path}:${index + 1}` }))
        .filter(({ line }) => !line.startsWith("#"))
        .map(({ line, where }) => ({
          where,
          kind: "document" as const,
          value: line.replace(/^[-*|> ]+/, ""),
        })),
    )
}

const TWO_WORDS = /\p{L}{2,}[,.:;]? [\p{L}(…]/u
const LOWER_CASE = /^[a-z0-9'\s\\]{40,}$/
const ARTICLE_OR_VERB = /\b(?:the|a|an|its|this|is|was|were|that) [a-z]{4,}/
const MOST_WORDS_OF_A_REASON = 18
/** Upper case, as all queries are written: "Delete a memory" is a text. */
const SQL =
  /^\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|WITH|ALTER|DROP|PRAGMA|BEGIN|SAVEPOINT|RELEASE)\b/

export function stringsOf(parsed: ParseResult): readonly { start: number; value: string }[] {
  const strings: { start: number; value: string }[] = []
  const add = (start: number, value: string): void => {
    if (TWO_WORDS.test(value) && !SQL.test(value) && !isWordList(value))
      strings.push({ start, value })
  }
  const tagged = new Set<number>()
  new Visitor({
    TaggedTemplateExpression: (node) => void tagged.add(node.quasi.start),
    Literal: (node) => {
      if (typeof node.value === "string") add(node.start, node.value)
    },
    TemplateLiteral: (node) => {
      if (!tagged.has(node.start)) add(node.start, node.quasis.map((it) => it.value.raw).join("…"))
    },
    JSXText: (node) => add(node.start, node.value.trim()),
  }).visit(parsed.program)
  return strings
}

/** Data of a matcher, not prose. */
function isWordList(value: string): boolean {
  const isReason =
    ARTICLE_OR_VERB.test(value) && value.split(/\s+/).length <= MOST_WORDS_OF_A_REASON
  return LOWER_CASE.test(value) && !isReason
}

function vagueNames(source: Source): readonly Finding[] {
  const file = basename(source.path).replace(/\..+$/, "")
  const findings: Finding[] = []
  if (isVagueFile(file)) {
    findings.push({
      where: source.path,
      wrong: `"${file}" does not name what the file contains.`,
      instead: "Name it by a noun, or verb and noun, that a newcomer would search for.",
    })
  }
  for (const { name, start, isType } of declarationsOf(source.parsed)) {
    const where = `${source.path}:${lineAt(source.text, start)}`
    if (VAGUE_TYPES.has(name) || (isType && name.endsWith("World"))) {
      findings.push({
        where,
        wrong: `The type name ${name} says nothing.`,
        instead: "Name what it is: SearchQuery, StoredRule.",
      })
    }
    if (!isType && hasPlainLocals(source) && VAGUE_LOCALS.has(name)) {
      findings.push({
        where,
        wrong: `The variable name ${name} says only that a value was obtained.`,
        instead: "Name what the value is: session, row, matchingRules.",
      })
    }
    const words = name.split(/(?=[A-Z])|_|-/).map((word) => word.toLowerCase())
    for (const word of words) {
      const plain = BANNED_NAME_WORDS.get(word)
      if (plain !== undefined)
        findings.push({
          where,
          wrong: `"${word}" in ${name} is a metaphor.`,
          instead: `Say ${plain}.`,
        })
    }
  }
  return findings
}

/** All code but tests and their scenes; `test/kit` is what other tests are written with. */
function hasPlainLocals({ path, isTest }: Source): boolean {
  return path.startsWith("test/kit/") ? !path.endsWith(".test.ts") : !isTest
}

function isVagueFile(file: string): boolean {
  const lastWord = file.slice(file.lastIndexOf("-") + 1)
  const isGerund = lastWord.endsWith("ing") && !NOUNS_IN_ING.test(file)
  const isParticiple = lastWord.endsWith("ed") && !NOUNS_IN_ED.test(file)
  return VAGUE_FILE_WORDS.has(lastWord) || isGerund || isParticiple
}

type Declaration = { readonly name: string; readonly start: number; readonly isType: boolean }

function declarationsOf(parsed: ParseResult): readonly Declaration[] {
  const declared: Declaration[] = []
  const add = (id: { name: string; start: number } | null, isType: boolean): void => {
    if (id !== null) declared.push({ name: id.name, start: id.start, isType })
  }
  const addPatterns = (patterns: readonly Pattern[]): void => {
    for (const id of patterns.flatMap(namesIn)) add(id, false)
  }
  new Visitor({
    TSTypeAliasDeclaration: (node) => add(node.id, true),
    TSInterfaceDeclaration: (node) => add(node.id, true),
    ClassDeclaration: (node) => add(node.id, true),
    FunctionDeclaration: (node) => {
      add(node.id, false)
      addPatterns(node.params)
    },
    FunctionExpression: (node) => addPatterns(node.params),
    ArrowFunctionExpression: (node) => addPatterns(node.params),
    VariableDeclarator: (node) => addPatterns([node.id]),
  }).visit(parsed.program)
  return declared
}

type Pattern = ESTree.ParamPattern | ESTree.BindingPattern | ESTree.BindingRestElement

/** Not `{ name }`, which is the name of a field. */
function namesIn(pattern: Pattern): readonly ESTree.BindingIdentifier[] {
  switch (pattern.type) {
    case "Identifier":
      return [pattern]
    case "ObjectPattern":
      return pattern.properties.flatMap((property) => {
        if (property.type === "RestElement") return namesIn(property)
        return property.shorthand ? [] : namesIn(property.value)
      })
    case "ArrayPattern":
      return pattern.elements.flatMap((it) => (it === null ? [] : namesIn(it)))
    case "AssignmentPattern":
      return namesIn(pattern.left)
    case "RestElement":
      return namesIn(pattern.argument)
    case "TSParameterProperty":
      return namesIn(pattern.parameter)
    default:
      return pattern satisfies never
  }
}
