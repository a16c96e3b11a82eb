import { isContent, type Token } from "./tokens.ts"

export type Figure = {
  readonly kind: "figure" | "date" | "reference"
  /** Equal for "24 hours", "24 h" and "twenty-four hours". */
  readonly key: string
  /** Unit of the number, so that only like is compared with like; may be empty. */
  readonly unit: string
  /** "Three reasons": the writer's own count, which no paragraph need contain. */
  readonly isOwnCount: boolean
  readonly from: number
  readonly to: number
}

type Reader = (tokens: readonly Token[], at: number) => Figure | undefined

export function figuresOf(tokens: readonly Token[]): readonly Figure[] {
  const figures: Figure[] = []
  let at = 0
  while (at < tokens.length) {
    const figure = READERS.reduce<Figure | undefined>(
      (it, read) => it ?? read(tokens, at),
      undefined,
    )
    if (figure !== undefined) figures.push(figure)
    at = figure?.to ?? at + 1
  }
  return figures
}

const SECTIONS = new Set(["§", "§§", "section", "sections", "sec", "clause", "paragraph", "para"])
const LETTERED = new Set(
  `annex appendix schedule article chapter part table form rule notice circular order regulation
  class`.split(/\s+/),
)

function readReference(tokens: readonly Token[], at: number): Figure | undefined {
  const token = tokens[at]
  if (token === undefined) return undefined
  if (token.kind === "code") return reference(token.plain, at, at + 1)
  const isSection = SECTIONS.has(token.plain)
  if (!isSection && !LETTERED.has(token.plain)) return undefined
  const skip = isSection && tokens[at + 1]?.text === "§" ? 2 : 1
  const next = tokens[at + skip]
  const isLetter = next?.kind === "word" && /^[A-Z]$/.test(next.text)
  if (next === undefined || !(next.kind === "number" || next.kind === "code" || isLetter)) {
    return undefined
  }
  const name = isSection ? "§" : token.plain
  return reference(`${name} ${next.plain}`, at, at + skip + 1)
}

function reference(key: string, from: number, to: number): Figure {
  return { kind: "reference", key, unit: "", isOwnCount: false, from, to }
}

const MONTHS = new Map(
  `january february march april may june july august september october november december`
    .split(" ")
    .flatMap((month, at) => [
      [month, at + 1],
      [month.slice(0, 3), at + 1],
    ]),
)

function readDate(tokens: readonly Token[], at: number): Figure | undefined {
  const token = tokens[at]
  if (token?.kind === "number" && token.plain.includes("-")) return date(token.plain, at, at + 1)
  const day = dayOf(token)
  const month = monthOf(tokens[day === undefined ? at : at + 1])
  if (month === undefined) return readYear(tokens, at)
  if (day !== undefined) {
    const year = yearOf(tokens[at + 2])
    return date(`${year ?? ""}-${two(month)}-${two(day)}`, at, at + (year === undefined ? 2 : 3))
  }
  const after = dayOf(tokens[at + 1])
  const comma = tokens[at + 2]?.text === "," ? 1 : 0
  const year = yearOf(tokens[at + 1 + (after === undefined ? 0 : 1 + comma)])
  if (after !== undefined) {
    const end = year === undefined ? at + 2 : at + 3 + comma
    return date(`${year ?? ""}-${two(month)}-${two(after)}`, at, end)
  }
  return year === undefined ? undefined : date(`${year}-${two(month)}`, at, at + 2)
}

function readYear(tokens: readonly Token[], at: number): Figure | undefined {
  const token = tokens[at]
  const year = token?.text === token?.plain ? yearOf(token) : undefined
  const next = tokens[at + 1]
  const isCounted = next?.kind === "word" && (UNITS.has(next.plain) || CURRENCIES.has(next.plain))
  return year === undefined || isCounted ? undefined : date(year, at, at + 1)
}

function date(key: string, from: number, to: number): Figure {
  return { kind: "date", key, unit: "date", isOwnCount: false, from, to }
}

function two(number: number): string {
  return String(number).padStart(2, "0")
}

function dayOf(token: Token | undefined): number | undefined {
  if (token?.kind !== "number" || !/^\d{1,2}$/.test(token.plain)) return undefined
  const day = Number(token.plain)
  return day >= 1 && day <= 31 ? day : undefined
}

function yearOf(token: Token | undefined): string | undefined {
  return token?.kind === "number" && /^(?:19|20)\d\d$/.test(token.plain) ? token.plain : undefined
}

function monthOf(token: Token | undefined): number | undefined {
  // "may" and "march" are months only when capitalised.
  return token?.kind === "word" && /^[A-Z]/.test(token.text) ? MONTHS.get(token.plain) : undefined
}

/** EUR 120, 120 euros, 12 %, 24 hours, 0.3 m, five working days, two tugs, 06:00. */
function readAmount(tokens: readonly Token[], at: number): Figure | undefined {
  const currency = CURRENCIES.get(tokens[at]?.plain ?? "")
  const start = currency === undefined ? at : at + 1
  const value = valueOf(tokens[start])
  if (value === undefined) return undefined
  if (value.includes(":")) return figure(value, "clock", { from: at, to: start + 1 })
  if (currency !== undefined) return figure(value, currency, { from: at, to: start + 1 })
  const counted = unitAfter(tokens, start + 1) ?? unitOfRange(tokens, start + 1)
  const isWord = tokens[start]?.kind === "word"
  if (counted !== undefined) {
    const read = figure(value, counted.unit, { from: at, to: counted.to })
    return { ...read, isOwnCount: isWord && !counted.isMeasure }
  }
  // A bare "two" is seldom a figure; a bare 42 is: "channel 12".
  if (isWord) return undefined
  const before = tokens[at - 1]
  const isNamed = before?.kind === "word" && isContent(before)
  return figure(value, isNamed ? before.stem : "", { from: at, to: start + 1 })
}

function figure(value: string, unit: string, at: { from: number; to: number }): Figure {
  const key = unit === "" ? value : `${value} ${unit}`
  return { kind: "figure", key, unit, isOwnCount: false, ...at }
}

type FigureUnit = { readonly unit: string; readonly isMeasure: boolean; readonly to: number }

function unitAfter(tokens: readonly Token[], at: number): FigureUnit | undefined {
  const start = afterRepeat(tokens, at)
  const isWorking = WORKING.has(tokens[start]?.plain ?? "")
  const isSkipped = isWorking || BEFORE_UNITS.has(tokens[start]?.plain ?? "")
  const unitAt = isSkipped ? start + 1 : start
  const token = tokens[unitAt]
  if (token === undefined) return undefined
  const unit = UNITS.get(token.plain) ?? CURRENCIES.get(token.plain)
  const isPercent = token.plain === "per" && tokens[unitAt + 1]?.plain === "cent"
  if (isPercent) return { unit: "%", isMeasure: true, to: unitAt + 2 }
  if (unit !== undefined) {
    return { unit: isWorking ? `working ${unit}` : unit, isMeasure: true, to: unitAt + 1 }
  }
  const isNamed = token.kind === "word" && isContent(token) && token.stem.length > 2
  return isNamed ? { unit: token.stem, isMeasure: false, to: unitAt } : undefined
}

/** "two (2) days" repeats itself. */
function afterRepeat(tokens: readonly Token[], at: number): number {
  const isRepeat = tokens[at]?.text === "(" && tokens[at + 2]?.text === ")"
  return isRepeat && tokens[at + 1]?.kind === "number" ? at + 3 : at
}

/** "10 to 15 metres": the first figure has the unit of the second. */
function unitOfRange(tokens: readonly Token[], at: number): FigureUnit | undefined {
  const isRange = RANGE_WORDS.has(tokens[at]?.plain ?? "")
  if (!isRange || valueOf(tokens[at + 1]) === undefined) return undefined
  const counted = unitAfter(tokens, at + 2)
  return counted === undefined ? undefined : { ...counted, to: at }
}

function valueOf(token: Token | undefined): string | undefined {
  if (token === undefined) return undefined
  if (token.kind === "word") return NUMBER_WORDS.get(token.plain)
  if (token.kind !== "number" || token.plain.split(".").length > 2) return undefined
  if (token.plain.includes(":") || token.plain.includes("-")) return token.plain
  const plain = token.plain.replace(/^0+(?=\d)/, "")
  return plain.includes(".") ? plain.replace(/(?<!0)0+$/, "").replace(/\.$/, "") : plain
}

const RANGE_WORDS = new Set(["to", "and", "or", "-", "–"])
const WORKING = new Set(["working", "business"])
const BEFORE_UNITS = new Set(
  "calendar full consecutive further more additional clear whole nautical running".split(" "),
)

const SMALL = `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
fifteen sixteen seventeen eighteen nineteen`.split(/\s+/)
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ")

/** Without hyphens: "twentyfour". "one" is more often a pronoun. */
const NUMBER_WORDS = new Map<string, string>([
  ...SMALL.map((word, at) => [word, String(at)] as const),
  ...TENS.flatMap((ten, at) => [
    [ten, String((at + 2) * 10)] as const,
    ...SMALL.slice(1, 10).map((one, of) => [ten + one, String((at + 2) * 10 + of + 1)] as const),
  ]),
  ["hundred", "100"],
])

function spellingTable(table: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    table.flatMap((line) => {
      const [unit = "", ...others] = line.split(" ")
      return [unit, ...others].map((it) => [it, unit] as const)
    }),
  )
}

const UNITS = spellingTable([
  "minute minutes min mins",
  "hour hours h hr hrs",
  "day days",
  "week weeks",
  "month months",
  "year years",
  "second seconds",
  "m metre metres meter meters",
  "km kilometre kilometres kilometer kilometers",
  "mile miles nm",
  "knot knots kn",
  "t tonne tonnes ton tons",
  "kg kilogram kilograms",
  "% percent",
  "° degree degrees",
  "copy copies",
])

const CURRENCIES = spellingTable(["eur € euro euros", "usd $ dollar dollars", "gbp £ pound pounds"])

const READERS: readonly Reader[] = [readReference, readDate, readAmount]
