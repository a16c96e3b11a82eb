import { createByteTable } from "#ground/base"

/** 10 MB of source had 58,000 distinct words, of eight bytes on average. */
const MOST_REMEMBERED_WORDS = 262_144

/** Longer words are rare; remembering them would spend the memory on one file. */
const LONGEST_REMEMBERED_WORD_BYTES = 64

const FIRST_BYTES = 16_384

/**
 * Counts an ASCII text, and gives undefined for any other: splits by hand as the
 * pattern of `claude` does, and creates no string for a word it knows.
 */
export function createAsciiCounter(
  countWord: (bytes: Uint8Array, from: number, to: number) => number,
): (text: string) => number | undefined {
  const words = createByteTable(MOST_REMEMBERED_WORDS)
  const tokensOf = new Uint16Array(MOST_REMEMBERED_WORDS)
  let bytes = Buffer.allocUnsafe(FIRST_BYTES)

  const countBetween = (from: number, to: number): number => {
    if (to - from > LONGEST_REMEMBERED_WORD_BYTES) return countWord(bytes, from, to)
    // Starting again is cheaper than noting each use: the frequent words are soon back.
    if (words.size() === MOST_REMEMBERED_WORDS) words.clear()
    const size = words.size()
    const word = words.numberOf(bytes, from, to)
    if (word === size) tokensOf[word] = countWord(bytes, from, to)
    return tokensOf[word] ?? 0
  }
  return (text) => {
    const { length } = text
    if (Buffer.byteLength(text) !== length) return undefined
    if (length > bytes.length) bytes = Buffer.allocUnsafe(length * 2)
    bytes.write(text, 0, length, "latin1")
    let tokens = 0
    for (let at = 0; at < length; ) {
      const end = wordEnd(bytes, at, length)
      tokens += countBetween(at, end)
      at = end
    }
    return tokens
  }
}

const LETTER = 1
const DIGIT = 2
const SPACE = 3
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => kindOf(String.fromCharCode(code)))

function kindOf(character: string): number {
  if (/[a-z]/i.test(character)) return LETTER
  if (/\d/.test(character)) return DIGIT
  return /\s/.test(character) ? SPACE : 0
}

const BLANK = 32
const APOSTROPHE = 39

function wordEnd(bytes: Uint8Array, at: number, length: number): number {
  const first = bytes[at] ?? 0
  if (first === APOSTROPHE) {
    const ending = endingUnits(bytes[at + 1] ?? 0, at + 2 < length ? (bytes[at + 2] ?? 0) : 0)
    if (ending > 0 && at + ending < length) return at + 1 + ending
  }
  let kind = KINDS[first] ?? 0
  let end = at + 1
  if (first === BLANK && end < length) {
    const next = KINDS[bytes[end] ?? 0] ?? 0
    // One blank belongs to the word after it.
    if (next !== SPACE) {
      kind = next
      end++
    }
  }
  while (end < length && KINDS[bytes[end] ?? 0] === kind) end++
  const isBeforeWord = kind === SPACE && end < length && end - at > 1
  return isBeforeWord ? end - 1 : end
}

const [D, E, L, M, R, S, T, V] = [..."delmrstv"].map((it) => it.charCodeAt(0))

/** The length of `s`, `t`, `m`, `d`, `re`, `ve` or `ll` after an apostrophe, else 0. */
function endingUnits(first: number, second: number): number {
  if (first === S || first === T || first === M || first === D) return 1
  if ((first === R || first === V) && second === E) return 2
  return first === L && second === L ? 2 : 0
}
