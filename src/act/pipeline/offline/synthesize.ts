import { oneLine } from "#ground/base"
import { readFence } from "../stages/prompt.ts"
import { sentencesNamed } from "../stages/verify.ts"
import { contentWords } from "../stages/words.ts"
import { listOf, queryOf } from "./answers.ts"

const SENTENCES_A_SECTION = 3
const SENTENCES_OF_THE_SHORT_ANSWER = 2
const MOST_KEY_POINTS = 5

/** Part of a question's weight that a sentence must have to count as an answer to it. */
const FITTING_SHARE = 0.25

const NOTE =
  "No model wrote this: the sentences above were copied from the documents because their words fit."

/** An answer of copied sentences, each with its label; what a feedback names is left out. */
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
  const written = sections.map((it) => ({ title: it.title, text: said(it.sentences) }))
  return {
    title: query,
    shortAnswer: short.length === 0 ? `The documents found say nothing about this.` : said(short),
    keyPoints: points.map((it) => said([it])),
    sections: [...written, { title: "How this was written", text: NOTE }],
  }
}

function questionsOf(prompt: string, query: string): readonly string[] {
  const plan = listOf(prompt, "plan").map((it) => it.replace(/ \(look in: [^)]*\)$/, ""))
  return [
    ...(plan.length === 0 ? [query] : plan),
    ...listOf(prompt, "amendments").map((it) => oneLine(it)),
  ]
}

type Weigh = (question: string) => readonly Sentence[]

/** Each sentence is said once, under the first question it fits. */
function sectionsOf(questions: readonly string[], weigh: Weigh) {
  const used = new Set<Sentence>()
  return [...new Set(questions)].flatMap((title) => {
    const fresh = weigh(title).filter((it) => !used.has(it))
    const sentences = fresh.slice(0, SENTENCES_A_SECTION)
    for (const it of sentences) used.add(it)
    return sentences.length === 0 ? [] : [{ title, sentences }]
  })
}

/** Of a question, not of its subject. */
const ASKING = contentWords("counts counting means meaning met decides happens something asked")

/** Of two that fit alike the shorter one is the answer; a word more costs a fiftieth. */
const LENGTH_PENALTY = 0.02

/** Sentences that fit a question, the best first. A word that few sentences have weighs more. */
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
    return material
      .map((sentence) => {
        const shared = words.filter((it) => sentence.words.has(it))
        const plain = shared.reduce((sum, it) => sum + rarity(it), 0) * trust(sentence)
        const weight = defines?.test(sentence.text) === true ? plain * DEFINING : plain
        return { sentence, weight: weight / (1 + sentence.words.size * LENGTH_PENALTY) }
      })
      .filter(({ weight }) => weight > 0 && weight >= whole * FITTING_SHARE)
      .toSorted((one, other) => other.weight - one.weight || one.sentence.at - other.sentence.at)
      .map(({ sentence }) => sentence)
  }
}

const DEFINING = 3

/** What a sentence looks like that says what a word means. */
function definition(question: string): RegExp | undefined {
  const [, term] = /^What counts as ([\p{L}-]+)\?$/u.exec(question) ?? []
  if (term === undefined) return undefined
  return new RegExp(`\\b${term}\\b["”]?\\s+(?:means|is|counts|takes place)\\b`, "i")
}

const TRUST: ReadonlyMap<string, number> = new Map([
  ["guide", 0.9],
  ["web", 0.5],
])

/** Primary documents before guides, guides before the web; a sentence of "it" says little alone. */
function trust({ tier, text }: Sentence): number {
  const isHanging = /^(?:it|this|these|they|he|she|such|that)\b/i.test(text)
  const byTier = TRUST.get(tier) ?? 1
  return isHanging ? byTier * 0.6 : byTier
}

function said(sentences: readonly Sentence[]): string {
  return sentences.map(({ text, label }) => `${text} [${label}]`).join(" ")
}

/** Of two that contradict each other the guide's goes; otherwise what the feedback names. */
function withoutNamed(material: readonly Sentence[], feedback: string): readonly Sentence[] {
  const named = sentencesNamed(feedback).map(bare)
  const quoted = bare(feedback)
  const guides = new Set(
    material.filter((it) => it.tier === "guide" && quoted.includes(bare(it.text))),
  )
  return material.filter((it) => {
    if (guides.has(it)) return false
    const isNamed = named.some((sentence) => bare(it.text).includes(sentence))
    return !isNamed || (guides.size > 0 && it.tier === "primary")
  })
}

/** As a verification quotes a sentence: in one line, without emphasis. */
const bare = (text: string): string => oneLine(text.replaceAll(/\*\*|__|`/g, ""))

/** A sentence of the material with the label of the text it stands in. */
export type Sentence = {
  readonly text: string
  readonly label: string
  readonly tier: string
  readonly words: ReadonlySet<string>
  /** Its place in the material: of two that fit alike, the earlier. */
  readonly at: number
}

const TEXT = /<(paragraph|result) label="([PW]\d+)"([^>]*)>([^<]*)<\/\1>/g

/** The sentences of a context, in order; tables and code are left out, they say little alone. */
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

/** Sentences of one text: whole ones, long enough to state something. */
export function split(text: string): readonly string[] {
  const lines = text.split(/\n+/).filter((it) => !/^\s*(?:\||```|#)/.test(it))
  const joined = lines.map((it) => it.replace(MARK, "").trim())
  return joined
    .flatMap((line) =>
      line.split(/(?<=[.!?])(?<!\b(?:No|e\.g|i\.e|cf|Art|Sec|p|pp)\.)\s+(?=[\p{Lu}"“(])/u),
    )
    .map((it) => it.trim())
    .filter((it) => /[.!?]["”)]?$/.test(it) && it.length >= SHORTEST && it.length <= LONGEST)
}

/** Marks of lists and numbers of paragraphs: they say where a sentence stood, not what it says. */
const MARK = /^\s*(?:(?:[-*+•]|\d{1,3}[.)]|(?:§\s*)?\d{1,3}(?:\.\d{1,3})+)\s+)+/

const SHORTEST = 20

/** Longer ones are lists without full stops; copied, they would be the whole answer. */
const LONGEST = 600

function unescape(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&")
}
