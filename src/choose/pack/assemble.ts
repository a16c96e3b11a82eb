import { createHash } from "node:crypto"
import { formatExact, plural } from "#ground/base"
import type {
  ContextPack,
  PackAdvice,
  PackFile,
  PackFormat,
  PackLeft,
  PackPiece,
  PackRecord,
  TokenScale,
} from "#ground/contract"
import type { Redact, SafeLines } from "#ground/secrets"
import { scaleTokens } from "#ground/tokens"
import { type Content, type IndexedTree, signatureLine } from "#know/map"
import { sum } from "./fit/budget-board.ts"
import { dependenciesIn } from "./fit/closure.ts"
import type { SelectedFile, Selection, SelectOptions } from "./fit.ts"
import { leftFile, type RankedFiles } from "./rank.ts"
import { safeLine, safeLines, safeText } from "./redact.ts"
import {
  closingOf,
  ended,
  fenceFor,
  headingOf,
  labelOf,
  openingOf,
  renderJson,
  renderMarkdown,
  renderXml,
} from "./render.ts"

type AssembleOptions = TextOptions & {
  readonly tree: IndexedTree
  readonly ranked: RankedFiles
  readonly task: string
  readonly estimator: string
  readonly scale: TokenScale | null
  readonly advice: readonly PackAdvice[]
  readonly records: readonly PackRecord[]
  readonly order: readonly string[]
}

type TextOptions = { readonly redact: Redact; readonly count: (text: string) => number }

type BuildOnly = "id" | "builtAt" | "role" | "session" | "choices" | "notes" | "state"

/** Without the fields that differ between two builds of the same package. */
export type AssembledPack = Omit<ContextPack, BuildOnly>

export function assemblePack(
  selection: Selection,
  budget: number,
  options: AssembleOptions,
): AssembledPack {
  const { task, ranked, advice, records, count } = options
  const assembled = selection.files.map((it) => assembleFile(it, options))
  const ordered = inOrder(
    assembled,
    options.order.flatMap((it) => ranked.pathOf(it) ?? []),
  )
  const digest = digestOf(ordered, options)
  const fence = fenceFor(digest, textsOf(ordered, options))
  const closingTokens = count(closingOf(fence))
  const files = ordered.map((it) =>
    it.pieces.length === 0 ? it : { ...it, tokens: it.tokens + closingTokens },
  )
  const paths = new Set(files.map((it) => it.path))
  const left = leftOf(options, selection, paths)
  return {
    task,
    budget,
    tokens: sum([...files, ...records].map((it) => it.tokens)),
    estimator: options.estimator,
    scale: options.scale,
    isEmpty: files.length === 0,
    emptyReason: files.length === 0 ? emptyReason(options, left) : null,
    analysis: ranked.analysis,
    files,
    dependencies: dependenciesIn(selection.edges, paths).map((it) => ({
      ...it,
      names: it.names.map((name) => safeText(name, options.redact).text),
    })),
    expectation: selection.expectation,
    left: listed(left),
    leftCount: left.length,
    signals: { used: [...ranked.signals.used], missing: [...ranked.signals.missing] },
    advice: [...advice],
    records: [...records],
    manifest: {
      digest,
      kinds: kindsOf(files, records),
      leftTokens: sum(left.filter((it) => it.why === "no-room").map((it) => it.tokens)),
      trust: "project",
      fence,
    },
  }
}

function inOrder(files: readonly PackFile[], order: readonly string[]): readonly PackFile[] {
  const places = new Map(order.map((path, rank) => [path, rank]))
  const placeOf = (file: PackFile) => places.get(file.path) ?? order.length
  return files.toSorted((a, b) => placeOf(a) - placeOf(b))
}

type OpeningTexts = Pick<AssembleOptions, "task" | "advice" | "records">

function digestOf(files: readonly PackFile[], { task, advice, records }: OpeningTexts): string {
  const sent = files.map(({ path, blobId, form, pieces }) => [path, blobId, form, pieces])
  return createHash("sha256")
    .update(JSON.stringify([task, advice, records, sent]))
    .digest("hex")
}

function textsOf(
  files: readonly PackFile[],
  { task, advice, records }: OpeningTexts,
): readonly string[] {
  const sent = files.flatMap((it) => [it.path, ...it.pieces.map((piece) => piece.text)])
  const lines = [...advice, ...records].map((it) => it.text)
  return [task, ...lines, ...sent]
}

export function kindsOf(files: readonly PackFile[], records: readonly PackRecord[]) {
  const isWhole = (it: PackFile) => it.form === "full" || it.form === "path"
  const isParagraph = (it: PackRecord) => it.kind === "paragraph"
  const parts = {
    files: files.filter(isWhole),
    symbols: files.filter((it) => !isWhole(it)),
    memory: records.filter((it) => !isParagraph(it)),
    knowledge: records.filter(isParagraph),
  }
  const kinds = ["files", "symbols", "memory", "knowledge"] as const
  return kinds.map((kind) => ({ kind, tokens: sum(parts[kind].map((it) => it.tokens)) }))
}

function leftOf(
  { ranked, scale }: AssembleOptions,
  selection: Selection,
  inside: ReadonlySet<string>,
): readonly PackLeft[] {
  const byPath = new Map(ranked.weighed.files.map((it) => [it.file.path, it]))
  const crowdedOut = selection.left.flatMap(({ path, needs, isUnlikely }) => {
    const file = byPath.get(path)
    const detail = `needs ${formatExact(scaleTokens(needs, scale))} tokens`
    const why = isUnlikely ? "unlikely" : "no-room"
    return file === undefined ? [] : [leftFile(file, { why, detail })]
  })
  const beyond = ranked.weighed.beyond.map((it) =>
    leftFile(it, {
      why: selection.fill ? "no-room" : "unlikely",
      detail: "ranked after all files that were weighed",
    }),
  )
  return [...crowdedOut, ...beyond, ...ranked.left]
    .filter((it) => !inside.has(it.path))
    .toSorted((a, b) => b.score - a.score)
}

function listed(left: readonly PackLeft[]): PackLeft[] {
  const isDecided = (it: PackLeft) => it.why === "dropped" || it.why === "denied"
  let others = 0
  return left.filter((it) => isDecided(it) || ++others <= 50)
}

function emptyReason({ tree, ranked }: AssembleOptions, left: readonly PackLeft[]): string {
  if (tree.files.length === 0) return "The repository has no readable file."
  if (ranked.signals.used.length === 0) return "The task contains no searchable word."
  if (ranked.scored.length === 0) return "No file in this repository matches the task."
  if (ranked.unrelated !== undefined) {
    const best = ranked.unrelated.toFixed(2)
    const reason = `The task seems unrelated to this repository: the best match has relevance ${best}.`
    // With `fill`, files below the minimum relevance stay out.
    const isSendable = ranked.unrelated >= ranked.rules.minRelevance
    return isSendable ? `${reason} Pass --fill to send it anyway.` : reason
  }
  if (left.some((it) => it.why === "no-room")) return "No file fits the budget."
  return `None of ${plural(tree.files.length, "file")} is relevant and allowed.`
}

export function assembleFile(file: SelectedFile, { redact, count }: TextOptions): PackFile {
  const sent =
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
    tokens: count(headingOf(head)) + sent.tokens,
    wholeTokens: file.scored.file.tokens,
    pieces: [...sent.pieces],
    symbols: symbolNames(file).map(line),
    reasons: file.scored.reasons.map(line),
    language: file.content.language ?? null,
    isPinned: file.scored.naming === "target",
    redactions: sent.redactions,
  }
}

const LONGEST_LINE_UNITS = 200

type FilePieces = {
  readonly pieces: readonly PackPiece[]
  readonly tokens: number
  readonly redactions: number
}

/**
 * Adjacent segments form one excerpt. The scan's token count holds unless redaction changed the
 * text.
 */
function piecesOf(file: SelectedFile, { redact, count }: TextOptions): FilePieces {
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
  readonly isAsScanned: boolean
}

type PieceTexts = {
  readonly safe: SafeLines
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
  return text.match(/[^\n]+\n?|\n/g) ?? []
}

function signaturePieces(file: SelectedFile, { redact, count }: TextOptions): FilePieces {
  const symbols = file.signatures.flatMap((index) => {
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
    pieces: symbols.map((it) => it.piece),
    tokens: sum(symbols.map((it) => it.tokens)),
    redactions: sum(symbols.map((it) => it.secrets)),
  }
}

function symbolNames(file: SelectedFile): readonly string[] {
  const fromSegments = file.segments.flatMap((it) => file.content.segments[it]?.symbol ?? [])
  const indexes = fromSegments.length > 0 ? fromSegments : file.signatures
  const names = indexes.flatMap((it) => file.content.symbols[it]?.name ?? [])
  const named = file.scored.defines.filter((it) => names.includes(it))
  return [...new Set([...named, ...names])].slice(0, 8)
}

/** Markdown always fits; XML or JSON, which may have more tokens, if it is requested. */
export function countPackTokens(
  pack: AssembledPack,
  { count, format }: { readonly count: (text: string) => number; readonly format: PackFormat },
): number {
  const whole: ContextPack = { ...pack, ...NO_BUILD_DETAILS }
  const markdown = count(renderMarkdown(whole))
  if (format === "xml") return Math.max(markdown, count(renderXml(whole)))
  return format === "json" ? Math.max(markdown, count(renderJson(whole))) : markdown
}

const NO_BUILD_DETAILS: Pick<ContextPack, BuildOnly> = {
  id: "",
  builtAt: 0,
  role: null,
  session: null,
  choices: {
    target: [],
    drop: [],
    full: [],
    symbols: [],
    signatures: [],
    mention: [],
    order: [],
  },
  notes: [],
  state: { digest: "", gitSha: null, scannedAt: 0, files: 0, commits: 0, historyProblem: null },
}

export function openingTokensOf({
  task,
  advice,
  records,
  count,
}: OpeningTexts & Pick<AssembleOptions, "count">): number {
  const manifest = { ...NO_MANIFEST, fence: fenceFor("", []) }
  const lines = { advice: [...advice], records: [...records] }
  const opening = { task, ...lines, manifest, isEmpty: false, emptyReason: null }
  return count(openingOf(opening))
}

const NO_MANIFEST = { digest: "", kinds: [], leftTokens: 0, trust: "project" as const, fence: "" }

export function createHeadingCounter(
  count: (text: string) => number,
): SelectOptions["headingTokens"] {
  const tokensByPath = new Map<string, number>()
  return ({ file: { path, blobId } }) => {
    const tokens =
      tokensByPath.get(path) ??
      count(headingOf({ path, blobId, form: "signatures", sentBefore: false }))
    tokensByPath.set(path, tokens)
    return tokens
  }
}
