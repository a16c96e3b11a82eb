import { z } from "zod"
import { oneLine } from "#ground/base"
import { readFence } from "../stages/prompt.ts"
import { contentWords, shareOfWords } from "../stages/words.ts"
import { split } from "./synthesize.ts"

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

function asQuestion(query: string): string {
  return query === "" ? "What is asked?" : query
}

function distinct(queries: readonly SubQuery[]): readonly SubQuery[] {
  return [...new Map(queries.map((it) => [it.question, it])).values()]
}

/** What a prompt holds between its fences, for a brain that cannot read the rest of it. */
export function queryOf(prompt: string): string {
  return readFence(prompt, "query") ?? prompt.trim().split("\n").at(-1) ?? ""
}

/** The lines of a numbered list between fences; none when it says that there is nothing. */
export function listOf(prompt: string, name: string): readonly string[] {
  const text = readFence(prompt, name) ?? ""
  if (text === NOTHING) return []
  return text
    .split(/^\d+\. /m)
    .map((it) => it.trim())
    .filter((it) => it !== "")
}

/** The output of an earlier stage; undefined when it is no JSON. */
function outputOf(prompt: string, stage: string): unknown {
  const text = readFence(prompt, `outputs.${stage}`)
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}

const NOTHING = "(nothing)"

/**
 * The plan with the document that fits each part, and with the one word that the web uses most and
 * the plan does not, in the part that can best do with it: the last.
 */
export function refine(prompt: string): Readonly<Record<string, unknown>> {
  const questions = listOf(prompt, "plan").map((it) => it.replace(/ \(look in: [^)]*\)$/, ""))
  const wishes = listOf(prompt, "amendments").map((it) => oneLine(it))
  const documents = listOf(prompt, "documents")
  const word = newWord(questions, readFence(prompt, "web") ?? "")
  const planned = [...new Set([...questions, ...wishes])]
  const kept = planned.length === 0 ? [asQuestion(oneLine(queryOf(prompt)))] : planned
  return {
    subQueries: kept.map((question, index) => ({
      question:
        index === kept.length - 1 && word !== undefined ? widened(question, word) : question,
      why: "kept from the plan",
      target: targetOf(question, documents),
    })),
  }
}

function widened(question: string, word: string): string {
  return `${question.replace(/\?$/, "")} (elsewhere: ${word})?`
}

/** A word in the titles of at least two pages that the plan does not have. */
function newWord(questions: readonly string[], web: string): string | undefined {
  const planned = contentWords(questions.join(" "))
  const counts = new Map<string, { readonly word: string; readonly pages: number }>()
  for (const [, title = ""] of web.matchAll(/^W\d+\. (.+)$/gm)) {
    for (const word of new Set(title.toLowerCase().match(/\p{L}{5,}/gu) ?? [])) {
      const [stem] = contentWords(word)
      if (stem === undefined || planned.has(stem)) continue
      counts.set(stem, { word, pages: (counts.get(stem)?.pages ?? 0) + 1 })
    }
  }
  const best = [...counts.values()].toSorted((one, other) => other.pages - one.pages)[0]
  return best !== undefined && best.pages > 1 ? best.word : undefined
}

/** The title that shares most words; documents come in the order in which they were found. */
function targetOf(question: string, documents: readonly string[]): string {
  const words = contentWords(question)
  const [best] = documents
    .map((title) => ({ title, share: shareOfWords(contentWords(title), words) }))
    .toSorted((one, other) => other.share - one.share)
  return best?.title ?? "knowledge base"
}

type Answer = Readonly<Record<string, unknown>>

const Steps = z.object({ steps: z.array(z.object({ step: z.string(), why: z.string() })) })
const Remarks = z.object({ remarks: z.array(z.string()) })
const Tested = z.object({ passed: z.boolean(), problems: z.array(z.string()).default([]) })

/** The development loop without a model: plain good practice, filled with the words of the wish. */
export function understand(prompt: string): Answer {
  const wish = wishOf(prompt)
  const isClear = contentWords([wish, ...listOf(prompt, "amendments")].join(" ")).size >= 2
  return {
    goal: `Afterwards this is so: ${wish}`,
    clarity: isClear ? 0.8 : 0.4,
    clarify: isClear ? "" : `What should be different after “${wish}”?`,
    risks: ["Callers that rely on how it is now", "A case that no test covers"],
    acceptance: [`A test shows it: ${wish}`, "All checks that passed before still pass"],
  }
}

export function plan(prompt: string): Answer {
  const wish = wishOf(prompt)
  const wishes = listOf(prompt, "amendments").map((it) => oneLine(it))
  return {
    steps: [
      { step: `Find the code this is about: ${subject(wish)}`, why: "nothing is changed unread" },
      { step: `Write a test that fails until it is done: ${wish}`, why: "so that done is seen" },
      { step: `Make the change: ${wish}`, why: "the wish itself" },
      ...wishes.map((it) => ({ step: it, why: "you asked for it" })),
      { step: "Run all checks and read what fails", why: "callers may rely on the old way" },
    ],
  }
}

export function review(prompt: string): Answer {
  const steps = Steps.safeParse(outputOf(prompt, "plan"))
  const isDocumented = steps.success && steps.data.steps.some((it) => /document/i.test(it.step))
  return { remarks: isDocumented ? [] : ["The plan does not say where the change is documented."] }
}

/** The plan as it was, and one step for each remark. */
export function refinePlan(prompt: string): Answer {
  const steps = Steps.safeParse(outputOf(prompt, "plan"))
  const remarks = Remarks.safeParse(outputOf(prompt, "review"))
  const before = steps.success ? steps.data.steps : []
  const added = (remarks.success ? remarks.data.remarks : []).map((it) => ({
    step: `Mend the plan: ${it}`,
    why: "the review asked for it",
  }))
  const all = [...before, ...added]
  return { steps: all.length === 0 ? [{ step: wishOf(prompt), why: "the wish itself" }] : all }
}

export function decide(prompt: string): Answer {
  const tested = Tested.safeParse(outputOf(prompt, "test"))
  if (!tested.success) {
    return { decision: "look", why: "The tests gave no result that could be read.", open: [] }
  }
  const { passed, problems } = tested.data
  return passed
    ? { decision: "done", why: "The tests passed.", open: [] }
    : { decision: "look", why: "The tests did not pass.", open: problems }
}

const wishOf = (prompt: string): string => oneLine(queryOf(prompt)).slice(0, 400)

function subject(wish: string): string {
  const words = wish.match(/[\p{L}\p{N}][\p{L}\p{N}._/-]*/gu) ?? []
  const liveText = words.filter((it) => contentWords(it).size > 0)
  return liveText.slice(0, 8).join(", ")
}

const SURE = 0.75

/** English only, as the rest of it: what it cannot read it does not judge. */
const ASKS = /^(?:what|when|where|which|who|why|how|is|are|can|could|does|do|did|will|would)\b/i

/** A whole question that shares no word with the topic leaves it; everything else belongs to it. */
export function classify(prompt: string): Readonly<Record<string, unknown>> {
  const topic = contentWords(`${tag(prompt, "topic")} ${tag(prompt, "sub_queries")}`)
  const message = oneLine(tag(prompt, "message"))
  const words = contentWords(message)
  const isQuestion = ASKS.test(message) && message.endsWith("?") && words.size >= 2
  const breakout = isQuestion && words.isDisjointFrom(topic)
  return { breakout, confidence: breakout ? SURE : 0.5 }
}

function tag(prompt: string, name: string): string {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(prompt)?.[1] ?? ""
}

const BLOCK = /<orchestrator_prior_research[^>]*>([\s\S]*?)<\/orchestrator_prior_research>/

/** An answer after the end: what the summary in front of the message says about it. */
export function converse(prompt: string): string {
  const research = BLOCK.exec(prompt)?.[1] ?? ""
  const message = prompt.replace(BLOCK, "").trim()
  const words = contentWords(message)
  const fitting = lines(research)
    .map((text) => ({ text, share: shareOfWords(words, contentWords(text)) }))
    .filter((it) => it.share >= FITTING_SHARE)
    .toSorted((one, other) => other.share - one.share)
    .slice(0, 3)
  const found = fitting.map((it) => `- ${it.text}`).join("\n")
  return found === ""
    ? `The research that is kept does not say anything about this. ${OFFLINE}`
    : `The research that is kept says:\n${found}\n\n${OFFLINE}`
}

const FITTING_SHARE = 0.3

const OFFLINE = "No model is set up, so this was looked up by its words (setting model.provider)."

function lines(text: string): readonly string[] {
  const bare = text.split("\n").map((it) => it.replace(/^-\s*/, ""))
  return [...new Set(bare.flatMap((it) => [it, ...split(it)]).map((it) => oneLine(it)))].filter(
    (it) => it.length > 20,
  )
}
