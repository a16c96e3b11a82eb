import { z } from "zod"
import { oneLine, parseJson } from "#ground/base"
import { readFence } from "../stages/prompt.ts"
import { sentencesNamed } from "../stages/verify.ts"
import { contentWords, shareOfWords } from "../stages/word-overlap.ts"

type SubQuery = { readonly question: string; readonly why: string; readonly target: string }

const TARGET = "knowledge base"

/** Aspects that most lookup questions depend on, whatever their subject. */
const TURNS: readonly { ask(subject: string): string; readonly why: string }[] = [
  { ask: (it) => `Which conditions must be met: ${it}?`, why: "what it depends on" },
  { ask: (it) => `Who decides about ${it}?`, why: "who may do it" },
  {
    ask: (it) => `Which exceptions and exemptions are there: ${it}?`,
    why: "where the rule does not apply",
  },
  { ask: (it) => `How and by when is notice given: ${it}?`, why: "who is notified, and when" },
  { ask: (it) => `Which time limits and dates apply: ${it}?`, why: "until when it applies" },
  { ask: (it) => `What does it cost: ${it}?`, why: "amounts and fees" },
  { ask: (it) => `What changes when something is amended: ${it}?`, why: "later changes" },
  { ask: (it) => `How can someone object or complain: ${it}?`, why: "how to contest it" },
]

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

/** One word can mean anything; three content words are specific. */
function clarityOf(text: string): number {
  const words = contentWords(text).size
  if (words >= 3) return 0.86
  return words === 2 ? 0.72 : 0.4
}

const LEAD =
  /^(?:please\s+)?(?:(?:within|by|for|at|in|on|under|from|to|until)\s+)?(?:when|where|how(?:\s+(?:many|much|long|often))?|why|what|which|who|whom|whose|if)?\s*(?:(?:may|can|could|must|shall|should|will|would|is|are|was|were|does|do|did|has|have|had|about)\s+)?/i

function subjectOf(query: string): string {
  const bare = query.replace(LEAD, "").replace(/(?<![?.!\s])[?.!\s]+$/, "")
  const short = bare.replaceAll(/\b(?:a|an|the|be|been|being|there)\s+/gi, "").slice(0, 200)
  return short === "" ? query.slice(0, 200) : short
}

/** The words after a time or place word are usually the disputed ones. */
const TERM =
  /\b(?:after|before|during|until|upon|without|within|under|by)\s+([\p{L}][\p{L}-]{3,})/giu

function termsOf(query: string): readonly string[] {
  const terms = Array.from(query.matchAll(TERM), (it) => (it[1] ?? "").toLowerCase())
  return [...new Set(terms.filter((it) => contentWords(it).size > 0))].slice(0, 2)
}

function asQuestion(query: string): string {
  return query === "" ? "What is the question?" : query
}

function distinct(queries: readonly SubQuery[]): readonly SubQuery[] {
  return [...new Map(queries.map((it) => [it.question, it])).values()]
}

export function queryOf(prompt: string): string {
  return readFence(prompt, "query") ?? prompt.trim().split("\n").at(-1) ?? ""
}

function listOf(prompt: string, name: string): readonly string[] {
  const text = readFence(prompt, name) ?? ""
  if (text === NOTHING) return []
  return text
    .split(/^\d+\. /m)
    .map((it) => it.trim())
    .filter((it) => it !== "")
}

function outputOf(prompt: string, stage: string): unknown {
  const text = readFence(prompt, `outputs.${stage}`)
  return text === undefined ? undefined : parseJson(text)
}

const NOTHING = "(nothing)"

/**
 * Adds the best matching document to each part, and to the last part the word that web results use
 * most and the plan lacks.
 */
export function refine(prompt: string): Readonly<Record<string, unknown>> {
  const questions = listOf(prompt, "plan").map((it) => it.replace(/ \(look in: [^()]*\)$/, ""))
  const wishes = listOf(prompt, "amendments").map((it) => oneLine(it))
  const documents = listOf(prompt, "documents")
  const word = newWord(questions, readFence(prompt, "web") ?? "")
  const planned = [...new Set([...questions, ...wishes])]
  const questionsOrQuery = planned.length === 0 ? [asQuestion(oneLine(queryOf(prompt)))] : planned
  return {
    subQueries: questionsOrQuery.map((question, index) => ({
      question:
        index === questionsOrQuery.length - 1 && word !== undefined
          ? widened(question, word)
          : question,
      why: "kept from the plan",
      target: targetOf(question, documents),
    })),
  }
}

function widened(question: string, word: string): string {
  return `${question.replace(/\?$/, "")} (elsewhere: ${word})?`
}

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

/** The title that shares most words; documents are in search order. */
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

/** The development loop without a model: generic good practice with the words of the request. */
export function understand(prompt: string): Answer {
  const wish = wishOf(prompt)
  const isClear = contentWords([wish, ...listOf(prompt, "amendments")].join(" ")).size >= 2
  return {
    goal: `Result: ${wish}`,
    clarity: isClear ? 0.8 : 0.4,
    clarify: isClear ? "" : `What should be different after “${wish}”?`,
    risks: ["Callers that rely on the current behaviour", "A case that no test covers"],
    acceptance: [`A test shows it: ${wish}`, "All checks that passed before still pass"],
  }
}

export function plan(prompt: string): Answer {
  const wish = wishOf(prompt)
  const wishes = listOf(prompt, "amendments").map((it) => oneLine(it))
  return {
    steps: [
      { step: `Find the code this is about: ${subject(wish)}`, why: "read before changing" },
      {
        step: `Write a test that fails until it is done: ${wish}`,
        why: "shows when the work is done",
      },
      { step: `Make the change: ${wish}`, why: "the request itself" },
      ...wishes.map((it) => ({ step: it, why: "you asked for it" })),
      { step: "Run all checks and read what fails", why: "callers may rely on the old behaviour" },
    ],
  }
}

export function review(prompt: string): Answer {
  const steps = Steps.safeParse(outputOf(prompt, "plan"))
  const isDocumented = steps.success && steps.data.steps.some((it) => /document/i.test(it.step))
  return { remarks: isDocumented ? [] : ["The plan does not say where the change is documented."] }
}

export function refinePlan(prompt: string): Answer {
  const steps = Steps.safeParse(outputOf(prompt, "plan"))
  const remarks = Remarks.safeParse(outputOf(prompt, "review"))
  const before = steps.success ? steps.data.steps : []
  const added = (remarks.success ? remarks.data.remarks : []).map((it) => ({
    step: `Fix the plan: ${it}`,
    why: "the review asked for it",
  }))
  const all = [...before, ...added]
  return { steps: all.length === 0 ? [{ step: wishOf(prompt), why: "the request itself" }] : all }
}

export function decide(prompt: string): Answer {
  const tested = Tested.safeParse(outputOf(prompt, "test"))
  if (!tested.success) {
    return { decision: "look", why: "The tests gave no readable result.", open: [] }
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

/** English only, like the other rules here. */
const ASKS = /^(?:what|when|where|which|who|why|how|is|are|can|could|does|do|did|will|would)\b/i

/**
 * A complete question that shares no word with the topic leaves it; everything else belongs to it.
 */
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

export function converse(prompt: string): string {
  const { research, message } = splitResearch(prompt)
  const words = contentWords(message)
  const fitting = lines(research)
    .map((text) => ({ text, share: shareOfWords(words, contentWords(text)) }))
    .filter((it) => it.share >= FITTING_SHARE)
    .toSorted((one, other) => other.share - one.share)
    .slice(0, 3)
  const excerpts = fitting.map((it) => `- ${it.text}`).join("\n")
  return excerpts === ""
    ? `The stored research says nothing about this. ${OFFLINE}`
    : `The stored research says:\n${excerpts}\n\n${OFFLINE}`
}

const CLOSING = "</orchestrator_prior_research>"

function splitResearch(prompt: string): { readonly research: string; readonly message: string } {
  const start = prompt.indexOf("<orchestrator_prior_research")
  const from = start < 0 ? -1 : prompt.indexOf(">", start)
  const end = from < 0 ? -1 : prompt.indexOf(CLOSING, from)
  if (end < 0) return { research: "", message: prompt.trim() }
  const message = prompt.slice(0, start) + prompt.slice(end + CLOSING.length)
  return { research: prompt.slice(from + 1, end), message: message.trim() }
}

const FITTING_SHARE = 0.3

const OFFLINE = "No model is configured, so this was found by word matching (set model.provider)."

function lines(text: string): readonly string[] {
  const bare = text.split("\n").map((it) => it.replace(/^-\s*/, ""))
  return [...new Set(bare.flatMap((it) => [it, ...split(it)]).map((it) => oneLine(it)))].filter(
    (it) => it.length > 20,
  )
}

const SENTENCES_A_SECTION = 3
const SENTENCES_OF_THE_SHORT_ANSWER = 2
const MOST_KEY_POINTS = 5

/** Minimum share of a question's weight for a sentence to count as an answer. */
const FITTING_SENTENCE_SHARE = 0.25

const NOTE =
  "No model wrote this: the sentences above were copied from the documents because their words match or are related."

/** Copies sentences with their labels; sentences that the feedback names are left out. */
export function synthesize(prompt: string): Readonly<Record<string, unknown>> {
  const query = oneLine(queryOf(prompt))
  const material = withoutNamed(
    sentencesOf(readFence(prompt, "context") ?? ""),
    readFence(prompt, "feedback") ?? "",
  )
  const weigh = weigher(material)
  const short = weigh(query).slice(0, SENTENCES_OF_THE_SHORT_ANSWER)
  const sections = sectionsOf(questionsOf(prompt, query), weigh)
  const points = sections.flatMap((it) => it.sentences.slice(0, 1)).slice(0, MOST_KEY_POINTS)
  const used = new Set([...short, ...sections.flatMap((it) => it.sentences)].map((it) => it.label))
  const closest = closestOf(material, used)
  const written = [
    ...sections.map((it) => ({ title: it.title, text: formatSentences(it.sentences) })),
    ...(closest.length === 0
      ? []
      : [{ title: "Closest paragraphs", text: formatSentences(closest) }]),
  ]
  return {
    title: query,
    shortAnswer:
      short.length === 0 ? `The documents found say nothing about this.` : formatSentences(short),
    keyPoints: points.map((it) => formatSentences([it])),
    sections: [...written, { title: "How this was written", text: NOTE }],
  }
}

const MOST_CLOSEST = 3
const SENTENCES_OF_A_PARAGRAPH = 2

/** The first paragraphs of the context, which the search found by related words. */
function closestOf(material: readonly Sentence[], used: ReadonlySet<string>): readonly Sentence[] {
  const byLabel = Map.groupBy(material, (it) => it.label)
  return [...byLabel]
    .filter(([label]) => label.startsWith("P"))
    .slice(0, MOST_CLOSEST)
    .filter(([label]) => !used.has(label))
    .flatMap(([, sentences]) => sentences.slice(0, SENTENCES_OF_A_PARAGRAPH))
}

function questionsOf(prompt: string, query: string): readonly string[] {
  const plan = listOf(prompt, "plan").map((it) => it.replace(/ \(look in: [^()]*\)$/, ""))
  return [
    ...(plan.length === 0 ? [query] : plan),
    ...listOf(prompt, "amendments").map((it) => oneLine(it)),
  ]
}

type Weigh = (question: string) => readonly Sentence[]

/** Each sentence is used once, under the first question it matches. */
function sectionsOf(questions: readonly string[], weigh: Weigh) {
  const used = new Set<Sentence>()
  return [...new Set(questions)].flatMap((title) => {
    const fresh = weigh(title).filter((it) => !used.has(it))
    const sentences = fresh.slice(0, SENTENCES_A_SECTION)
    for (const it of sentences) used.add(it)
    return sentences.length === 0 ? [] : [{ title, sentences }]
  })
}

const ASKING = contentWords("counts counting means meaning met decides happens something asked")

/** Of two equal matches the shorter one wins; each extra word costs 2 %. */
const LENGTH_PENALTY = 0.02

/** Matching sentences, best first. A rare word weighs more. */
function weigher(material: readonly Sentence[]): Weigh {
  const counts = new Map<string, number>()
  for (const { words } of material) {
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const rarity = (word: string): number =>
    Math.log(1 + material.length / (1 + (counts.get(word) ?? 0)))
  return (question) => {
    const words = [...contentWords(question).difference(ASKING)].filter((it) => counts.has(it))
    const whole = words.reduce((sum, it) => sum + rarity(it), 0)
    const defines = definition(question)
    const subjects = numberedIn(question)
    return material
      .map((sentence) => {
        const shared = words.filter((it) => sentence.words.has(it))
        const plain = shared.reduce((sum, it) => sum + rarity(it), 0) * trust(sentence)
        const about = isAboutAnother(subjects, sentence.text) ? plain * OTHER_SUBJECT : plain
        const weight = defines?.test(sentence.text) === true ? about * DEFINING : about
        return { sentence, weight: weight / (1 + sentence.words.size * LENGTH_PENALTY) }
      })
      .filter(({ weight }) => weight > 0 && weight >= whole * FITTING_SENTENCE_SHARE)
      .toSorted((one, other) => other.weight - one.weight || one.sentence.at - other.sentence.at)
      .map(({ sentence }) => sentence)
  }
}

const DEFINING = 3

/** "chapter 1" answers no question about chapter 3, whatever words they share. */
const OTHER_SUBJECT = 0.4

const NUMBERED = /(\p{L}{3,40}) (\d{1,4}(?:\.\d{1,4}){0,4}|[A-Z])(?![\p{L}\p{N}])/gu

type Numbered = ReadonlyMap<string, ReadonlySet<string>>

function numberedIn(text: string): Numbered {
  const numbers = new Map<string, Set<string>>()
  for (const [, word = "", number = ""] of text.matchAll(NUMBERED)) {
    const key = word.toLowerCase()
    numbers.set(key, (numbers.get(key) ?? new Set()).add(number))
  }
  return numbers
}

function isAboutAnother(subjects: Numbered, text: string): boolean {
  if (subjects.size === 0) return false
  const named = numberedIn(text)
  return [...subjects].some(([word, numbers]) => named.get(word)?.isDisjointFrom(numbers) === true)
}

function definition(question: string): RegExp | undefined {
  const [, term] = /^What counts as ([\p{L}-]+)\?$/u.exec(question) ?? []
  if (term === undefined) return undefined
  return new RegExp(`\\b${term}\\b["”]?\\s+(?:means|is|counts|takes place)\\b`, "i")
}

const TRUST: ReadonlyMap<string, number> = new Map([
  ["guide", 0.9],
  ["web", 0.5],
])

/**
 * Primary documents before guides, guides before the web; a sentence that starts with "it" says
 * little alone.
 */
function trust({ tier, text }: Sentence): number {
  const isHanging = /^(?:it|this|these|they|he|she|such|that)\b/i.test(text)
  const byTier = TRUST.get(tier) ?? 1
  return isHanging ? byTier * 0.6 : byTier
}

function formatSentences(sentences: readonly Sentence[]): string {
  return sentences.map(({ text, label }) => `${text} [${label}]`).join(" ")
}

/**
 * Of two contradicting sentences the guide's is left out; otherwise those that the feedback names.
 */
function withoutNamed(material: readonly Sentence[], feedback: string): readonly Sentence[] {
  const named = sentencesNamed(feedback).map(bare)
  const quoted = bare(feedback)
  const guides = new Set(
    material.filter((it) => it.tier === "guide" && quoted.includes(bare(it.text))),
  )
  return material.filter((paragraph) => {
    if (guides.has(paragraph)) return false
    const isNamed = named.some((sentence) => bare(paragraph.text).includes(sentence))
    return !isNamed || (guides.size > 0 && paragraph.tier === "primary")
  })
}

const bare = (text: string): string => oneLine(text.replaceAll(/\*\*|__|`/g, ""))

type Sentence = {
  readonly text: string
  readonly label: string
  readonly tier: string
  readonly words: ReadonlySet<string>
  readonly at: number
}

const TEXT = /<(paragraph|result) label="([PW]\d+)"([^<>]*)>([^<]*)<\/\1>/g

function sentencesOf(context: string): readonly Sentence[] {
  const sentences: Sentence[] = []
  for (const [, kind, label = "", attributes = "", escaped = ""] of context.matchAll(TEXT)) {
    const tier = kind === "result" ? "web" : (/tier="(\w+)"/.exec(attributes)?.[1] ?? "primary")
    for (const text of split(unescape(escaped))) {
      sentences.push({ text, label, tier, words: contentWords(text), at: sentences.length })
    }
  }
  return sentences
}

function split(text: string): readonly string[] {
  const lines = text.split(/\n+/).filter((it) => !/^\s*(?:\||```|#)/.test(it))
  const joined = lines.map((it) => it.replace(MARK, "").trim())
  return joined
    .flatMap((line) =>
      line.split(/(?<=[.!?])(?<!\b(?:No|e\.g|i\.e|cf|Art|Sec|p|pp)\.)\s+(?=[\p{Lu}"“(])/u),
    )
    .map((it) => it.trim())
    .filter((it) => /[.!?]["”)]?$/.test(it) && it.length >= SHORTEST && it.length <= LONGEST)
}

const MARK = /^\s*(?:(?:[-*+•]|\d{1,3}[.)]|(?:§\s*)?\d{1,3}(?:\.\d{1,3})+)\s+)+/

const SHORTEST = 20

/** Longer ones are lists without full stops; a copy would be the whole answer. */
const LONGEST = 600

function unescape(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&")
}
