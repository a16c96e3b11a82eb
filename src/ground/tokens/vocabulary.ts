import type { TokenEncoding } from "#ground/contract"

/**
 * How text is split into words, and the rank of each known byte sequence. A lower rank was learned
 * earlier and is joined first.
 */
export type Vocabulary = {
  readonly encoding: TokenEncoding
  readonly wordPattern: RegExp
  rankOfText(text: string): number | undefined
  /**
   * Rank of a token that is not valid text or starts with a byte-order mark; one character per
   * byte.
   */
  rankOfBytes(bytes: string): number | undefined
}

/**
 * Loads one encoding only. The library's table is a module that takes about 90 ms for claude and
 * 290 ms for o200k, mostly parsing; the prepared form takes a quarter.
 */
export async function loadVocabulary(
  encoding: TokenEncoding,
  prepared?: PreparedTables,
): Promise<Vocabulary> {
  const stored = await prepared?.read(encoding)
  if (stored !== undefined) return toVocabulary(encoding, stored)
  const tables = prepare(await importTables(encoding))
  await prepared?.write(encoding, tables)
  return toVocabulary(encoding, tables)
}

type Tables = {
  readonly pattern: string
  readonly texts: readonly string[]
  readonly textRanks: readonly number[]
  readonly bytes: readonly string[]
  readonly byteRanks: readonly number[]
}

/** The caller reads and writes the prepared tables. */
export type PreparedTables = {
  read(encoding: TokenEncoding): Promise<Tables | undefined>
  write(encoding: TokenEncoding, tables: Tables): Promise<void>
}

/** Special tokens are left out. */
type LibraryTables = {
  readonly pat_str: string
  readonly stringEncoder: Readonly<Record<string, unknown>>
  readonly binaryEncoder: readonly (readonly [Uint8Array, number])[]
}

function importTables(encoding: TokenEncoding): Promise<LibraryTables> {
  switch (encoding) {
    case "claude":
      return import("ai-tokenizer/encoding/claude")
    case "o200k":
      return import("ai-tokenizer/encoding/o200k_base")
    default:
      return encoding satisfies never
  }
}

function prepare(tables: LibraryTables): Tables {
  const ranked = Object.entries(tables.stringEncoder).flatMap(([text, rank]) =>
    typeof rank === "number" ? [{ text, rank }] : [],
  )
  return {
    pattern: withUnicodeSpace(tables.pat_str),
    texts: ranked.map((it) => it.text),
    textRanks: ranked.map((it) => it.rank),
    bytes: tables.binaryEncoder.map(([bytes]) => String.fromCharCode(...bytes)),
    byteRanks: tables.binaryEncoder.map(([, rank]) => rank),
  }
}

function toVocabulary(encoding: TokenEncoding, tables: Tables): Vocabulary {
  const rankByText = rankedMap(tables.texts, tables.textRanks)
  const rankByBytes = rankedMap(tables.bytes, tables.byteRanks)
  return {
    encoding,
    wordPattern: new RegExp(tables.pattern, "gu"),
    rankOfText: (text) => rankByText.get(text),
    rankOfBytes: (bytes) => rankByBytes.get(bytes),
  }
}

/** A loop, because creating pairs first would double the time for 64,000 entries. */
function rankedMap(keys: readonly string[], ranks: readonly number[]): Map<string, number> {
  const map = new Map<string, number>()
  for (const [index, key] of keys.entries()) map.set(key, ranks[index] ?? 0)
  return map
}

/**
 * The encodings were made with engines that use Unicode's white space. JavaScript's `\s` differs in
 * two characters: it includes the byte-order mark, with which many files begin, and lacks U+0085.
 */
function withUnicodeSpace(pattern: string): string {
  return pattern.replaceAll("\\s", "\\p{White_Space}").replaceAll("\\S", "\\P{White_Space}")
}
