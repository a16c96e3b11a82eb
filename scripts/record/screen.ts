/** A piece of a line in one style, by the codes of its escape sequences. */
type Piece = { readonly text: string; readonly styles: readonly string[] }
export type ScreenLine = readonly Piece[]

type Cell = { readonly character: string; readonly styles: readonly string[] }

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character starts a sequence.
const SEQUENCE =
  /\u001b\[([\d;?]*)([A-Za-z])|\u001b\][^\u0007]*\u0007|(\r\n|\n|\r)|([^\u001b\r\n])/gu

/** Draws output like a terminal: with colours, rewritten lines, and wrapped ones. */
export function screenOf(output: string, columns: number): readonly ScreenLine[] {
  const lines: Cell[][] = [[]]
  let [column, styles] = [0, new Array<string>()]
  for (const [, codes = "", final = "", end, character] of output.matchAll(SEQUENCE)) {
    if (final === "m") styles = withStyle(styles, codes)
    if (final === "K") lines.at(-1)?.splice(codes === "2" ? 0 : column)
    if (end === "\r") column = 0
    if (end === "\n" || end === "\r\n") [column] = [0, lines.push([])]
    if (character === undefined) continue
    if (column === columns) [column] = [0, lines.push([])]
    const line = lines.at(-1) ?? []
    line[column] = { character, styles }
    column += 1
  }
  const drawn = lines.map(piecesOf)
  const last = drawn.findLastIndex((it) => it.some((piece) => piece.text.trim() !== ""))
  return drawn.slice(0, last + 1)
}

function withStyle(styles: readonly string[], codes: string): string[] {
  if (codes === "" || codes === "0") return []
  // 39 and 22 end a colour and a weight.
  if (codes === "39") return styles.filter((it) => it === "1" || it === "2")
  if (codes === "22") return styles.filter((it) => it !== "1" && it !== "2")
  return [...styles, codes]
}

function piecesOf(cells: readonly (Cell | undefined)[]): ScreenLine {
  const pieces: { text: string; styles: readonly string[] }[] = []
  for (const cell of Array.from(cells)) {
    const { character, styles } = cell ?? { character: " ", styles: [] }
    const open = pieces.at(-1)
    if (open !== undefined && open.styles.join() === styles.join()) open.text += character
    else pieces.push({ text: character, styles })
  }
  return pieces
}
