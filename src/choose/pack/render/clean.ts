/**
 * What hides itself, turns the line around or acts on a terminal: controls, format marks
 * (zero-width, bidirectional, tags), halves of surrogate pairs, and all that is drawn as nothing.
 * Newline and tab may stay. (TB5)
 */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** Text for a model: what a person would not see is not in it. */
export function cleanText(text: string): string {
  return text.replace(HIDDEN, "")
}

/** The same on one line, at most so many units of it. */
export function cleanLine(text: string, mostUnits: number): string {
  const line = cleanText(text.slice(0, mostUnits * 2))
    .replace(/\s+/g, " ")
    .trim()
  return line.length <= mostUnits ? line : `${line.slice(0, mostUnits - 1).toWellFormed()}…`
}
