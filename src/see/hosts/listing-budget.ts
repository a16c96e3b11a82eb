import { once } from "#ground/base"

/** A line of a skill listing, with and without its description. */
export type ListingEntry = {
  readonly full: string
  readonly nameOnly: string
  /** The host never takes its description away, e.g. of a built-in skill. */
  readonly isFixed: boolean
  /** How much it was used; those with less lose their description first. */
  readonly score: number
}

/**
 * Claude Code: all names are listed. If the whole listing exceeds the budget, the most used skills
 * get their description first, in list order for equal use; each that still fits is sent whole.
 */
export function fitDescriptions(
  entries: readonly ListingEntry[],
  budgetCharacters: number,
): readonly boolean[] {
  const separators = Math.max(0, entries.length - 1)
  const needed = entries.reduce((sum, it) => sum + widthOf(it.full), separators)
  if (needed <= budgetCharacters) return entries.map(() => true)
  const least = entries.reduce(
    (sum, it) => sum + widthOf(it.isFixed ? it.full : it.nameOnly),
    separators,
  )
  const isWhole = entries.map((it) => it.isFixed)
  let room = budgetCharacters - least
  const byUse = entries
    .map((entry, index) => ({ entry, index }))
    .filter(({ entry }) => !entry.isFixed)
    .toSorted((a, b) => b.entry.score - a.entry.score)
  for (const { entry, index } of byUse) {
    const cost = widthOf(entry.full) - widthOf(entry.nameOnly)
    if (cost > room) continue
    isWhole[index] = true
    room -= cost
  }
  return isWhole
}

/** Columns on a terminal, as Claude Code measures: wide characters count twice, marks not at all. */
export function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes().segment(text)) width += columnsOf(segment)
  return width
}

/** Made when a text needs it: loading the data takes 10 ms. */
const graphemes = once(() => new Intl.Segmenter(undefined, { granularity: "grapheme" }))

function columnsOf(grapheme: string): number {
  if (/^[\p{Cc}\p{Mn}\p{Me}\p{Cf}]+$/u.test(grapheme)) return 0
  return WIDE.test(grapheme) || /\p{Emoji_Presentation}|\uFE0F/u.test(grapheme) ? 2 : 1
}

const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u

export type SharedEntry = { readonly name: string; readonly description: string; path: string }

const BYTES_PER_TOKEN = 4

/**
 * Codex: if the listing exceeds the budget, descriptions get one character each in turn until
 * nothing fits any more. If even the names exceed it, later skills are left out: undefined.
 */
export function shareDescriptions(
  entries: readonly SharedEntry[],
  budgetTokens: number,
): readonly (string | undefined)[] {
  const whole = entries.map((it) => lineOf(it, it.description))
  if (whole.reduce((sum, it) => sum + costOf(it), 0) <= budgetTokens) return whole
  const bare = entries.map((it) => lineOf(it, ""))
  const least = bare.reduce((sum, it) => sum + costOf(it), 0)
  if (least > budgetTokens) return namesWithin(bare, budgetTokens)
  return grow(entries, bare, budgetTokens - least)
}

function namesWithin(lines: readonly string[], budgetTokens: number) {
  let used = 0
  return lines.map((line) => {
    if (used + costOf(line) > budgetTokens) return undefined
    used += costOf(line)
    return line
  })
}

function grow(
  entries: readonly SharedEntry[],
  bare: readonly string[],
  extraTokens: number,
): readonly string[] {
  const shares = entries.map((it, index) => ({
    entry: it,
    characters: Array.from(it.description),
    taken: 0,
    bytes: Buffer.byteLength(bare[index] ?? "") + 1,
    paid: costOf(bare[index] ?? ""),
  }))
  let room = extraTokens
  let open = shares.filter((it) => it.characters.length > 0)
  while (open.length > 0) {
    const next: typeof open = []
    for (const share of open) {
      const gap = share.taken === 0 ? 1 : 0
      const bytes = share.bytes + gap + Buffer.byteLength(share.characters[share.taken] ?? "")
      const cost = Math.ceil(bytes / BYTES_PER_TOKEN) - share.paid
      if (cost > room) continue
      room -= cost
      share.paid += cost
      share.bytes = bytes
      share.taken++
      if (share.taken < share.characters.length) next.push(share)
    }
    open = next
  }
  return shares.map((it) => lineOf(it.entry, it.characters.slice(0, it.taken).join("")))
}

function lineOf({ name, path }: SharedEntry, description: string): string {
  return `- ${name}: ${description === "" ? "" : `${description} `}(file: ${path})`
}

/** With its newline. */
function costOf(line: string): number {
  return Math.ceil((Buffer.byteLength(line) + 1) / BYTES_PER_TOKEN)
}
