import { isFunctionWord } from "./tokens.ts"

const LONGEST_SENTENCE_CHARACTERS = 4_000

/** [P1–P9]; a longer range is a typo. */
const LONGEST_LABEL_RANGE = 20

export type Sentence = {
  readonly text: string
  readonly labels: readonly string[]
  readonly start: number
  readonly end: number
}

type Range = { readonly start: number; readonly end: number }

/** Without headings and code; a table row is one sentence. */
export function splitSentences(text: string): readonly Sentence[] {
  const groups = labelGroupsOf(text)
  const sentences: Sentence[] = []
  let group = 0
  for (const block of blocksOf(text)) {
    for (const range of cutBlock(text, block)) {
      while (group < groups.length && (groups[group]?.start ?? 0) < range.start) group++
      const own: LabelGroup[] = []
      for (let next = groups[group]; next !== undefined && next.end <= range.end; ) {
        own.push(next)
        next = groups[++group]
      }
      const sentence = sentenceAt(text, range, own)
      if (sentence !== undefined) sentences.push(sentence)
    }
  }
  return sentences
}

function sentenceAt(
  text: string,
  range: Range,
  groups: readonly LabelGroup[],
): Sentence | undefined {
  let bare = ""
  let from = range.start
  for (const group of groups) {
    bare += text.slice(from, group.start)
    from = group.end
  }
  bare += text.slice(from, range.end)
  const plain = bare.replaceAll(/\*\*|__|`/g, "").replaceAll(/(?<!\s)\s+([.,;:!?)])/g, "$1")
  const clean = plain.replaceAll(/\s+/g, " ").trim()
  const labels = [...new Set(groups.flatMap((group) => group.labels))]
  return /[\p{L}\p{N}]/u.test(clean) || labels.length > 0
    ? { ...range, text: clean, labels }
    : undefined
}

const FENCE = /^\s{0,3}(?:```|~~~)/
const HEADING = /^\s{0,3}#{1,6}\s/
const RULE = /^\s*(?:[-*_=|:+]\s*){2,}$/
// List marks, and the number of a paragraph: "4.2 The vessel".
const MARK =
  /^\s*(?:(?:[-*+•>]|\d{1,3}[.)]|\([a-z\d]{1,3}\)|[a-z]\)|(?:§\s?)?\d{1,3}(?:\.\d{1,3}){1,5}(?=\s+\p{Lu}))\s+)+/u

/** Behind a mark: the line ends the sentence of the line before, as in "under clause\na) [P1]". */
const ONLY_LABELS = /^(?:\[\s{0,4}[PW]\d[^\]\n]{0,120}\]\s*)+$/i

function blocksOf(text: string): readonly Range[] {
  const blocks: Range[] = []
  let isCode = false
  let open: { start: number; end: number } | undefined
  for (const line of linesOf(text)) {
    const written = text.slice(line.start, line.end)
    const isFence = FENCE.test(written)
    const isSilent = isFence || isCode || HEADING.test(written) || RULE.test(written)
    if (isFence) isCode = !isCode
    if (isSilent || written.trim() === "") {
      open = undefined
      continue
    }
    const possibleMark = MARK.exec(written)?.[0].length ?? 0
    const mark = ONLY_LABELS.test(written.slice(possibleMark)) ? 0 : possibleMark
    const isRow = written.trimStart().startsWith("|")
    if (open === undefined || mark > 0 || isRow) {
      open = { start: line.start + mark, end: line.end }
      blocks.push(open)
    } else open.end = line.end
    if (isRow) open = undefined
  }
  return blocks
}

function* linesOf(text: string): Generator<Range> {
  let start = 0
  while (start < text.length) {
    const next = text.indexOf("\n", start)
    const end = next === -1 ? text.length : next
    yield { start, end }
    start = end + 1
  }
}

const ENDS = /[.!?…。！？]+/g

function cutBlock(text: string, block: Range): readonly Range[] {
  const content = text.slice(block.start, block.end)
  if (content.trimStart().startsWith("|")) return splitLong(block)
  const ranges: Range[] = []
  let start = 0
  for (const match of content.matchAll(ENDS)) {
    const after = match.index + match[0].length
    if (match.index < start || !endsHere(content, match.index, match[0])) continue
    const end = afterClosers(content, after)
    ranges.push({ start: block.start + start, end: block.start + end })
    start = end
  }
  if (content.slice(start).trim() !== "")
    ranges.push({ start: block.start + start, end: block.end })
  return ranges.flatMap(splitLong)
}

function splitLong({ start, end }: Range): readonly Range[] {
  const pieces = Math.ceil((end - start) / LONGEST_SENTENCE_CHARACTERS)
  return Array.from({ length: pieces }, (_, at) => ({
    start: start + at * LONGEST_SENTENCE_CHARACTERS,
    end: Math.min(end, start + (at + 1) * LONGEST_SENTENCE_CHARACTERS),
  }))
}

// Closing quotes and citations behind the full stop belong to the sentence.
const CLOSERS = /[)\]"'”’»*_]{0,6}(?:\s{0,3}\[\s{0,4}[PW]\d{1,4}[^\]\n]{0,120}\])*/iy

function afterClosers(text: string, from: number): number {
  CLOSERS.lastIndex = from
  return from + (CLOSERS.exec(text)?.[0].length ?? 0)
}

/** Not in "0.3", "e.g. a ship", "No. 7" and "J. Marsh". */
function endsHere(text: string, at: number, mark: string): boolean {
  if (/[。！？]/.test(mark)) return true
  const next = afterClosers(text, at + mark.length)
  const rest = text.slice(next, next + 60)
  if (rest.trim() === "") return true
  if (!/^\s/.test(rest)) return false
  const following = rest.trimStart()
  if (/^\p{Ll}/u.test(following)) return false
  return mark === "." ? !isAbbreviated(text.slice(Math.max(0, at - 24), at), following) : true
}

const BEFORE_NUMBERS = new Set(
  "no nos art sec fig p pp para paras ch vol max min jan feb mar apr jun jul aug sep sept oct nov dec".split(
    " ",
  ),
)
const NEVER_LAST = new Set(
  "e.g i.e eg ie cf vs approx incl excl al mr mrs ms dr prof capt st messrs viz".split(" "),
)
const SELDOM_LAST = new Set("etc inc ltd co a.m p.m u.s u.k hrs dept".split(" "))

const LETTERED =
  /(?:annex|appendix|schedule|part|table|class|zone|berth|quay|pier|option)\s\p{Lu}$/iu

function isAbbreviated(before: string, following: string): boolean {
  const word = /(?:^|[^\p{L}.])((?:\p{L}+\.)*\p{L}+)$/u.exec(before)?.[1]
  if (word === undefined) return false
  const lower = word.toLowerCase()
  if (NEVER_LAST.has(lower)) return true
  if (BEFORE_NUMBERS.has(lower)) return /^[\d(]/.test(following)
  const opener = /^\p{L}+/u.exec(following)?.[0].toLowerCase() ?? ""
  const isInitial = /^\p{Lu}$/u.test(word) && !LETTERED.test(before)
  // "J. Marsh" continues the sentence; "Annex B. The" ends it.
  return (isInitial || SELDOM_LAST.has(lower)) && opener !== "" && !isFunctionWord(opener)
}

export type LabelGroup = {
  readonly start: number
  readonly end: number
  readonly labels: readonly string[]
}

// Bounded repetition, so that a long run costs nothing.
const SEPARATOR = "(?:[\\s,;&–-]|and){1,8}"
const INSIDE = `\\s{0,4}[PW]\\d{1,4}(?:${SEPARATOR}[PW]?\\d{1,4}){0,40}\\s{0,4}`
const BRACKETED = new RegExp(`\\[${INSIDE}\\]`, "gi")
const PARENTHESISED = new RegExp(`\\(${INSIDE}\\)`, "g")

export function labelGroupsOf(text: string): readonly LabelGroup[] {
  return groupsBy(BRACKETED, text)
}

/** (P1), as some models write it; upper case only, because (p3) is often a page. */
export function parenthesisedGroupsOf(text: string): readonly LabelGroup[] {
  return groupsBy(PARENTHESISED, text)
}

function groupsBy(pattern: RegExp, text: string): readonly LabelGroup[] {
  return [...text.matchAll(pattern)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    labels: labelsIn(match[0].slice(1, -1)),
  }))
}

const PART = /([PW]?)(\d{1,4})([^PW\d]*)/gi

function labelsIn(inside: string): readonly string[] {
  const labels = new Set<string>()
  let letter = "P"
  let from: number | undefined
  for (const [, own = "", digits = "", after = ""] of inside.matchAll(PART)) {
    letter = own === "" ? letter : own.toUpperCase()
    const number = Number(digits)
    const isRange = from !== undefined && number > from && number - from < LONGEST_LABEL_RANGE
    for (let it = isRange ? (from ?? number) : number; it <= number; it++) labels.add(letter + it)
    from = /^\s*[–-]\s*$/.test(after) ? number : undefined
  }
  return [...labels]
}
