import { contentWords } from "../stages/words.ts"
import { listOf, queryOf } from "./question.ts"

type SubQuery = { readonly question: string; readonly why: string; readonly target: string }

const TARGET = "knowledge base"

/** What a question that needs looking up usually turns on, whatever it is about. */
const TURNS: readonly { ask(subject: string): string; readonly why: string }[] = [
  { ask: (it) => `Which conditions must be met: ${it}?`, why: "what it depends on" },
  { ask: (it) => `Who decides about ${it}?`, why: "who may do it" },
  { ask: (it) => `Which exceptions and exemptions are there: ${it}?`, why: "where the rule ends" },
  { ask: (it) => `How and by when is notice given: ${it}?`, why: "who is told, and when" },
  { ask: (it) => `Which time limits and dates apply: ${it}?`, why: "until when it holds" },
  { ask: (it) => `What does it cost: ${it}?`, why: "amounts and fees" },
  { ask: (it) => `What changes when something is amended: ${it}?`, why: "later changes" },
  { ask: (it) => `How can one object or complain: ${it}?`, why: "what one can do against it" },
]

/** Takes a question apart by its words: the question, its terms, and what such rules turn on. */
export function analyze(prompt: string): Readonly<Record<string, unknown>> {
  const query = oneLine(queryOf(prompt))
  const wishes = listOf(prompt, "amendments")
  const subject = subjectOf(query)
  const most = Number(/at most (\d+) sub-queries/.exec(prompt)?.[1] ?? DEFAULT_MOST)
  const subQueries: readonly SubQuery[] = [
    { question: asQuestion(query), why: "the question itself", target: TARGET },
    ...wishes.map((it) => ({ question: oneLine(it), why: "you asked for it", target: TARGET })),
    ...termsOf(query).map((it) => ({
      question: `What counts as ${it}?`,
      why: `the term ${it}`,
      target: TARGET,
    })),
    ...TURNS.map(({ ask, why }) => ({ question: ask(subject), why, target: TARGET })),
  ]
  const clarity = clarityOf([query, ...wishes].join(" "))
  return {
    intent: `Find out: ${query}`,
    clarity,
    clarify: clarity < CLEAR ? `What do you want to know about “${query}”?` : "",
    subQueries: distinct(subQueries).slice(0, Math.max(1, most)),
  }
}

const DEFAULT_MOST = 8
const CLEAR = 0.7

/** One word can mean anything; three that carry meaning hold each other. */
function clarityOf(text: string): number {
  const words = contentWords(text).size
  if (words >= 3) return 0.86
  return words === 2 ? 0.72 : 0.4
}

const LEAD =
  /^(?:please\s+)?(?:(?:within|by|for|at|in|on|under|from|to|until)\s+)?(?:when|where|how(?:\s+(?:many|much|long|often))?|why|what|which|who|whom|whose|if)?\s*(?:(?:may|can|could|must|shall|should|will|would|is|are|was|were|does|do|did|has|have|had)\s+)?/i

/** The question without the words that make it one: "booking re-priced after arrival". */
function subjectOf(query: string): string {
  const bare = query.replace(LEAD, "").replace(/[?.!\s]+$/, "")
  const short = bare.replaceAll(/\b(?:a|an|the|be|been|being|there)\s+/gi, "").slice(0, 200)
  return short === "" ? query.slice(0, 200) : short
}

/** What stands behind a word of time or place is what people argue about. */
const TERM =
  /\b(?:after|before|during|until|upon|without|within|under|by)\s+([\p{L}][\p{L}-]{3,})/giu

function termsOf(query: string): readonly string[] {
  const terms = Array.from(query.matchAll(TERM), (it) => (it[1] ?? "").toLowerCase())
  return [...new Set(terms.filter((it) => contentWords(it).size > 0))].slice(0, 2)
}

export function asQuestion(query: string): string {
  return query === "" ? "What is asked?" : query
}

function distinct(queries: readonly SubQuery[]): readonly SubQuery[] {
  return [...new Map(queries.map((it) => [it.question, it])).values()]
}

export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim()
}
