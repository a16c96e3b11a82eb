import { withoutHiddenCharacters } from "#ground/base"

export type Breakout = {
  /**
   * With a breakout pending: A continues, B answers the message that asked for it, C answers this
   * message, D asks again. Without: D asks first, E continues unless the classifier is confident.
   */
  readonly case: "A" | "B" | "C" | "D" | "E"
}

export function decideBreakout(input: {
  readonly message: string
  readonly pending: string | undefined
}): Breakout {
  return {
    case: input.pending === undefined ? whilePaused(input.message) : whilePending(input.message),
  }
}

function whilePaused(message: string): "D" | "E" {
  if (isMenuNumber(message, 3)) return "D"
  return findPhrase(readWords(message), BREAKOUTS).plain === undefined ? "E" : "D"
}

function whilePending(message: string): "A" | "B" | "C" | "D" {
  if (isMenuNumber(message, 2)) return "A"
  if (isMenuNumber(message, 1)) return "B"
  // The menu's exit again: the question is still open.
  if (isMenuNumber(message, 3)) return "D"
  const words = readWords(message)
  if (words.length === 0) return "A"
  const denial = findPhrase(words, DENIALS)
  const confirmation = findPhrase(words, CONFIRMATIONS)
  if (denial.plain !== undefined) return "A"
  if (confirmation.plain !== undefined) return "B"
  // "don't stop" and "not sure" continue; "I don't want to continue" leaves.
  if (confirmation.negated !== undefined) return "A"
  return denial.negated === undefined ? "C" : "B"
}

/** Only the number itself: "Stage 1 looks good" is not a choice. */
export function isMenuNumber(message: string, number: number): boolean {
  const text = message.trim()
  return text === `${number}` || text === `${number}.`
}

/** "ok, go on", in some languages: a message of such words only has nothing to amend. */
const GO_AHEAD = [
  /^(?:a|ahead|all|alright|and|approved?|agreed|carry|continue|correct|exactly|fine|go|going)$/,
  /^(?:good|great|i|is|it|keep|lgtm|like|looks?|me|nice|now|ok|okay|on|perfect|plan|please)$/,
  /^(?:proceed|ready|resume|right|sounds|stages?|steps?|sure|thanks?|that|that's|the|these|this)$/,
  /^(?:to|very|well|works|yeah|yep|yes|you|yup)$/,
  /^(?:ja|gut|weiter|mach|bitte|genau|passt|oui|bien|continuez|vas-y|parfait|sí|si|vale|adelante)$/,
  /^(?:continúa|好|好的|继续|はい)$/,
]

export function isGoAhead(message: string): boolean {
  const words = readWords(message).map((it) => it.text)
  if (words.length === 0 || isMenuNumber(message, 1)) return true
  const others = words.filter((word) => !GO_AHEAD.some((pattern) => pattern.test(word)))
  return others.length < words.length && others.every((it) => /^\d+$/.test(it))
}

/**
 * `a|b` is either word, `~` an optional article. A command may follow a bare "no": "no stop the
 * pipeline" is an answer and a request, "no new question" is a negation.
 */
type Phrase = { readonly slots: readonly Slot[]; readonly isCommand: boolean }
type Slot = ReadonlySet<string> | "articles"

const LEAVING = phrases({ isCommand: true }, [
  "break out",
  "exit|stop|cancel|skip|leave|abandon|quit ~ pipeline",
  "exit|stop|cancel ~ agent",
  "forget the|this|that ~ pipeline",
  "change topic",
  "change the topic",
  "never mind",
  "nevermind",
  "forget it",
  "changed my mind",
])

const TURNING = phrases({ isCommand: false }, [
  "breakout|break-out",
  "something else|different",
  "different question|topic",
  "new question|topic",
])

const BREAKOUTS = [...LEAVING, ...TURNING]

const CONFIRMATIONS = phrases({ isCommand: true }, [
  "yes|yeah|yep|yup|sure|confirm|quit|leave|exit|terminate|stop|abort|cancel",
  "end|kill|close it",
])

const DENIALS = phrases({ isCommand: true }, [
  "no|nah|nope|stay|continue|proceed|resume",
  "keep going",
  "go back|on",
  "carry on",
  "forget i said that",
  "back to",
])

const ARTICLES = new Set(["the", "this", "that", "my", "our", "your", "whole", "entire", "current"])
const MOST_ARTICLES = 3

function phrases(
  kind: { readonly isCommand: boolean },
  texts: readonly string[],
): readonly Phrase[] {
  return texts.map((text) => ({
    ...kind,
    slots: text.split(" ").map((it): Slot => (it === "~" ? "articles" : new Set(it.split("|")))),
  }))
}

type Matches = { readonly plain: string | undefined; readonly negated: string | undefined }

/** The first affirmed and the first negated match; "exit code" is not an exit. */
function findPhrase(words: readonly MessageWord[], among: readonly Phrase[]): Matches {
  let negated: string | undefined
  for (const at of words.keys()) {
    const phrase = among.find((it) => lengthAt(words, at, it.slots) > 0)
    if (phrase === undefined || isExitCode(words, at)) continue
    const text = textOf(words, at, phrase.slots)
    if (!isNegatedAt(words, at, phrase)) return { plain: text, negated }
    negated ??= text
  }
  return { plain: undefined, negated }
}

function lengthAt(words: readonly MessageWord[], at: number, slots: readonly Slot[]): number {
  let next = at
  for (const slot of slots) {
    if (slot === "articles") next += articlesAt(words, next)
    else if (slot.has(words[next]?.text ?? "")) next++
    else return 0
  }
  return next - at
}

function articlesAt(words: readonly MessageWord[], at: number): number {
  const firstOther = words.slice(at, at + MOST_ARTICLES).findIndex((it) => !ARTICLES.has(it.text))
  return firstOther === -1 ? Math.min(MOST_ARTICLES, words.length - at) : firstOther
}

function textOf(words: readonly MessageWord[], at: number, slots: readonly Slot[]): string {
  const phrase = words.slice(at, at + lengthAt(words, at, slots))
  return phrase.map((it) => it.text).join(" ")
}

function isNegatedAt(words: readonly MessageWord[], at: number, phrase: Phrase): boolean {
  const before = words[at - 1]
  const isBareNo = phrase.isCommand && before?.text === "no"
  return (isBareNo ? before : words[at])?.isNegated ?? false
}

function isExitCode(words: readonly MessageWord[], at: number): boolean {
  return words[at]?.text === "exit" && /^(?:codes?|status)$/.test(words[at + 1]?.text ?? "")
}

type MessageWord = {
  readonly text: string
  /** Commas, full stops and words such as "but" start a new clause. */
  readonly clause: number
  readonly isNegated: boolean
}

function readWords(message: string): readonly MessageWord[] {
  const plain = cutIntoClauses(message)
  let negatedClause = -1
  return plain.map((word, index) => {
    const isNegated = word.clause === negatedClause
    if (isNegation(plain, index)) negatedClause = word.clause
    return { ...word, isNegated }
  })
}

type PlainWord = Omit<MessageWord, "isNegated">

function cutIntoClauses(message: string): readonly PlainWord[] {
  const text = withoutHiddenCharacters(message)
    .normalize("NFKC")
    .toLowerCase()
    .replace(APOSTROPHES, "'")
  const words: PlainWord[] = []
  let clause = 0
  for (const [token] of text.matchAll(TOKENS)) {
    const isWord = WORD_START.test(token)
    if (!isWord || CLAUSE_WORDS.has(token)) clause++
    if (isWord) words.push({ text: token, clause })
  }
  return words
}

const APOSTROPHES = /[\u2018\u2019\u02bc\u00b4\u0060\u2032]/gu

/** Hyphens and apostrophes belong to a word: `non-stop` is not `stop`. */
const TOKENS =
  /[\p{L}\p{M}\p{N}]+(?:['-][\p{L}\p{M}\p{N}]+)*|[,;:.!?()\n\u3001\u3002\u2013\u2014]|--/gu
const WORD_START = /^[\p{L}\p{M}\p{N}]/u

/** Words that start a clause without a comma: "I don't like it but stop the pipeline". */
const CLAUSE_WORDS = new Set(["but", "so", "then", "because", "however", "instead", "although"])

/** The last line has common misspellings. */
const NEGATIONS = new Set(
  `no not never without cannot nor neither none nobody nothing
  dont doesnt didnt cant wont isnt arent wasnt havent hasnt couldnt shouldnt wouldnt aint`.split(
    /\s+/,
  ),
)

/**
 * A proposal is not a negation: "why don't we stop the pipeline", "can't you exit the pipeline".
 */
function isNegation(words: readonly PlainWord[], at: number): boolean {
  const text = words[at]?.text ?? ""
  if (!NEGATIONS.has(text) && !text.endsWith("n't")) return false
  const clause = words[at]?.clause
  const before = words[at - 1]?.clause === clause ? words[at - 1]?.text : undefined
  const isQuestion =
    before === undefined && ASKING.test(text) && ASKED.has(words[at + 1]?.text ?? "")
  return before !== "why" && !isQuestion
}

const ASKING = /^(?:can|could|should|would|won|wo)'?n?'?t$/
const ASKED = new Set(["we", "you", "i"])
