import path from "node:path"
import { type Language, Node, Parser, Query, type QueryMatch, type Tree } from "web-tree-sitter"
import { invariant, onceUnlessRejected, packageFile } from "#ground/base"
import { type QueryPart, splitQuery } from "./split-query.ts"

/** Without a limit a hostile file makes matching quadratic. */
const MOST_OPEN_MATCHES = 10_000

export const GRAMMARS = packageFile("grammars")

/** A name in the text: where it begins and ends, and its line, from 0. */
export type NamePlace = { readonly start: number; readonly end: number; readonly row: number }

export type Matches = {
  readonly matches: readonly Pick<QueryMatch, "patternIndex" | "captures">[]
  /** Of the patterns with nothing but `@ref` or `@capital`, which are not in `matches`. */
  readonly references: readonly NamePlace[]
  readonly isCut: boolean
}

type Engine = {
  /** `parser` has the language of the query. */
  prepare(parser: Parser, query: string): PreparedQuery
}

export type PreparedQuery = {
  matchesOf(
    tree: Tree,
    options: { readonly text: string; readonly progressCallback: () => boolean },
  ): Matches
}

/**
 * Reads matches from the parser's memory. The library creates four objects for each, also for the
 * millions of names that begin with a small letter and are none.
 */
export const startEngine = onceUnlessRejected(async (): Promise<Engine> => {
  const module: Record<string, unknown> = {
    locateFile: (name: string) => path.join(GRAMMARS, name),
  }
  // The runtime adds its functions and its memory to this object.
  await Parser.init(module)
  invariant(isParserModule(module), "web-tree-sitter is the version of the lock file")
  return {
    prepare(parser, query) {
      const { language } = parser
      const empty = parser.parse("")
      invariant(language !== null && empty !== null, "the parser has a language")
      const { atRoot, anywhere } = splitQuery(query, empty.rootNode.type)
      empty.delete()
      const parts = [
        { ...compile(language, anywhere), deepest: ANY_DEPTH },
        ...(atRoot.source === "" ? [] : [{ ...compile(language, atRoot), deepest: 0 }]),
      ]
      return {
        matchesOf(tree, options) {
          const results = parts.map((part) => matchesOf(module, { ...part, tree, ...options }))
          return {
            matches: results.flatMap((it) => it.matches),
            references: results.flatMap((it) => it.references),
            isCut: results.some((it) => it.isCut),
          }
        },
      }
    },
  }
})

const ANY_DEPTH = 0xff_ff_ff_ff

function compile(language: Language, { source, places }: QueryPart) {
  const query = new Query(language, source)
  invariant(query.patternCount() === places.length, "a query is split between its patterns")
  return { query, places }
}

type ParserModule = {
  /** Replaced when the memory grows. */
  readonly HEAP32: Int32Array
  currentQueryProgressCallback: (() => boolean) | null
  /** The address of the buffer for arguments and results. */
  _ts_init(): number
  _ts_query_matches_wasm(...args: readonly number[]): void
  /** Of the node in the buffer. */
  _ts_node_end_index_wasm(tree: number): number
  _free(address: number): void
}

const FUNCTIONS = ["_ts_init", "_ts_query_matches_wasm", "_ts_node_end_index_wasm", "_free"]

function isParserModule(module: object): module is ParserModule {
  const value = (name: string): unknown => Reflect.get(module, name)
  return (
    value("HEAP32") instanceof Int32Array && FUNCTIONS.every((it) => value(it) instanceof Function)
  )
}

type MatchRequest = {
  readonly query: Query
  readonly places: readonly number[]
  /** Where a match may begin. */
  readonly deepest: number
  readonly tree: Tree
  readonly text: string
  readonly progressCallback: () => boolean
}

/** A pattern index and a count, then for each capture its index and a node, all of four bytes. */
const MATCH_HEAD = 2
const NODE_SIZE = 5
const CAPTURE_SIZE = 1 + NODE_SIZE

/** Begin and end by row, column and index, of the nodes and of those around them. */
const NO_RANGE = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] as const

function matchesOf(module: ParserModule, request: MatchRequest): Matches {
  const { query, tree } = request
  const treeAddress = addressOf(tree)
  const buffer = module._ts_init() >> 2
  writeRoot(module.HEAP32, buffer, tree)
  module.currentQueryProgressCallback = request.progressCallback
  module._ts_query_matches_wasm(
    addressOf(query),
    treeAddress,
    ...NO_RANGE,
    MOST_OPEN_MATCHES,
    request.deepest,
  )
  module.currentQueryProgressCallback = null
  const heap = module.HEAP32
  const count = heap[buffer] ?? 0
  const address = heap[buffer + 1] ?? 0
  const isCut = heap[buffer + 2] !== 0
  const endOf = (node: number) => {
    heap.copyWithin(buffer, node, node + NODE_SIZE)
    return module._ts_node_end_index_wasm(treeAddress)
  }
  const namesAndMatches = readMatches({ heap, at: address >> 2, count }, { ...request, endOf })
  module._free(address)
  return { ...namesAndMatches, isCut }
}

function addressOf(handle: Query | Tree): number {
  const address: unknown = Reflect.get(handle, 0)
  invariant(typeof address === "number", "a handle of web-tree-sitter has an address")
  return address
}

function writeRoot(heap: Int32Array, at: number, { rootNode }: Tree): void {
  const { id, startIndex, startPosition } = rootNode
  heap.set([id, startIndex, startPosition.row, startPosition.column, contextOf(rootNode)], at)
}

function contextOf(node: Node): number {
  return Number(Reflect.get(node, 0))
}

type RawMatches = { readonly heap: Int32Array; readonly at: number; readonly count: number }

type MatchContext = Pick<MatchRequest, "query" | "places" | "tree" | "text"> & {
  readonly endOf: (node: number) => number
}

function readMatches(raw: RawMatches, context: MatchContext): Omit<Matches, "isCut"> {
  const { heap, count } = raw
  const { query, text } = context
  const predicates = predicatesOf(query)
  const matches: Matches["matches"][number][] = []
  const references: NamePlace[] = []
  const [reference, capital] = ["ref", "capital"].map((it) => query.captureNames.indexOf(it))
  let { at } = raw
  for (let match = 0; match < count; match++) {
    const captures = heap[at + 1] ?? 0
    const first = heap[at + MATCH_HEAD] ?? 0
    const end = at + MATCH_HEAD + captures * CAPTURE_SIZE
    const conditions = predicates[heap[at] ?? 0] ?? []
    const isName = first === reference || first === capital
    if (captures === 1 && isName && conditions.length === 0) {
      const node = at + MATCH_HEAD + 1
      const start = heap[node + 1] ?? 0
      if (first === reference || isCapital(text.charCodeAt(start))) {
        references.push({ start, end: context.endOf(node), row: heap[node + 2] ?? 0 })
      }
    } else {
      const one = matchAt(heap, at, context)
      if (conditions.every((it) => it(one.captures))) matches.push(one)
    }
    at = end
  }
  return { matches, references }
}

/** A to Z, or beyond ASCII, where checking is too expensive. */
function isCapital(unit: number): boolean {
  return (unit >= 65 && unit <= 90) || unit > 127
}

type Captures = QueryMatch["captures"]
type Predicate = (captures: Captures) => boolean

/** By pattern: what the library checks in the text after a match. */
function predicatesOf(query: Query): readonly (readonly Predicate[])[] {
  const predicates: unknown = Reflect.get(query, "textPredicates")
  invariant(isPredicates(predicates), "a query of web-tree-sitter has its predicates")
  return predicates
}

function isPredicates(value: unknown): value is readonly (readonly Predicate[])[] {
  return Array.isArray(value) && value.every((it) => Array.isArray(it))
}

function matchAt(heap: Int32Array, at: number, { query, places, tree }: MatchContext) {
  const patternIndex = places[heap[at] ?? 0] ?? 0
  const captures: Captures = []
  const end = at + MATCH_HEAD + (heap[at + 1] ?? 0) * CAPTURE_SIZE
  for (let capture = at + MATCH_HEAD; capture < end; capture += CAPTURE_SIZE) {
    const name = query.captureNames[heap[capture] ?? 0] ?? ""
    captures.push({ patternIndex, name, node: nodeAt(heap, capture + 1, tree) })
  }
  return { patternIndex, captures }
}

/** The library's constructor is closed to others; its methods use these fields only. */
class MadeNode {
  readonly 0: number
  readonly id: number
  readonly tree: Tree
  readonly startIndex: number
  readonly startPosition: Node["startPosition"]

  constructor(heap: Int32Array, at: number, tree: Tree) {
    this[0] = heap[at + 4] ?? 0
    this.id = heap[at] ?? 0
    this.tree = tree
    this.startIndex = heap[at + 1] ?? 0
    this.startPosition = { row: heap[at + 2] ?? 0, column: heap[at + 3] ?? 0 }
  }
}
Object.setPrototypeOf(MadeNode.prototype, Node.prototype)

function nodeAt(heap: Int32Array, at: number, tree: Tree): Node {
  const node: unknown = new MadeNode(heap, at, tree)
  invariant(node instanceof Node, "a made node inherits from the library's")
  return node
}
