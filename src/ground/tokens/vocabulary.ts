import type { TokenEncoding } from "#ground/contract"

/**
 * What an encoding is made of: how text is cut into words, and the rank of each known run of
 * bytes. A lower rank was learnt earlier and is joined first.
 */
export type Vocabulary = {
  readonly encoding: TokenEncoding
  readonly wordPattern: RegExp
  /** Rank of a token that is whole text. */
  rankOfText(text: string): number | undefined
  /** Rank of a token that is not whole text, or opens with a byte-order mark; one char a byte. */
  rankOfBytes(bytes: string): number | undefined
}

/**
 * Loads one encoding and no other: claude costs about 90 ms and 46 MB, o200k about 290 ms and
 * 147 MB, most of it for parsing the table.
 */
export async function loadVocabulary(encoding: TokenEncoding): Promise<Vocabulary> {
  switch (encoding) {
    case "claude":
      return toVocabulary(encoding, await import("ai-tokenizer/encoding/claude"))
    case "o200k":
      return toVocabulary(encoding, await import("ai-tokenizer/encoding/o200k_base"))
    default:
      return encoding satisfies never
  }
}

/** The part of the library's tables that counting needs. Its special tokens are left out. */
type Tables = {
  readonly pat_str: string
  readonly stringEncoder: Readonly<Record<string, unknown>>
  readonly binaryEncoder: readonly (readonly [Uint8Array, number])[]
}

function toVocabulary(encoding: TokenEncoding, tables: Tables): Vocabulary {
  const rankByText = tables.stringEncoder
  const rankByBytes = new Map(
    tables.binaryEncoder.map(([bytes, rank]) => [String.fromCharCode(...bytes), rank]),
  )
  return {
    encoding,
    wordPattern: new RegExp(withUnicodeSpace(tables.pat_str), "gu"),
    rankOfText(text) {
      // The table is a plain object, so that "hasOwnProperty" finds a function in it.
      const rank = rankByText[text]
      return typeof rank === "number" ? rank : undefined
    },
    rankOfBytes: (bytes) => rankByBytes.get(bytes),
  }
}

/**
 * The encodings were made with engines whose white space is Unicode's. JavaScript's `\s` differs in
 * two characters: it has the byte-order mark, with which many files begin, and lacks U+0085.
 */
function withUnicodeSpace(pattern: string): string {
  return pattern.replaceAll("\\s", "\\p{White_Space}").replaceAll("\\S", "\\P{White_Space}")
}
