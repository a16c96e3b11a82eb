import type { FitFile, FitSegment } from "./fit/budget-board.ts"
import type { Candidate } from "./rank/candidates.ts"

export function candidateFile(path: string, fields: Partial<Candidate> = {}): Candidate {
  return {
    file: {
      path,
      content: 0,
      blobId: "0".repeat(40),
      fileClass: "source",
      sizeBytes: 0,
      language: undefined,
      lines: 0,
      tokens: 0,
      symbolCount: 0,
      problemCount: 0,
      importCount: 0,
      bodyLength: 0,
    },
    rank: undefined,
    share: null,
    naming: undefined,
    defines: [],
    uses: [],
    reasons: [],
    ...fields,
  }
}

export function fitSegment(
  tokens: number,
  score = 0,
  fields: Partial<FitSegment> = {},
): FitSegment {
  return {
    tokens,
    score,
    chance: 0.5,
    isNamed: false,
    isSent: false,
    isBare: false,
    head: undefined,
    ...fields,
  }
}

export function fitFile(
  path: string,
  segments: readonly FitSegment[],
  fields: Partial<FitFile> = {},
): FitFile {
  return {
    path,
    score: 1,
    probability: 1,
    naming: undefined,
    isDefiner: false,
    fileClass: "source",
    form: undefined,
    headingTokens: 20,
    segments,
    signatures: segments.map((it, symbol) => ({ symbol, tokens: 5, score: it.score })),
    ...fields,
  }
}
