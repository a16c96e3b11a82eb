/**
 * Whatever moves a cursor, hides itself or turns the line around, by what Unicode says of it: the
 * rule of the engine's terminal, which the console cannot import. Newline and tab may stay.
 */
const UNSAFE = /(?![\n\t])[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** Text from outside as a page may draw it: what would act on the line is shown instead. */
export function visible(text: string): string {
  return text.replace(UNSAFE, (character) => {
    const point = character.codePointAt(0) ?? 0
    return point <= 0xff
      ? `\\x${point.toString(16).padStart(2, "0")}`
      : `\\u{${point.toString(16)}}`
  })
}

/** The same for one line: newlines and tabs are shown too. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t")
}
