export type Token = {
  readonly text: string
  /** Lower case, without hyphens and possessive; a number without thousands separators. */
  readonly plain: string
  readonly stem: string
  readonly start: number
  readonly end: number
  readonly kind: "word" | "number" | "code" | "sign"
}

// A date, a code such as TL-204, a number, a word, any other character. Codes are bounded, so that
// a long run of letters and digits that is no code is not read again from each of its characters.
const TOKEN =
  /(\d{4}-\d{2}-\d{2})(?!\d)|([A-Z]{1,6}-?\d[\dA-Z]{0,60}(?:[-/]\d{1,20}){0,4})(?![\p{L}\p{N}])|(\d+(?:[.,:]\d+)*)|([\p{L}\p{M}]+(?:['’‑-][\p{L}\p{M}]+)*)|\S/gu

export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = []
  for (const match of text.matchAll(TOKEN)) {
    const [whole, date, code, number, word] = match
    const start = match.index
    const at = { text: whole, start, end: start + whole.length }
    if (word !== undefined) {
      const plain = plainWord(word)
      tokens.push({ ...at, plain, stem: stemOf(plain), kind: "word" })
    } else if (number !== undefined || date !== undefined) {
      const plain = whole.replaceAll(/,(?=\d{3}(?!\d))/g, "")
      tokens.push({ ...at, plain, stem: plain, kind: "number" })
    } else if (code === undefined) {
      tokens.push({ ...at, plain: whole, stem: "", kind: "sign" })
    } else {
      const plain = code.toLowerCase().replaceAll("-", "")
      tokens.push({ ...at, plain, stem: plain, kind: "code" })
    }
  }
  return tokens
}

export function contentStems(tokens: readonly Token[]): readonly string[] {
  return tokens.filter(isContent).map((token) => token.stem)
}

export function isContent(token: Token): boolean {
  if (token.kind === "sign") return false
  if (token.kind !== "word") return true
  return token.plain.length > 1 && !FUNCTION_WORDS.has(token.plain)
}

export function isFunctionWord(plain: string): boolean {
  return FUNCTION_WORDS.has(plain)
}

function plainWord(word: string): string {
  const lower = word.toLowerCase().replaceAll("’", "'")
  const bare = lower.endsWith("'s") ? lower.slice(0, -2) : lower
  return bare.replaceAll(/[‑-]/g, "")
}

const stems = new Map<string, string>()
const MOST_REMEMBERED_STEMS = 20_000

function stemOf(plain: string): string {
  const cached = stems.get(plain)
  if (cached !== undefined) return cached
  const stem = plain.length <= 3 ? plain : stripEnding(stripPlural(plain))
  if (stems.size >= MOST_REMEMBERED_STEMS) stems.clear()
  stems.set(plain, stem)
  return stem
}

function stripPlural(word: string): string {
  if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`
  if (/(?:ss|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2)
  return /[^siu]s$/.test(word) ? word.slice(0, -1) : word
}

const ENDINGS: readonly (readonly [ending: string, least: number])[] = [
  ["ation", 4],
  ["ment", 3],
  ["ing", 3],
  ["ion", 4],
  ["ed", 3],
  ["ly", 4],
  ["al", 4],
]

/**
 * Deliberately light: "repriced" and "re-pricing" get the same stem, "notice" and "note" do not.
 */
function stripEnding(word: string): string {
  const ending = ENDINGS.find(
    ([it, least]) => word.endsWith(it) && word.length - it.length >= least,
  )
  const cut = ending === undefined ? word : word.slice(0, -ending[0].length)
  const american = cut.length > 5 && cut.endsWith("our") ? `${cut.slice(0, -3)}or` : cut
  if (american.length > 3 && american.endsWith("e")) return american.slice(0, -1)
  const isDoubled = ending !== undefined && /([bdfglmnprt])\1$/.test(american)
  return isDoubled ? american.slice(0, -1) : american
}

const FUNCTION_WORDS = new Set(
  `a an the this that these those such same other another each every all any both either neither some
  no none not only own so than too very also just even still yet already again then there here now
  i me my we us our you your he him his she her it its they them their one's who whom whose which what
  when where why how if unless until while because since although though as at by for from in into of
  off on onto out over to toward towards under up upon with within without about above across after
  against along among around before behind below beneath beside between beyond during except inside
  near outside per through throughout via and or but nor is are was were be been being am do does did
  doing done has have having had will would shall should can could may might must ought need needn't
  don't doesn't didn't isn't aren't wasn't weren't can't cannot couldn't won't wouldn't shan't shouldn't
  mustn't mightn't hasn't haven't hadn't however therefore thus hence further moreover first otherwise
  once more most less least much many few several often always never more etc eg ie whether whereas
  according like well see both note`.split(/\s+/),
)
