import {
  type LabelGroup,
  labelGroupsOf,
  parenthesisedGroupsOf,
  splitSentences,
} from "#know/knowledge"
import type { Answer } from "../outputs.ts"
import { contentWords } from "../word-overlap.ts"

/**
 * A sentence clearly rests on a text with this share of its words and `CLEAR_LEAD_SHARE` more than
 * the next text.
 */
const CLEAR_SHARE = 0.6
const CLEAR_LEAD_SHARE = 0.15

const MOST_ROUNDS = 4

/** With fewer words, any text contains most of them. */
const FEWEST_CLEAR_WORDS = 5

type Section = { readonly title: string; readonly text: string }
type Reference = { readonly label: string; readonly text: string }

export type PostProcessed = {
  readonly sections: readonly Section[]
  readonly used: readonly string[]
  readonly added: number
  readonly dropped: readonly string[]
}

/**
 * Normalizes the labels of an answer: one notation, none without a reference, none twice in a
 * sentence, and one added where a sentence clearly rests on one text. Idempotent.
 */
export function postProcess(input: {
  readonly sections: readonly Section[]
  readonly references: readonly Reference[]
}): PostProcessed {
  const index = indexOf(input.references)
  const dropped = new Set<string>()
  let added = 0
  const sections = input.sections.map(({ title, text }) => {
    const done = labelSentences(writeLabels(text, index.labels, dropped), index)
    added += done.added
    return { title, text: done.text }
  })
  const used = new Set(
    sections.flatMap(({ text }) => labelGroupsOf(outsideCode(text)).flatMap((it) => it.labels)),
  )
  const isKnown = (label: string): boolean => index.labels.has(label)
  return { sections, used: [...used].filter(isKnown), added, dropped: [...dropped] }
}

export type LabelledAnswer = Pick<PostProcessed, "added" | "dropped" | "used"> & {
  readonly answer: Answer
}

/** All texts at once, because references are ordered by first use. */
export function labelAnswer(draft: Answer): LabelledAnswer {
  const parts: readonly Section[] = [
    { title: "", text: draft.shortAnswer },
    ...draft.keyPoints.map((text) => ({ title: "", text })),
    ...draft.sections,
  ]
  const references = draft.references.map(({ label, text }) => ({ label, text }))
  const { sections, ...labels } = postProcess({ sections: parts, references })
  const points = sections.slice(1, 1 + draft.keyPoints.length)
  const answer: Answer = {
    ...draft,
    shortAnswer: sections[0]?.text ?? "",
    keyPoints: points.map((it) => it.text),
    sections: sections.slice(1 + draft.keyPoints.length),
  }
  return { answer, ...labels }
}

function labelSentences(text: string, index: Index): { text: string; added: number } {
  let written = text
  let added = 0
  // Removing a label may split or join sentences, so they are checked again.
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const from = written
    const prose = outsideCode(from)
    const sentences = splitSentences(prose)
    const missing = sentences.flatMap((it) => missingLabel(from, it, index) ?? [])
    const labelled = sentences.filter((it) => it.labels.length > 0)
    const repeated = labelled.flatMap((it) => repetitions(prose, it))
    const edits = [...missing, ...repeated].toSorted((one, other) => one.start - other.start)
    written = withEdits(from, edits)
    added += missing.length
    if (repeated.length === 0) break
  }
  return { text: written, added }
}

type Sentence = ReturnType<typeof splitSentences>[number]
type Edit = { readonly start: number; readonly end: number; readonly put: string }

function withEdits(text: string, edits: readonly Edit[]): string {
  let written = ""
  let from = 0
  for (const { start, end, put } of edits) {
    written += text.slice(from, start) + put
    from = end
  }
  return written + text.slice(from)
}

const CODE =
  /^\s{0,3}(```|~~~)[\s\S]*?(?:^\s{0,3}\1[^\n]*$|(?![\s\S]))|(?<!`)(`{1,2})(?!`)[^`\n]+\2(?!`)/gm

/** Same length and positions, with labels in code blanked out. */
function outsideCode(text: string): string {
  return text.includes("`") || text.includes("~~~")
    ? text.replaceAll(CODE, (code) => code.replaceAll("[", "{").replaceAll("]", "}"))
    : text
}

function writeLabels(text: string, labels: ReadonlySet<string>, dropped: Set<string>): string {
  let written = ""
  let from = 0
  for (const code of text.matchAll(CODE)) {
    written += writeProse(text.slice(from, code.index), labels, dropped) + code[0]
    from = code.index + code[0].length
  }
  return written + writeProse(text.slice(from), labels, dropped)
}

function writeProse(text: string, allLabels: ReadonlySet<string>, dropped: Set<string>): string {
  const groups = [...labelGroupsOf(text), ...parenthesisedGroupsOf(text)].toSorted(
    (one, other) => one.start - other.start,
  )
  const bare = bareLabels(text, groups, allLabels)
  const edits = [...groups, ...bare]
    .toSorted((one, other) => one.start - other.start)
    .map((group) => {
      for (const label of group.labels) if (!allLabels.has(label)) dropped.add(label)
      const labels = group.labels.filter((label) => allLabels.has(label))
      return labels.length === 0 ? removal(text, group) : { ...group, put: bracketed(labels) }
    })
  return withEdits(text, edits)
}

function bracketed(labels: readonly string[]): string {
  return labels.map((label) => `[${label}]`).join(" ")
}

const BARE = /([PW])(\d{1,4})(?![\p{L}\p{N}_]|-[\p{L}\p{N}])/gu
/**
 * Part of another word or a path, or after a name that is not just the first word of a sentence.
 */
const NO_LABEL_AFTER =
  /[\p{L}\p{N}_#/.-]$|(?<!\p{L})(?!(?:See|As|In|By|Per|From|Under|With|Also|Both|And|But|Source)\s)\p{Lu}\p{L}+\s$/u

/** "as P3 says". "Quay P3" is a name, and an unknown label may be one too. */
function bareLabels(
  text: string,
  groups: readonly LabelGroup[],
  labels: ReadonlySet<string>,
): readonly LabelGroup[] {
  const inside = groups.map(({ start, end }) => ({ start, end }))
  let next = 0
  const bare: LabelGroup[] = []
  for (const match of text.matchAll(BARE)) {
    const start = match.index
    while ((inside[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next++
    const isInside = start >= (inside[next]?.start ?? Number.POSITIVE_INFINITY)
    const label = `${match[1]}${Number(match[2])}`
    if (isInside || !labels.has(label)) continue
    if (NO_LABEL_AFTER.test(text.slice(Math.max(0, start - 30), start))) continue
    bare.push({ start, end: start + match[0].length, labels: [label] })
  }
  return bare
}

/** Removed with the space before it, if the words around it stay separate. */
function removal(text: string, { start, end }: { start: number; end: number }): Edit {
  const isApart = end === text.length || /[\s.,;:!?)\]]/.test(text[end] ?? "")
  const before = /[ \t]{1,8}$/.exec(text.slice(Math.max(0, start - 8), start))?.[0].length ?? 0
  if (isApart) return { start: start - before, end, put: "" }
  const isJoined = before === 0 && start > 0 && !/[\s([]/.test(text[start - 1] ?? "")
  return { start, end, put: isJoined ? " " : "" }
}

function repetitions(text: string, { start, end }: Sentence): readonly Edit[] {
  const used = new Set<string>()
  return labelGroupsOf(text.slice(start, end)).flatMap((group) => {
    const isSeen = group.labels.every((label) => used.has(label))
    for (const label of group.labels) used.add(label)
    return isSeen ? removal(text, { start: start + group.start, end: start + group.end }) : []
  })
}

function missingLabel(text: string, sentence: Sentence, index: Index): Edit | undefined {
  if (sentence.labels.length > 0) return undefined
  const statement = text.slice(sentence.start, sentence.end).trimEnd()
  if (statement.trimStart().startsWith("|") || /[:?]$/.test(statement)) return undefined
  const label = clearLabel(contentWords(sentence.text), index)
  if (label === undefined) return undefined
  const at = outsideCodeAt(text, sentence.start + endOfWords(statement))
  return { start: at, end: at, put: ` [${label}]` }
}

/** A label inside code would not be recognized, so it goes before the code. */
function outsideCodeAt(text: string, at: number): number {
  for (const code of text.matchAll(CODE)) {
    if (code.index < at && at < code.index + code[0].length) return code.index
  }
  return at
}

/** After the last word: before the full stop and a closing quotation mark. */
function endOfWords(text: string): number {
  let end = text.length
  while (end > 0 && !/[\p{L}\p{M}\p{N})\]%`]/u.test(text[end - 1] ?? "")) end--
  return end === 0 ? text.length : end
}

type Index = {
  readonly labels: ReadonlySet<string>
  readonly byWord: ReadonlyMap<string, readonly string[]>
}

function indexOf(references: readonly Reference[]): Index {
  const byWord = new Map<string, string[]>()
  for (const { label, text } of references) {
    for (const word of contentWords(text)) {
      const labels = byWord.get(word)
      if (labels === undefined) byWord.set(word, [label.toUpperCase()])
      else labels.push(label.toUpperCase())
    }
  }
  return { labels: new Set(references.map((it) => it.label.toUpperCase())), byWord }
}

function clearLabel(words: ReadonlySet<string>, { byWord }: Index): string | undefined {
  if (words.size < FEWEST_CLEAR_WORDS) return undefined
  const counts = new Map<string, number>()
  for (const word of words) {
    for (const label of byWord.get(word) ?? []) counts.set(label, (counts.get(label) ?? 0) + 1)
  }
  let [best, most, next] = ["", 0, 0]
  for (const [label, count] of counts) {
    if (count > most) [best, most, next] = [label, count, most]
    else next = Math.max(next, count)
  }
  const isClear = most >= words.size * CLEAR_SHARE && most - next >= words.size * CLEAR_LEAD_SHARE
  return isClear ? best : undefined
}
