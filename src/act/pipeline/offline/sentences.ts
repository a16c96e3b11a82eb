import { contentWords } from "../stages/words.ts"

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
export function sentencesOf(context: string): readonly Sentence[] {
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
