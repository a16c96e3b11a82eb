import { withoutHiddenSigns } from "#ground/base"

/** Text for a model on one line, at most so many units of it. */
export function cleanLine(text: string, mostUnits: number): string {
  const line = withoutHiddenSigns(text.slice(0, mostUnits * 2))
    .replace(/\s+/g, " ")
    .trim()
  return line.length <= mostUnits ? line : `${line.slice(0, mostUnits - 1).toWellFormed()}…`
}
