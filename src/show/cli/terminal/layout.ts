/** `width` is `Infinity` in a pipe, where nothing is wrapped. */
type Area = { readonly width: number }

const COLOR_SEQUENCE = /\u001b\[[0-9;]*m/g
const GAP = "  "
/** A column is not made narrower than its longest word, up to this many characters. */
const LONGEST_WHOLE_WORD = 24
/** The first column has names and ids, which are typed again, so it keeps longer words. */
const LONGEST_WHOLE_NAME = 56
const NARROWEST_COLUMN = 6
/** A text in a narrower last column would be a tower of single words: it goes below its row. */
const NARROWEST_TEXT = 16

/** Cells on the screen: color sequences take none. */
export function displayLength(text: string): number {
  return widthOf(text.replace(COLOR_SEQUENCE, ""))
}

export function widthOf(text: string): number {
  let cells = 0
  for (const character of text) cells += cellsOf(character)
  return cells
}

const WIDE =
  /[\p{Extended_Pictographic}\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/u

/** In doubt 2: too few cells would let the terminal wrap a row that is drawn in place. */
export function cellsOf(character: string): number {
  return character > "\u007e" && WIDE.test(character) ? 2 : 1
}

type Rows = readonly (readonly string[])[]

/**
 * Rows of cells in columns. If they are wider than the screen, the widest columns shrink and their
 * cells wrap at word boundaries.
 */
export function table(rows: Rows, area: Area): string {
  return tableRows(rows, area).flat().join("\n")
}

/** The lines of each row, for a caller that puts its own lines between them. */
export function tableRows(rows: Rows, { width }: Area): readonly (readonly string[])[] {
  const natural: number[] = []
  const smallest: number[] = []
  for (const cells of rows) {
    for (const [i, cell] of cells.entries()) {
      natural[i] = Math.max(natural[i] ?? 0, displayLength(cell))
      smallest[i] = Math.max(smallest[i] ?? 0, narrowestWidth(cell))
    }
  }
  const widths = shrink(natural, smallest, width - GAP.length * (natural.length - 1))
  const last = natural.length - 1
  const room = widths[last] ?? 0
  const wrapped = rows.filter((cells) => displayLength(cells[last] ?? "") > room).length
  const isCramped = last > 0 && room < NARROWEST_TEXT && wrapped >= rows.length / 2
  if (!isCramped) return rows.map((cells) => layOutRow(cells, widths))
  const front = tableRows(
    rows.map((cells) => cells.slice(0, last)),
    { width },
  )
  return rows.map((cells, i) => [...(front[i] ?? []), ...linesBelow(cells[last] ?? "", width)])
}

function linesBelow(cell: string, width: number): readonly string[] {
  if (cell === "") return []
  return wrapText(cell, width - 2 * GAP.length).map((it) => `${GAP}${GAP}${it}`)
}

function narrowestWidth(cell: string): number {
  const words = cell.replace(COLOR_SEQUENCE, "").split(" ")
  return Math.max(...words.map(widthOf))
}

/**
 * The narrowest widths, in the order in which they are given up: whole words, whole names in the
 * first column, then any width that can be read.
 */
function floorsOf(smallest: readonly number[]): readonly (readonly number[])[] {
  const atMost = (name: number, word: number) =>
    smallest.map((it, i) => Math.min(it, i === 0 ? name : word))
  return [
    atMost(LONGEST_WHOLE_NAME, LONGEST_WHOLE_WORD),
    atMost(LONGEST_WHOLE_NAME, LONGEST_WHOLE_WORD / 2),
    atMost(LONGEST_WHOLE_WORD, LONGEST_WHOLE_WORD / 2),
    atMost(NARROWEST_COLUMN, NARROWEST_COLUMN),
  ]
}

/** Take single characters from the column with the most to spare until the row fits. */
function shrink(
  natural: readonly number[],
  smallest: readonly number[],
  available: number,
): readonly number[] {
  const widths = [...natural]
  let excess = widths.reduce((sum, it) => sum + it, 0) - available
  for (const floors of floorsOf(smallest)) {
    for (; excess > 0; excess--) {
      const spare = widths.map((it, i) => it - (floors[i] ?? 0))
      const most = Math.max(...spare)
      if (most <= 0) break
      const at = spare.indexOf(most)
      widths[at] = (widths[at] ?? 0) - 1
    }
  }
  return widths
}

function layOutRow(cells: readonly string[], widths: readonly number[]): readonly string[] {
  const columns = cells.map((cell, i) => wrapText(cell, widths[i] ?? 0))
  const height = Math.max(...columns.map((it) => it.length))
  return Array.from({ length: height }, (_, line) =>
    columns
      .map((it, i) => pad(it[line] ?? "", i === cells.length - 1 ? 0 : (widths[i] ?? 0)))
      .join(GAP)
      .trimEnd(),
  )
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - displayLength(text)))
}

/** Wrap each line that is wider than the screen, with a hanging indent. */
export function fitText(text: string, { width }: Area): string {
  return text
    .split("\n")
    .flatMap((line) => {
      if (displayLength(line) <= width) return [line]
      const indent = hangingIndent(line, width)
      const [first = "", ...rest] = wrapText(line, width, indent)
      return [first, ...rest.map((it) => `${" ".repeat(indent)}${it}`)]
    })
    .join("\n")
}

/** Below the value of a `Label  value` line, else two characters further than the line itself. */
function hangingIndent(line: string, width: number): number {
  const plain = line.replace(COLOR_SEQUENCE, "")
  const label = /^ *\S+(?: \S+)* {2,}(?=\S)/.exec(plain)?.[0].length ?? 0
  const indent = plain.length - plain.trimStart().length
  return label > 0 && label <= width * 0.4 ? label : Math.min(indent + 2, Math.floor(width / 2))
}

/**
 * Lines of at most `width` characters, the second and later ones `indent` shorter. Breaks at spaces
 * but not before `%`, and a longer word after punctuation; colors end and start again at a break.
 */
function wrapText(text: string, width: number, indent = 0): readonly string[] {
  if (displayLength(text) <= width) return [text]
  const lines: string[] = []
  let color = ""
  let rest = text
  for (let room = Math.max(1, width); ; room = Math.max(1, width - indent)) {
    const line = takeLine(rest, room)
    const painted = `${color}${line.text}`
    for (const [sequence] of line.text.matchAll(COLOR_SEQUENCE)) {
      color = sequence === "\u001b[0m" ? "" : sequence
    }
    lines.push(color === "" ? painted : `${painted}\u001b[0m`)
    if (line.rest === "") return lines
    rest = line.rest
  }
}

function takeLine(text: string, room: number): { readonly text: string; readonly rest: string } {
  if (displayLength(text) <= room) return { text, rest: "" }
  const tokens = text.match(/\u001b\[[0-9;]*m|[^]/gu) ?? []
  let shown = 0
  let hasWord = false
  let space = 0
  let separator = 0
  let joint = 0
  let end = 0
  for (const [i, token] of tokens.entries()) {
    if (token.length > 1 && token.startsWith("\u001b")) continue
    if (token === " " && hasWord && tokens[i + 1] !== "%") space = i
    hasWord ||= token !== " "
    shown += cellsOf(token)
    if (shown > room) {
      end = Math.max(1, i)
      break
    }
    if (/[/,;:=&?#|)\]}]/.test(token)) separator = i + 1
    if (/[_-]/.test(token)) joint = i + 1
  }
  // Few characters on a line are better than half a word, but a tower of them is not.
  const places = [separator, joint].filter((it) => it > room / 4)
  const insideWord = places.find((it) => it > room / 2) ?? places[0] ?? end
  const at = space > 0 ? space : insideWord
  return {
    text: tokens.slice(0, at).join("").trimEnd(),
    rest: tokens
      .slice(at)
      .join("")
      .replace(/^((?:\u001b\[[0-9;]*m)*) +/, "$1"),
  }
}
