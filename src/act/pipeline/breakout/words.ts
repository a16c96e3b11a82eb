import { withoutHiddenSigns } from "#ground/base"

export type Word = {
  readonly text: string
  /** Commas, full stops and words such as "but" begin a new one. */
  readonly clause: number
  /** Whether a negation stands before it in its clause. */
  readonly isNegated: boolean
}

/** A message as words, in any script, case and width; one pass, whatever is in it. */
export function readWords(message: string): readonly Word[] {
  const plain = cutIntoClauses(message)
  let negatedClause = -1
  return plain.map((word, index) => {
    const isNegated = word.clause === negatedClause
    if (isNegation(plain, index)) negatedClause = word.clause
    return { ...word, isNegated }
  })
}

type PlainWord = Omit<Word, "isNegated">

function cutIntoClauses(message: string): readonly PlainWord[] {
  const text = withoutHiddenSigns(message).normalize("NFKC").toLowerCase().replace(APOSTROPHES, "'")
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

/** Hyphens and apostrophes belong to a word: `non-stop` is no `stop`. */
const TOKENS =
  /[\p{L}\p{M}\p{N}]+(?:['-][\p{L}\p{M}\p{N}]+)*|[,;:.!?()\n\u3001\u3002\u2013\u2014]|--/gu
const WORD_START = /^[\p{L}\p{M}\p{N}]/u

/** They begin a clause without a comma: "I don't like it but stop the pipeline". */
const CLAUSE_WORDS = new Set(["but", "so", "then", "because", "however", "instead", "although"])

/** The last line as people type in a hurry. */
const NEGATIONS = new Set(
  `no not never without cannot nor neither none nobody nothing
  dont doesnt didnt cant wont isnt arent wasnt havent hasnt couldnt shouldnt wouldnt aint`.split(
    /\s+/,
  ),
)

/** A proposal is none: "why don't we stop the pipeline", "can't you exit the pipeline". */
function isNegation(words: readonly PlainWord[], at: number): boolean {
  const text = words[at]?.text ?? ""
  if (!NEGATIONS.has(text) && !text.endsWith("n't")) return false
  const clause = words[at]?.clause
  const before = words[at - 1]?.clause === clause ? words[at - 1]?.text : undefined
  const isAsked = before === undefined && ASKING.test(text) && ASKED.has(words[at + 1]?.text ?? "")
  return before !== "why" && !isAsked
}

const ASKING = /^(?:can|could|should|would|won|wo)'?n?'?t$/
const ASKED = new Set(["we", "you", "i"])
