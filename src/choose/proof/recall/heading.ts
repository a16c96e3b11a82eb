/** What naming a file costs in a package: its path, its blob id, and what of it is there. */
export function headingTokens(path: string, count: (text: string) => number): number {
  return count(path) + WORDS_BESIDE_PATH_TOKENS
}

/** Measured on packages: 25 with the line that closes the file. */
const WORDS_BESIDE_PATH_TOKENS = 25
