/** More characters change no verdict. */
const SAMPLE_CHARACTERS = 128

/**
 * Shannon entropy per character: 0 for one repeated letter, near 4 for hexadecimal digits, near 5
 * for forty random letters and digits.
 */
export function entropyBits(text: string): number {
  const { length } = text
  if (length === 0) return 0
  // The sum of `count * log2(count)`, kept current while counting: no second loop over the counts.
  let sum = 0
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index) & 255
    const count = COUNTS[code] ?? 0
    COUNTS[code] = count + 1
    sum += STEPS[count] ?? stepAt(count)
  }
  for (let index = 0; index < length; index++) COUNTS[text.charCodeAt(index) & 255] = 0
  return Math.log2(length) - sum / length
}

/** One table for all calls: allocating one per call would cost more than the counting. */
const COUNTS = new Uint32Array(256)

/** By how much the sum grows from `count` to `count + 1`, for counts of the usual lengths. */
const STEPS = Float64Array.from({ length: 512 }, (_, count) => stepAt(count))

function stepAt(count: number): number {
  const before = count === 0 ? 0 : count * Math.log2(count)
  return (count + 1) * Math.log2(count + 1) - before
}

/**
 * How much of a text reads like words: the share of adjacent characters that follow each other in
 * English and in identifiers. Near 1 for a name or a sentence, under 0.3 for a random key. A cheap
 * substitute for characters per token that needs a table of 26 rows. Separators, capitals at the
 * start of a word and other scripts are ignored.
 */
export function plainness(text: string): number {
  let pairs = 0
  let common = 0
  for (let index = 1; index < text.length; index++) {
    const left = text.charCodeAt(index - 1)
    const right = text.charCodeAt(index)
    if (isJoint(left) || isJoint(right)) continue
    if (isHump(left, right) && beginsWord(text, index)) continue
    pairs++
    if (!isHump(left, right) && isCommonPair(left, right)) common++
  }
  return pairs === 0 ? 1 : common / pairs
}

export function isSecretLike(value: string, options: { atMostPlain?: number } = {}): boolean {
  if (value.length < 8) return false
  const sample = sampleOf(value)
  const isShort = sample.length < 16
  const { atMostPlain = isShort ? 0.5 : 0.55 } = options
  if (entropyBits(sample) < (isShort ? 2.5 : 2.9) || plainness(sample) > atMostPlain) return false
  if (isMostlyForeign(sample) || (isShort && countKinds(sample) < 2)) return false
  return !isPlaceholder(sample)
}

/** The beginning is sufficient to judge a value. */
export function sampleOf(value: string): string {
  return value.slice(0, SAMPLE_CHARACTERS)
}

export function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value) || ONE_LETTER.test(value)
}

const PLACEHOLDER =
  /example|placeholder|change-?_?me|redacted|dummy|your[-_ ]|insert[-_ ]|[x*.]{6}|12345678|abcdefg/i
const ONE_LETTER = /(.)\1{7}/

export function isReference(value: string): boolean {
  return REFERENCE.test(value) || (DOTTED_NAME.test(value) && plainness(value) > 0.5)
}

const REFERENCE =
  /^\$\{?[A-Za-z_]\w*\}?$|^%[A-Za-z_]\w*%$|^<[^>]*>?$|^(?:op|vault|ref|secret|file|https?):\/\/|^(?:arn|urn):|\$\{|\$\(|\{\{|\}\}|%\(/
const DOTTED_NAME = /^[A-Za-z_$][\w$]{0,24}(?:\??\.[A-Za-z_$][\w$]{0,24})+$/

function isMostlyForeign(value: string): boolean {
  return (value.match(/[^\0-\x7f]/g)?.length ?? 0) * 4 > value.length
}

function countKinds(value: string): number {
  return [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/].filter((it) => it.test(value)).length
}

/**
 * `_ - . / : space` between words, and any character that is not a Latin letter.
 */
function isJoint(code: number): boolean {
  if (code >= 0x80) return true
  return (code >= 0x2d && code <= 0x2f) || code === 0x5f || code === 0x3a || code === 0x20
}

function isHump(left: number, right: number): boolean {
  return isLower(left) && isUpper(right)
}

/** Start of a word or an acronym, or a letter of a mixed-case key. */
function beginsWord(text: string, index: number): boolean {
  const [next, afterNext] = [text.charCodeAt(index + 1), text.charCodeAt(index + 2)]
  const hasEnded = index + 2 >= text.length || isJoint(afterNext)
  return isLower(next) ? hasEnded || isLower(afterNext) : isUpper(next) && isUpper(afterNext)
}

function isLower(code: number): boolean {
  return code >= 0x61 && code <= 0x7a
}

function isUpper(code: number): boolean {
  return code >= 0x41 && code <= 0x5a
}

function isCommonPair(left: number, right: number): boolean {
  const [first, second] = [(left | 0x20) - 0x61, (right | 0x20) - 0x61]
  if (first < 0 || first > 25 || second < 0 || second > 25) return false
  return COMMON_PAIRS[first * 26 + second] === 1
}

/**
 * Letters that follow each letter: the 248 pairs that make up 95.5 % of all pairs in a vocabulary
 * of 17,000 words of code and prose, weighted by frequency.
 */
const FOLLOWERS =
  "bcdgiklmnprstuvy aeilosuy acehiklortu adeilorsu abcdefgilmnopqrstvwxy aefiloru aehinorsu " +
  "aeiort abcdefglmnoprstvz e eis adeilostuy abeimopsu acdefgiklnostuvy abcdfgiklmnoprstuvw " +
  "aeiloprstuy u acdegiklmnorstuvy acehilopstuy acehiloprstuy abcegilmnprst aei aehinor eipt nps e"

const COMMON_PAIRS = tableOfPairs()

function tableOfPairs(): Uint8Array {
  const table = new Uint8Array(26 * 26)
  for (const [first, letters] of FOLLOWERS.split(" ").entries()) {
    for (const letter of letters) table[first * 26 + letter.charCodeAt(0) - 0x61] = 1
  }
  return table
}
