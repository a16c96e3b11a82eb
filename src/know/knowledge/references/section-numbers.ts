/**
 * Section numbers: 4.2, § 4.2, A12, Article 7, Annex B. Years and amounts look alike, so a plain number has at
 * most three digits, and in running text at least two parts.
 */

export function numberOfHeading(heading: string): string | null {
  const worded = WORDED.exec(heading)
  if (worded !== null) return `${capital(worded[1] ?? "")} ${worded[2]?.toUpperCase()}`
  return PLAIN_HEADING.exec(heading)?.[1] ?? null
}

export function numberOfText(text: string): string | null {
  const [, plain, lettered] = OWN_NUMBER.exec(text) ?? []
  return plain ?? lettered ?? null
}

export function keysOfNumber(number: string): readonly string[] {
  const key = number.toLowerCase().replace(/\s+/g, " ").trim()
  const [, word, count] = /^([a-z]+) (\S+)$/.exec(key) ?? []
  if (word === undefined || count === undefined) return [key]
  if (word === "annex" || word === "appendix") return [`annex ${count}`, `appendix ${count}`]
  return KEEPS_WORD.has(word) ? [key, count] : [count, key]
}

const COUNT = String.raw`\d{1,3}(?:\.\d{1,3}){0,5}`
const WORDED =
  /^(article|annex|appendix|schedule)\s+(\d{1,3}(?:\.\d{1,3}){0,5}|[A-Z]|[IVXLC]{1,6})(?!\w|\.\w)/i
const PLAIN_HEADING = new RegExp(
  String.raw`^(?:§+\s*|(?:section|chapter|part|clause)\s+)?(${COUNT})(?:[.)]?[\s:–—-]|[.)]?$)`,
  "i",
)
const OWN_NUMBER = /^(?:(?:§\s*)?\(?(\d{1,3}(?:\.\d{1,3}){1,5})\)?\.?|([A-Z]\d{1,3})[.)])\s+\S/

const KEEPS_WORD: ReadonlySet<string> = new Set(["article", "schedule"])

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase()
}
