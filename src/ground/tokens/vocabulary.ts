import { invariant, packageFile, parseJson, readTextBounded } from "#ground/base"
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

const LARGEST_TABLE_BYTES = 8_000_000

/** As `scripts/token-tables.ts` writes it. */
type TokenTable = {
  readonly pattern: string
  /** The rank of `tokens[0]`; the next ones follow without gaps. */
  readonly firstRank: number
  readonly tokens: readonly string[]
  /** Positions of tokens that are bytes: one character per byte. */
  readonly byteTokens: readonly number[]
}

export async function loadVocabulary(encoding: TokenEncoding): Promise<Vocabulary> {
  const file = packageFile(`models/tokens/${encoding}.json`)
  const outcome = await readTextBounded(file, { maxBytes: LARGEST_TABLE_BYTES })
  const table = outcome.kind === "read" ? parseJson(outcome.text) : undefined
  invariant(isTokenTable(table), `models/tokens/${encoding}.json is a file of the package`)
  return createVocabulary(encoding, table)
}

/** The file is ours: checking 200,000 tokens would take longer than parsing them. */
function isTokenTable(value: unknown): value is TokenTable {
  return typeof value === "object" && value !== null && "tokens" in value && "byteTokens" in value
}

function createVocabulary(encoding: TokenEncoding, table: TokenTable): Vocabulary {
  const { firstRank, tokens } = table
  const rankByBytes = new Map(table.byteTokens.map((at) => [tokens[at] ?? "", firstRank + at]))
  const isBytes = new Set(table.byteTokens)
  const rankByText = new Map<string, number>()
  for (const [at, token] of tokens.entries()) {
    if (!isBytes.has(at)) rankByText.set(token, firstRank + at)
  }
  return {
    encoding,
    wordPattern: new RegExp(withUnicodeSpace(table.pattern), "gu"),
    rankOfText: (text) => rankByText.get(text),
    rankOfBytes: (bytes) => rankByBytes.get(bytes),
  }
}

/**
 * The encodings were made with engines that use Unicode's white space. JavaScript's `\s` differs in
 * two characters: it includes the byte-order mark, with which many files begin, and lacks U+0085.
 */
function withUnicodeSpace(pattern: string): string {
  return pattern.replaceAll("\\s", "\\p{White_Space}").replaceAll("\\S", "\\P{White_Space}")
}
