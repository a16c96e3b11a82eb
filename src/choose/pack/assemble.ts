import type { PackFile, PackPiece } from "#ground/contract"
import type { Redact, SafeLines } from "#ground/secrets"
import type { Content } from "#know/map"
import { signatureLine } from "#know/map"
import { sum } from "./draft.ts"
import { MOST_SHOWN_SYMBOLS } from "./limits.ts"
import { headingOf, labelOf } from "./render/heading.ts"
import { safeLine, safeLines, safeText } from "./safe.ts"
import type { SelectedFile } from "./select.ts"

export type Assembling = {
  readonly redact: Redact
  readonly count: (text: string) => number
}

/** A file as it is sent: without hidden signs, redacted, counted. The closing line comes later. */
export function assembleFile(file: SelectedFile, { redact, count }: Assembling): PackFile {
  const made =
    file.segments.length > 0
      ? piecesOf(file, { redact, count })
      : signaturePieces(file, { redact, count })
  const head = {
    path: file.path,
    form: file.form,
    blobId: file.content.blobId,
    sentBefore: file.sentBefore,
  }
  const line = (text: string) => safeLine(text, { redact, mostUnits: LONGEST_LINE_UNITS })
  return {
    ...head,
    score: file.scored.score,
    astScore: file.scored.astScore,
    semanticScore: file.scored.semanticScore,
    source: file.scored.source,
    tokens: count(headingOf(head)) + made.tokens,
    wholeTokens: file.scored.file.tokens,
    pieces: [...made.pieces],
    symbols: symbolNames(file).map(line),
    reasons: file.scored.reasons.map(line),
    language: file.content.language ?? null,
    isPinned: file.scored.naming === "target",
    redactions: made.redactions,
  }
}

const LONGEST_LINE_UNITS = 200

type Made = {
  readonly pieces: readonly PackPiece[]
  readonly tokens: number
  readonly redactions: number
}

/** Neighbouring segments are one piece. A count of the scan stands unless the text was changed. */
function piecesOf(file: SelectedFile, { redact, count }: Assembling): Made {
  const text = file.text ?? ""
  const safe = safeLines(text, redact)
  const texts = { safe, scanned: linesOf(text), redact }
  const cut = runsOf(file.segments).map((run) => pieceOf(file.content, run, texts))
  const tokens = cut.map(({ piece, run, isAsScanned }) => {
    const segments = run.map((it) => file.content.segments[it]?.tokens ?? 0)
    return count(labelOf(piece)) + (isAsScanned ? sum(segments) : count(ended(piece.text)))
  })
  const pieces = cut.map((it) => it.piece)
  const isSent = (line: number) => pieces.some((it) => line >= it.fromLine && line <= it.toLine)
  return { pieces, tokens: sum(tokens), redactions: safe.secretLines.filter(isSent).length }
}

function runsOf(indexes: readonly number[]): readonly (readonly number[])[] {
  const runs: number[][] = []
  for (const index of indexes) {
    const last = runs.at(-1)
    if (last !== undefined && last.at(-1) === index - 1) last.push(index)
    else runs.push([index])
  }
  return runs
}

type CutPiece = {
  readonly piece: PackPiece
  readonly run: readonly number[]
  /** Whether the text is the one that was counted. */
  readonly isAsScanned: boolean
}

type PieceTexts = {
  readonly safe: SafeLines
  /** The lines that were counted, each with its newline. */
  readonly scanned: readonly string[]
  readonly redact: Redact
}

function pieceOf(
  content: Content,
  run: readonly number[],
  { safe, scanned, redact }: PieceTexts,
): CutPiece {
  const first = content.segments[run[0] ?? 0]
  const last = content.segments[run.at(-1) ?? 0]
  const [fromLine, toLine] = [first?.fromLine ?? 1, last?.toLine ?? 1]
  const text = safe.lines.slice(fromLine - 1, toLine).join("")
  const before = scanned.slice(fromLine - 1, toLine).join("")
  const symbol = run.length === 1 && first?.symbol !== undefined ? first.symbol : undefined
  const name = symbol === undefined ? undefined : content.symbols[symbol]?.name
  const shown = name === undefined ? undefined : safeText(name, redact).text
  return {
    piece: { fromLine, toLine, text, ...(shown !== undefined && { symbol: shown }) },
    run,
    isAsScanned: text === before && text.endsWith("\n"),
  }
}

function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

/** Every piece ends with a newline, also the last of a file without one. */
export function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`
}

function signaturePieces(file: SelectedFile, { redact, count }: Assembling): Made {
  const found = file.signatures.flatMap((index) => {
    const symbol = file.content.symbols[index]
    if (symbol === undefined) return []
    const line = signatureLine(symbol)
    const { text, secrets } = safeText(line, redact)
    const shown = text.replaceAll("\n", " ")
    const tokens = shown === line ? symbol.signatureTokens : count(`${shown}\n`)
    const { fromLine, toLine } = symbol
    const name = safeText(symbol.name, redact).text
    return [{ piece: { fromLine, toLine, text: shown, symbol: name }, tokens, secrets }]
  })
  return {
    pieces: found.map((it) => it.piece),
    tokens: sum(found.map((it) => it.tokens)),
    redactions: sum(found.map((it) => it.secrets)),
  }
}

/** The best symbols of what is sent, by the words of the task; names of the task first. */
function symbolNames(file: SelectedFile): readonly string[] {
  const fromSegments = file.segments.flatMap((it) => file.content.segments[it]?.symbol ?? [])
  const indexes = fromSegments.length > 0 ? fromSegments : file.signatures
  const names = indexes.flatMap((it) => file.content.symbols[it]?.name ?? [])
  const named = file.scored.defines.filter((it) => names.includes(it))
  return [...new Set([...named, ...names])].slice(0, MOST_SHOWN_SYMBOLS)
}
