import type { Node } from "web-tree-sitter"
import { compareText } from "#ground/base"
import type { SymbolKind } from "#ground/contract"
import type { FileFacts, ImportFact, Problem, ReferenceFact, SymbolFact } from "../facts.ts"
import { LONGEST_NAME_UNITS, MOST_FACTS } from "../limits.ts"
import { type CollectedNodes, collect, type Frame } from "./collect.ts"
import { cleanDoc, createLinesAbove, type LinesAbove, lastRowOf, signatureOf } from "./comments.ts"
import type { Matches } from "./engine.ts"
import type { Language } from "./language.ts"
import { beginsBetween, insideOf } from "./nodes.ts"

const MOST_SYNTAX_PROBLEMS = 10

const LONGEST_HEAD_UNITS = 2_000

export function extract(language: Language, text: string, query: Matches): FileFacts {
  const collected = collect(query)
  const symbols = symbolsOf(language, text, collected)
  const imports = importsOf(language, collected)
  const references = referencesOf(language, text, collected)
  const isTooMany =
    query.isCut || [symbols, imports, references].some((it) => it.length > MOST_FACTS)
  return {
    language: language.name,
    packages: [...new Set(collected.packages.map((it) => it.text.replace(/\s/g, "")))].toSorted(
      compareText,
    ),
    symbols: symbols.slice(0, MOST_FACTS),
    references: references.slice(0, MOST_FACTS),
    imports: imports.slice(0, MOST_FACTS),
    problems: [...syntaxProblems(collected.errors), ...(isTooMany ? [TOO_MANY] : [])],
  }
}

const TOO_MANY: Problem = { reason: "too-many" }

function importsOf(language: Language, { imports }: CollectedNodes): readonly ImportFact[] {
  const facts = imports.flatMap((statement) =>
    language
      .readImport(statement)
      .filter((it) => it.specifier !== "" && it.specifier.length <= LONGEST_NAME_UNITS)
      .map((it) => ({ ...it, line: statement.startPosition.row + 1 })),
  )
  return facts.toSorted((a, b) => a.line - b.line || compareText(a.specifier, b.specifier))
}

function referencesOf(
  { builtins }: Language,
  text: string,
  collected: CollectedNodes,
): readonly ReferenceFact[] {
  const names = collected.frames.flatMap((it) => (it.what === "container" ? [] : (it.name ?? [])))
  const isNamed = insideOf([...names, ...collected.declared])
  const isImport = insideOf(collected.imports)
  const used: ReferenceFact[] = []
  for (const { start, end, row } of collected.references) {
    if (isNamed(start) || isImport(start)) continue
    const name = text.slice(start, end)
    // One letter is a type parameter or a counter.
    if (name.length < 2 || name.length > LONGEST_NAME_UNITS || builtins?.has(name)) continue
    used.push({ name, line: row + 1 })
  }
  const sorted = used.toSorted((a, b) => a.line - b.line || compareText(a.name, b.name))
  return sorted.filter((it, at) => {
    const before = sorted[at - 1]
    return before?.line !== it.line || before.name !== it.name
  })
}

function syntaxProblems(errors: readonly Node[]): readonly Problem[] {
  const lines = [...new Set(errors.map((it) => it.startPosition.row + 1))].toSorted((a, b) => a - b)
  return lines.slice(0, MOST_SYNTAX_PROBLEMS).map((line) => ({ reason: "syntax", line }))
}

/**
 * Walks all frames in text order with a stack of open frames, which decides parent, kind and
 * visibility.
 */
function symbolsOf(
  language: Language,
  text: string,
  collected: CollectedNodes,
): readonly SymbolFact[] {
  const walk: Walk = {
    language,
    text,
    collected,
    above: createLinesAbove(collected, text),
    listed: listedNames(collected),
    hasImport: beginsBetween(collected.imports),
    open: [],
  }
  const symbols: SymbolFact[] = []
  for (const placed of placedFrames(collected)) {
    while (isPast(walk.open.at(-1), placed)) walk.open.pop()
    const symbol = enter(walk, placed)
    if (symbol !== undefined) symbols.push(symbol)
  }
  return symbols.toSorted(bySource)
}

function isPast(open: OpenFrame | undefined, { frame, start }: PlacedFrame): boolean {
  return open !== undefined && (open.end <= start || open.nodeId === frame.node.id)
}

type Walk = {
  readonly language: Language
  readonly text: string
  readonly collected: CollectedNodes
  readonly above: LinesAbove
  readonly listed: ReadonlySet<string> | undefined
  readonly hasImport: (from: number, to: number) => boolean
  readonly open: OpenFrame[]
}

type PlacedFrame = {
  readonly frame: Frame
  readonly outer: Node
  readonly start: number
  end: number
}

type OpenFrame = {
  readonly end: number
  readonly nodeId: number
  readonly kind: SymbolKind | "container" | "nameless" | "scope"
  readonly name: string | undefined
  readonly head: string
  readonly isVisible: boolean
  section: string | undefined
  readonly isInFunction: boolean
  readonly outer: OpenFrame | undefined
}

function listedNames({ listed }: CollectedNodes): ReadonlySet<string> | undefined {
  return listed.length === 0 ? undefined : new Set(listed.map((it) => it.text))
}

function placedFrames({ frames, wrapperOf }: CollectedNodes): readonly PlacedFrame[] {
  const placed = frames.map((frame) => {
    let outer = frame.node
    for (let next = wrapperOf.get(outer.id); next !== undefined; next = wrapperOf.get(outer.id)) {
      outer = next
    }
    return { frame, outer, start: outer.startIndex, end: outer.endIndex }
  })
  return placed.toSorted((a, b) => a.start - b.start || b.end - a.end || byName(a, b))
}

function byName(a: PlacedFrame, b: PlacedFrame): number {
  return (a.frame.name?.startIndex ?? 0) - (b.frame.name?.startIndex ?? 0)
}

function enter(walk: Walk, placed: PlacedFrame): SymbolFact | undefined {
  const { frame, end } = placed
  const top = walk.open.at(-1)
  if (frame.what === "section") {
    if (top !== undefined) top.section = frame.node.text
    return undefined
  }
  const head = headOf(walk, placed)
  if (frame.what === "container" || frame.what === "nameless" || frame.what === "scope") {
    const name = frame.name === undefined ? undefined : plainType(frame.name.text)
    const isVisible = top?.isVisible ?? true
    push(walk, { end, nodeId: frame.node.id, kind: frame.what, name, head, isVisible })
    return undefined
  }
  return define(walk, placed, { kind: frame.what, head })
}

function headOf({ above, text }: Walk, { frame, outer }: PlacedFrame): string {
  const from = above.withAttributes(outer).index
  const to = frame.name?.startIndex ?? from
  return text.slice(Math.max(from, to - LONGEST_HEAD_UNITS), to)
}

function push({ open }: Walk, frame: Omit<OpenFrame, "section" | "isInFunction" | "outer">): void {
  const outer = open.at(-1)
  const isInFunction = (outer?.isInFunction ?? false) || FUNCTIONS.has(frame.kind)
  open.push({ ...frame, section: undefined, isInFunction, outer })
}

function define(
  walk: Walk,
  placed: PlacedFrame,
  { kind: stated, head }: { readonly kind: SymbolKind; readonly head: string },
): SymbolFact | undefined {
  const { frame, outer } = placed
  const named = nameOf(frame)
  if (named === undefined) return undefined
  const surroundings = surroundingsOf(walk.open, stated)
  if (isOfNoInterest(walk, placed, surroundings)) return undefined
  const kind = stated === "function" && isMember(named, surroundings) ? "method" : stated
  const isVisible = canBeSeen(walk, { name: named.name, kind, head })
  const { end } = placed
  push(walk, { end, nodeId: frame.node.id, kind, name: named.name, head, isVisible })

  const parent = named.owner ?? surroundings.named?.name
  const { row } = walk.above.withAttributes(outer)
  const docstring = walk.collected.docstringOf.get(frame.node.id)
  const doc = docstring === undefined ? walk.above.docAbove(row) : cleanDoc(docstring.text)
  return {
    name: named.name,
    kind,
    ...(parent !== undefined && { parent }),
    signature: signatureOf(walk.text.slice(placed.start, signatureEnd(walk, placed)), kind),
    fromLine: row + 1,
    toLine: lastRowOf(outer) + 1,
    isExported: isVisible,
    ...(doc !== undefined && { doc }),
  }
}

type Surroundings = {
  readonly named: OpenFrame | undefined
  readonly isInFunction: boolean
}

/** Local definitions are part of a body; `const path = require("path")` is an import. */
function isOfNoInterest(
  { hasImport }: Walk,
  { frame, start, end }: PlacedFrame,
  { isInFunction }: Surroundings,
): boolean {
  if (frame.what !== "variable" && frame.what !== "constant") return false
  return isInFunction || hasImport(start, end)
}

/** One `typedef` may define a type and the struct in it; neither contains the other. */
function surroundingsOf(open: readonly OpenFrame[], kind: SymbolKind): Surroundings {
  const top = open.at(-1)
  let named = top
  while (named?.name === undefined || (named.kind === "type" && kind !== "function")) {
    if (named === undefined) break
    named = named.outer
  }
  return { named, isInFunction: top?.isInFunction ?? false }
}

const FUNCTIONS: ReadonlySet<OpenFrame["kind"]> = new Set(["function", "method", "scope"])
const WITH_METHODS: ReadonlySet<OpenFrame["kind"]> = new Set([
  "class",
  "interface",
  "enum",
  "type",
  "container",
  "constant",
  "variable",
])

function isMember({ owner }: NamedNode, { named }: Surroundings): boolean {
  return owner !== undefined || (named !== undefined && WITH_METHODS.has(named.kind))
}

function canBeSeen(
  walk: Walk,
  it: { readonly name: string; readonly kind: SymbolKind; readonly head: string },
): boolean {
  const top = walk.open.at(-1)
  if (top?.isInFunction || top?.isVisible === false) return false
  const kind = top?.kind === "nameless" || top?.kind === "scope" ? "container" : top?.kind
  return walk.language.isVisible({
    ...it,
    section: top?.section,
    owner: top === undefined || kind === undefined ? undefined : { kind, head: top.head },
    listed: walk.listed,
  })
}

type NamedNode = { readonly name: string; readonly owner: string | undefined }

/** `Quay::close` and `func (q *Quay) Close` belong to Quay, wherever they are. */
function nameOf({ name, owner }: Frame): NamedNode | undefined {
  const parts = (name?.text ?? "")
    .replace(/^["']|["']$/g, "")
    .replace(/\s+/g, " ")
    .split("::")
  const last = parts.at(-1) ?? ""
  if (last === "" || last.length > LONGEST_NAME_UNITS) return undefined
  const stated = owner === undefined ? parts.at(-2) : owner.text
  const plain = stated === undefined ? "" : plainType(stated)
  return { name: last, owner: plain === "" ? undefined : plain }
}

/** `*Berth[K]`, `Berth<'a>`, `Tug.prototype` are Berth, Berth and Tug; `exports` is none. */
function plainType(text: string): string {
  const bare = text
    .replace(/[<[(][^]*$/, "")
    .replace(/^[&*\s]+/, "")
    .replace(/\.prototype$/, "")
    .replace(/^(?:module\.)?exports$/, "")
    .trim()
  return bare.split(/::|\./).at(-1) ?? ""
}

function signatureEnd({ language, text }: Walk, { frame, outer, end }: PlacedFrame): number {
  const body = frame.body ?? frame.node.childForFieldName("body") ?? bodyByType(language, frame)
  const before = body === undefined ? end : body.startIndex
  // Python allows a comment between head and body; it belongs to neither.
  const comment = text
    .slice(outer.startIndex, before)
    .trimEnd()
    .search(/\n[ \t]*#[^\n]*$/)
  return comment < 0 || body === undefined ? before : outer.startIndex + comment
}

function bodyByType(language: Language, { node }: Frame): Node | undefined {
  const types = language.bodyTypes
  if (types === undefined) return undefined
  return node.namedChildren.find((it) => types.includes(it.type))
}

function bySource(a: SymbolFact, b: SymbolFact): number {
  return a.fromLine - b.fromLine || b.toLine - a.toLine || compareText(a.name, b.name)
}
