import { numberOfHeading, numberOfText } from "../../references/section-numbers.ts"
import type { ExtractedLine } from "../document-lines.ts"

export type PageLine = {
  readonly text: string
  readonly x: number
  /** Distance of the baseline from the bottom of the page. */
  readonly y: number
  /** Height of the font, in points. */
  readonly size: number
}

export type PageText = {
  readonly number: number
  readonly lines: readonly PageLine[]
  readonly isBroken: boolean
}

export type OutlineEntry = { readonly title: string; readonly level: number }

const LONGEST_HEADING_CHARACTERS = 160

/** A title of this height beside text of 1 is a heading. */
const HEADING_RATIO = 1.15

/** Distance of two baselines of one paragraph, in line heights. */
const LARGEST_LINE_GAP = 1.75

/** Finds headings by the outline, the size of the font and section numbers; drops running titles. */
export function layoutPages(
  pages: readonly PageText[],
  outline: readonly OutlineEntry[],
): readonly ExtractedLine[] {
  const body = bodySize(pages)
  const repeated = runningLines(pages, body)
  // Pages with nothing else, such as slides with a title, would lose their whole text.
  const isAll = pages.every((it) => it.lines.every((line) => repeated.has(line)))
  const running = isAll ? new Set() : repeated
  const levels = createLevels(pages, { outline, body })
  const lines: ExtractedLine[] = []
  for (const page of pages) {
    const own = page.lines.filter((it) => !running.has(it))
    for (const [at, line] of own.entries()) {
      const before = own[at - 1]
      const level = levels(line, { before, after: own[at + 1] })
      const isNextPage = before === undefined
      const isStart = isNextPage
        ? !continues(lines.at(-1), line)
        : startsBlock(line, before) || (lines.at(-1)?.level ?? 0) > 0
      const isRow = !isStart && LIST_ITEM.test(line.text)
      lines.push({ text: line.text, page: page.number, level, isStart, isRow })
    }
  }
  return mergeHeadings(lines)
}

const LIST_ITEM = /^(?:[-–•▪◦*]|\(?[a-z]\)|\(?[ivx]{1,4}\)|\d{1,3}[.)])\s+\S/

/** The last sentence of the page before goes on. */
function continues(last: ExtractedLine | undefined, line: PageLine): boolean {
  if (last === undefined || last.level > 0) return false
  return !SENTENCE_END.test(last.text) && /^[\p{Ll}(]/u.test(line.text)
}

function startsBlock(line: PageLine, before: PageLine): boolean {
  const gap = before.y - line.y
  const height = Math.max(line.size, before.size, 1)
  // A column that starts again at the top.
  if (gap < -height) return true
  if (gap > height * LARGEST_LINE_GAP) return true
  if (Math.abs(line.size - before.size) > height * 0.12) return true
  if (!SENTENCE_END.test(before.text)) return false
  return line.x - before.x > height * 0.8 || numberOfText(line.text) !== null
}

const SENTENCE_END = /[.!?:;]["”’)]?$/

/** Title lines in two rows are one heading. */
function mergeHeadings(lines: readonly ExtractedLine[]): readonly ExtractedLine[] {
  const merged: ExtractedLine[] = []
  for (const line of lines) {
    const last = merged.at(-1)
    const isSame =
      last !== undefined && last.level > 0 && last.level === line.level && last.page === line.page
    const isContinued = isSame && !line.isStart && numberOfHeading(line.text) === null
    if (isContinued) merged[merged.length - 1] = { ...last, text: `${last.text} ${line.text}` }
    else merged.push(line)
  }
  return merged
}

/** The size of most characters. */
function bodySize(pages: readonly PageText[]): number {
  const characters = new Map<number, number>()
  for (const { size, text } of pages.flatMap((it) => it.lines)) {
    const key = Math.round(size * 2) / 2
    characters.set(key, (characters.get(key) ?? 0) + text.length)
  }
  const [most] = [...characters].toSorted((a, b) => b[1] - a[1] || b[0] - a[0])
  return most?.[0] ?? 0
}

type Neighbours = { readonly before: PageLine | undefined; readonly after: PageLine | undefined }

function createLevels(
  pages: readonly PageText[],
  { outline, body }: { readonly outline: readonly OutlineEntry[]; readonly body: number },
) {
  const byTitle = new Map(outline.map((it) => [plain(it.title), it.level]))
  const isLarge = (it: PageLine) =>
    it.size >= body * HEADING_RATIO && it.text.length <= LONGEST_HEADING_CHARACTERS
  const sizes = pages.flatMap((it) => it.lines).filter(isLarge)
  const steps = [...new Set(sizes.map((it) => Math.round(it.size)))].toSorted((a, b) => b - a)
  return (line: PageLine, { before, after }: Neighbours): number => {
    if (line.text.length > LONGEST_HEADING_CHARACTERS || !/\p{L}/u.test(line.text)) return 0
    // A level deeper than the title of the document, which the outline seldom contains.
    const listed = byTitle.get(plain(line.text))
    if (listed !== undefined) return Math.min(listed + 1, 6)
    if (isLarge(line)) return Math.min(steps.indexOf(Math.round(line.size)) + 1, 6)
    return levelOfNumber(line, { before, after })
  }
}

/** "4.2 Late fees", alone between gaps and not a sentence. */
function levelOfNumber({ text, y, size }: PageLine, { before, after }: Neighbours): number {
  const number = numberOfHeading(text)
  const isSentence = /[.,;:]$/.test(text) || text.length > 80
  if (number === null || isSentence || numberIsAll(text)) return 0
  const isApart = (distance: number) => distance < 0 || distance > size * 1.3
  const hasGaps =
    (before === undefined || isApart(before.y - y)) && (after === undefined || isApart(y - after.y))
  return hasGaps ? Math.min(1 + number.split(".").length, 6) : 0
}

const numberIsAll = (text: string): boolean => !/\p{L}{2}/u.test(text)

function plain(text: string): string {
  return text
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .toLowerCase()
}

const EDGE_LINES = 2

const LONGEST_RUNNING_CHARACTERS = 80

/** Lines at the edge of most pages: running titles and page numbers. Chapters have larger titles. */
function runningLines(pages: readonly PageText[], body: number): ReadonlySet<PageLine> {
  const edges = pages
    .flatMap(({ lines }) => edgesOf(lines))
    .filter(({ size, text }) => size < body * HEADING_RATIO && !isOfText(text))
  const counts = new Map<string, number>()
  for (const line of edges) counts.set(keyOf(line), (counts.get(keyOf(line)) ?? 0) + 1)
  const least = Math.max(3, pages.length * 0.4)
  const isRunning = (line: PageLine) =>
    (counts.get(keyOf(line)) ?? 0) >= least || (pages.length > 1 && PAGE_NUMBER.test(line.text))
  return new Set(edges.filter(isRunning))
}

function isOfText(text: string): boolean {
  return text.length > LONGEST_RUNNING_CHARACTERS || numberOfText(text) !== null
}

function edgesOf(lines: readonly PageLine[]): readonly PageLine[] {
  if (lines.length <= 2 * EDGE_LINES) {
    // A page with little text: only its very first and last line.
    return [...new Set([lines[0], lines.at(-1)])].filter((it) => it !== undefined)
  }
  const byHeight = lines.toSorted((a, b) => b.y - a.y)
  return [...byHeight.slice(0, EDGE_LINES), ...byHeight.slice(-EDGE_LINES)]
}

/** Numbers differ from page to page; the place does not. */
function keyOf({ text, y }: PageLine): string {
  return `${Math.round(y / 4)} ${text.replaceAll(/\d+/g, "#")}`
}

const PAGE_NUMBER = /^(?:[-–]\s*)?(?:page\s+)?\d{1,4}(?:\s*(?:\/|of)\s*\d{1,4})?(?:\s*[-–])?$/i
