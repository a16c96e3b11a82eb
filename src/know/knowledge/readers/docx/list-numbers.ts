import { xmlTokens } from "./xml.ts"

type Level = { readonly format: string; readonly text: string; readonly start: number }

/** Where a paragraph takes its number from: a list, and the level in it. */
export type NumberSource = { readonly list: string; readonly level: number }

/** "4.2", as Word shows it before a paragraph; undefined for bullets. */
export type Numbering = (source: NumberSource) => string | undefined

/** Word stores no numbers, only how to count them. */
export function readNumbering(xml: string | undefined): Numbering {
  const { levels, listOf } = readLists(xml ?? "")
  const counts = new Map<string, number[]>()
  return ({ list, level }) => {
    const abstract = listOf.get(list)
    const own = abstract === undefined ? undefined : levels.get(abstract)
    const at = own?.[level]
    if (abstract === undefined || own === undefined || at === undefined) return undefined
    const count = counts.get(abstract) ?? []
    counts.set(abstract, count)
    count.length = Math.min(count.length, level + 1)
    for (let above = 0; above < level; above++) count[above] ??= own[above]?.start ?? 1
    count[level] = (count[level] ?? at.start - 1) + 1
    if (at.format === "bullet" || at.format === "none") return undefined
    return at.text
      .replaceAll(/%([1-9])/g, (_, digit: string) => {
        const index = Number(digit) - 1
        return shown(count[index] ?? 1, own[index]?.format ?? "decimal")
      })
      .trim()
  }
}

function readLists(xml: string) {
  const levels = new Map<string, Level[]>()
  const listOf = new Map<string, string>()
  let abstract = ""
  let list = ""
  let level = 0
  const change = (own: Partial<Level>): void => {
    const all = levels.get(abstract) ?? []
    all[level] = { format: "decimal", text: "", start: 1, ...all[level], ...own }
    levels.set(abstract, all)
  }
  for (const token of xmlTokens(xml)) {
    if (token.kind !== "open") continue
    const value = token.attribute("w:val") ?? ""
    if (token.name === "w:abstractNum") abstract = token.attribute("w:abstractNumId") ?? ""
    else if (token.name === "w:lvl") level = Math.min(Number(token.attribute("w:ilvl")) || 0, 8)
    else if (token.name === "w:start") change({ start: Number(value) || 1 })
    else if (token.name === "w:numFmt") change({ format: value })
    else if (token.name === "w:lvlText") change({ text: value })
    else if (token.name === "w:num") list = token.attribute("w:numId") ?? ""
    else if (token.name === "w:abstractNumId") listOf.set(list, value)
  }
  return { levels, listOf }
}

function shown(count: number, format: string): string {
  switch (format) {
    case "lowerLetter":
      return letters(count)
    case "upperLetter":
      return letters(count).toUpperCase()
    case "lowerRoman":
      return roman(count).toLowerCase()
    case "upperRoman":
      return roman(count)
    default:
      return String(count)
  }
}

function letters(count: number): string {
  return String.fromCodePoint(97 + ((count - 1) % 26)).repeat(Math.ceil(count / 26))
}

const ROMAN = [
  [10, "X"],
  [9, "IX"],
  [5, "V"],
  [4, "IV"],
  [1, "I"],
] as const

function roman(count: number): string {
  let left = Math.min(count, 399)
  let text = ""
  for (const [value, sign] of ROMAN) {
    while (left >= value) {
      text += sign
      left -= value
    }
  }
  return text
}
