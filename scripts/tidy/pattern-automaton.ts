import { type AST, visitRegExpAST } from "@eslint-community/regexpp"

/** A position in the pattern together with the kind of character that was read to get there. */
export type State = {
  readonly id: number
  readonly symbol: number
  /** The part of the pattern that read the character. */
  readonly raw: string
  /** Reads any text before a match: a search tries every start position. */
  readonly isSearch: boolean
}

type Edge = {
  readonly to: State
  /** How many different ways through the pattern lead there without reading. */
  readonly ways: number
  /** False if a lookaround of several characters decides. */
  readonly isSure: boolean
}

export type Automaton = {
  readonly states: readonly State[]
  /** Kinds of characters that no part of the pattern tells apart. */
  readonly symbols: readonly number[]
  readonly next: (state: State) => readonly Edge[]
  edges(state: State, symbol: number): readonly Edge[]
  /** The states of these edges. */
  step(state: State, symbol: number): readonly State[]
  /** Whether a match certainly ends here if this character, or the end, follows. */
  accepts(state: State, symbol: number | "end"): boolean
}

/** A repetition of at most so many times costs a constant factor; above, it counts as a loop. */
const MOST_BOUNDED_TIMES = 1_000
/** Copies of a bounded repetition in the automaton; more copies add no new way to read a text. */
const MOST_COPIES = 6
const MOST_NESTED_TIMES = 4
const MOST_PATHS = 40_000
const MOST_NODES = 4_000

type Reads = { kind: "read"; id: number; raw: string; set: bigint; next: PatternNode }
type PatternNode =
  | Reads
  | { kind: "fork"; targets: readonly PatternNode[] }
  | { kind: "loop"; body: PatternNode; next: PatternNode }
  | { kind: "assert"; options: readonly Condition[]; next: PatternNode }
  | { kind: "accept" }
  | { kind: "dead" }

/** Which characters may be on either side of a position. */
type Condition = { readonly before: bigint; readonly after: bigint; readonly isSure: boolean }

/**
 * A bounded repetition of a repetition is linear as long as a text has one reading. With two, their
 * number is the product of both counts, so that proof treats it as a loop.
 */
export type NestedRepetition = "bounded" | "loop"

/** The automaton of a search for the pattern, or why there is none. */
export function buildAutomaton(
  pattern: AST.Pattern,
  flags: string,
  nested: NestedRepetition,
): Automaton | string {
  const alphabet = readAlphabet(pattern, flags)
  const reads: Reads[] = []
  const compiler = new Compiler(alphabet, { flags, nested }, reads)
  let entry: PatternNode
  try {
    entry = compiler.alternatives(pattern.alternatives, { kind: "accept" })
  } catch (error) {
    if (error instanceof NotProven) return error.message
    throw error
  }
  if (!flags.includes("y")) {
    const search: Reads = {
      kind: "read",
      id: reads.length,
      raw: "",
      set: alphabet.any,
      next: entry,
    }
    reads.push(search)
    entry = { kind: "fork", targets: [search, entry] }
    search.next = entry
  }
  return connect(entry, reads, alphabet)
}

class NotProven extends Error {}

type Alphabet = {
  readonly symbols: readonly number[]
  readonly any: bigint
  readonly start: bigint
  readonly end: bigint
  setOf(raw: string): bigint
}

/** Characters of all kinds that patterns distinguish. */
// biome-ignore format: one code point per line would be 43 lines
const RARE = [
  0x130, 0x131, 0x17f, 0x1c5, 0x2b0, 0x301, 0x3b1, 0x416, 0x5d0, 0x627, 0x661, 0x905, 0xe01,
  0x1680, 0x200b, 0x200d, 0x2013, 0x2014, 0x2018, 0x201c, 0x2026, 0x2028, 0x2029, 0x202e, 0x2160,
  0x212a, 0x2192, 0x2500, 0x3000, 0x3042, 0x30ab, 0x4e2d, 0xac00, 0xd83d, 0xde00, 0xe000, 0xfe0f,
  0xfeff, 0xff11, 0xfffd, 0x1f600, 0x20000, 0xe0041,
]
const SAMPLES: readonly number[] = [...Array.from({ length: 256 }, (_, code) => code), ...RARE]

function readAlphabet(pattern: AST.Pattern, flags: string): Alphabet {
  const samples = new Set(SAMPLES)
  const raws = new Set([String.raw`\w`, String.raw`[\n\r\u2028\u2029]`])
  const near = (code: number): void => {
    for (const it of [code - 1, code, code + 1]) if (it >= 0 && it <= 0x10ffff) samples.add(it)
  }
  visitRegExpAST(pattern, {
    onCharacterEnter: (node) => {
      near(node.value)
      if (isElement(node)) raws.add(node.raw)
    },
    onCharacterSetEnter: (node) => {
      if (isElement(node)) raws.add(node.raw)
    },
    onCharacterClassEnter: (node) => {
      if (isElement(node)) raws.add(node.raw)
    },
    onExpressionCharacterClassEnter: (node) => void raws.add(node.raw),
  })
  const isMember = [...raws].map((raw) => membership(raw, flags))
  const groups = new Map<string, number>()
  // Without `u`, a pattern reads code units, and none is above 0xffff.
  const largest = /[uv]/.test(flags) ? 0x10ffff : 0xffff
  for (const code of samples) {
    if (code > largest) continue
    const signature = isMember.map((test) => (test(code) ? "1" : "0")).join("")
    if (!groups.has(signature)) groups.set(signature, code)
  }
  const representatives = [...groups.values()]
  const count = BigInt(representatives.length)
  const sets = new Map<string, bigint>()
  const setOf = (raw: string): bigint => {
    const stored = sets.get(raw)
    if (stored !== undefined) return stored
    const test = membership(raw, flags)
    const set = representatives.reduce(
      (sum, code, index) => (test(code) ? sum | bit(index) : sum),
      0n,
    )
    sets.set(raw, set)
    return set
  }
  return {
    symbols: representatives.map((_, index) => index),
    any: (1n << count) - 1n,
    start: 1n << count,
    end: 1n << (count + 1n),
    setOf,
  }
}

/** Not a part of a character class. */
function isElement({ parent }: AST.Character | AST.CharacterSet | AST.CharacterClass): boolean {
  return parent.type === "Alternative" || parent.type === "Quantifier"
}

function membership(raw: string, flags: string): (code: number) => boolean {
  const expression = new RegExp(`^${raw}$`, flags.replaceAll(/[^isuv]/g, ""))
  return (code) => expression.test(String.fromCodePoint(code))
}

function bit(symbol: number): bigint {
  return 1n << BigInt(symbol)
}

class Compiler {
  readonly #alphabet: Alphabet
  readonly #flags: string
  readonly #nested: NestedRepetition
  readonly #reads: Reads[]

  constructor(
    alphabet: Alphabet,
    { flags, nested }: { flags: string; nested: NestedRepetition },
    reads: Reads[],
  ) {
    this.#alphabet = alphabet
    this.#flags = flags
    this.#nested = nested
    this.#reads = reads
  }

  alternatives(all: readonly AST.Alternative[], next: PatternNode): PatternNode {
    const targets = all.map((it) =>
      it.elements.reduceRight((following, element) => this.#element(element, following), next),
    )
    return { kind: "fork", targets }
  }

  #element(element: AST.Element, next: PatternNode): PatternNode {
    switch (element.type) {
      case "Character":
      case "CharacterSet":
      case "CharacterClass":
      case "ExpressionCharacterClass":
        return this.#read(element.raw, next)
      case "Group":
      case "CapturingGroup":
        return this.alternatives(element.alternatives, next)
      case "Backreference": {
        const groups = [element.resolved].flat()
        return this.alternatives(
          groups.flatMap((it) => it.alternatives),
          next,
        )
      }
      case "Quantifier":
        return this.#quantifier(element, next)
      case "Assertion":
        return this.#assertion(element, next)
    }
  }

  #read(raw: string, next: PatternNode): PatternNode {
    if (this.#reads.length > MOST_NODES) throw new NotProven("it is too large to prove linear")
    const set = this.#alphabet.setOf(raw)
    const node: Reads = { kind: "read", id: this.#reads.length, raw, set, next }
    this.#reads.push(node)
    return node
  }

  #quantifier({ min, max, element }: AST.Quantifier, next: PatternNode): PatternNode {
    const isNested = this.#nested === "loop" && max > MOST_NESTED_TIMES && hasChoice(element)
    const isLoop = max > MOST_BOUNDED_TIMES || isNested
    let following = next
    if (isLoop) {
      const loop: PatternNode = { kind: "loop", body: next, next }
      loop.body = this.#element(element, loop)
      following = loop
    } else {
      for (let copy = 0; copy < Math.min(max - min, MOST_COPIES); copy += 1) {
        following = { kind: "fork", targets: [this.#element(element, following), next] }
      }
    }
    for (let copy = 0; copy < Math.min(min, MOST_COPIES); copy += 1) {
      following = this.#element(element, following)
    }
    return following
  }

  #assertion(assertion: AST.Assertion, next: PatternNode): PatternNode {
    const { any, start, end, setOf } = this.#alphabet
    const before = any | start
    const after = any | end
    const assert = (...options: readonly Condition[]): PatternNode => ({
      kind: "assert",
      options,
      next,
    })
    const lines = this.#flags.includes("m") ? setOf(String.raw`[\n\r\u2028\u2029]`) : 0n
    switch (assertion.kind) {
      case "start":
        return assert({ before: start | lines, after, isSure: true })
      case "end":
        return assert({ before, after: end | lines, isSure: true })
      case "word": {
        const word = setOf(String.raw`\w`)
        const isEdge = !assertion.negate
        return assert(
          { before: word, after: isEdge ? after & ~word : word, isSure: true },
          { before: before & ~word, after: isEdge ? word : after & ~word, isSure: true },
        )
      }
      case "lookahead":
      case "lookbehind":
        return this.#lookaround(assertion, next)
    }
  }

  #lookaround(assertion: AST.LookaroundAssertion, next: PatternNode): PatternNode {
    const { any, start, end } = this.#alphabet
    const single = this.#singleCharacter(assertion)
    const before = any | start
    const after = any | end
    const isAhead = assertion.kind === "lookahead"
    if (single !== undefined) {
      const all = isAhead ? after : before
      const allowed = assertion.negate ? all & ~single : single
      const option = isAhead
        ? { before, after: allowed, isSure: true }
        : { before: allowed, after, isSure: true }
      return { kind: "assert", options: [option], next }
    }
    const unsure: PatternNode = {
      kind: "assert",
      options: [{ before, after, isSure: false }],
      next,
    }
    if (isAhead) {
      const scan = this.alternatives(assertion.alternatives, { kind: "dead" })
      return { kind: "fork", targets: [scan, unsure] }
    }
    if (isUnbounded(assertion)) {
      throw new NotProven(`\`${assertion.raw}\` reads backwards without a limit at each position`)
    }
    return unsure
  }

  /** The characters of a lookaround that tests one character, a start or an end. */
  #singleCharacter(assertion: AST.LookaroundAssertion): bigint | undefined {
    const { start, end, setOf } = this.#alphabet
    let set = 0n
    for (const { elements } of assertion.alternatives) {
      const [element, ...others] = elements
      if (element === undefined || others.length > 0) return undefined
      if (element.type === "Assertion" && !this.#flags.includes("m")) {
        if (element.kind === "start" && assertion.kind === "lookbehind") set |= start
        else if (element.kind === "end" && assertion.kind === "lookahead") set |= end
        else return undefined
      } else if (/^Character|^ExpressionCharacterClass/.test(element.type)) {
        set |= setOf(element.raw)
      } else return undefined
    }
    return set
  }
}

function hasChoice(element: AST.Element): boolean {
  return quantifiersIn(element).some(({ min, max }) => max !== min && max > 1)
}

function isUnbounded(element: AST.Element): boolean {
  return quantifiersIn(element).some(({ max }) => max > MOST_BOUNDED_TIMES)
}

export function hasLoop(pattern: AST.Pattern): boolean {
  return quantifiersIn(pattern).some(({ max }) => max > MOST_BOUNDED_TIMES)
}

export function hasNestedRepetition(pattern: AST.Pattern): boolean {
  return quantifiersIn(pattern).some(
    ({ max, element }) => max > MOST_NESTED_TIMES && hasChoice(element),
  )
}

function quantifiersIn(node: AST.Node): readonly AST.Quantifier[] {
  const quantifiers: AST.Quantifier[] = []
  visitRegExpAST(node, { onQuantifierEnter: (it) => void quantifiers.push(it) })
  return quantifiers
}

type Follow = Condition & { readonly to: Reads | "accept" }

function connect(
  entry: PatternNode,
  reads: readonly Reads[],
  alphabet: Alphabet,
): Automaton | string {
  const budget = { left: MOST_PATHS }
  const all: Condition = {
    before: alphabet.any | alphabet.start,
    after: alphabet.any | alphabet.end,
    isSure: true,
  }
  const first: Follow[] = []
  collect(entry, all, { into: first, entered: new Set(), budget })
  const follows = reads.map((node) => {
    const into: Follow[] = []
    collect(node.next, all, { into, entered: new Set(), budget })
    return into
  })
  if (budget.left < 0) return "it has too many ways through it to prove that it is linear"
  return new PatternAutomaton(first, follows, alphabet)
}

type Collection = {
  readonly into: Follow[]
  readonly entered: ReadonlySet<PatternNode>
  readonly budget: { left: number }
}

/** All ways from a node to the next character or the end. An empty repetition ends its loop. */
function collect(node: PatternNode, condition: Condition, collection: Collection): void {
  const { into, entered, budget } = collection
  budget.left -= 1
  if (budget.left < 0) return
  switch (node.kind) {
    case "read": {
      const after = condition.after & node.set
      if (after !== 0n) into.push({ ...condition, after, to: node })
      return
    }
    case "accept":
      into.push({ ...condition, to: "accept" })
      return
    case "dead":
      return
    case "fork":
      for (const it of node.targets) collect(it, condition, collection)
      return
    case "loop":
      if (entered.has(node)) return
      collect(node.body, condition, { ...collection, entered: new Set([...entered, node]) })
      collect(node.next, condition, collection)
      return
    case "assert":
      for (const option of node.options) {
        const before = condition.before & option.before
        const after = condition.after & option.after
        const isSure = condition.isSure && option.isSure
        if (before !== 0n && after !== 0n) collect(node.next, { before, after, isSure }, collection)
      }
  }
}

class PatternAutomaton implements Automaton {
  readonly states: State[] = []
  readonly symbols: readonly number[]
  readonly #follows: readonly (readonly Follow[])[]
  readonly #alphabet: Alphabet
  readonly #byPosition = new Map<string, State>()
  readonly #positions: number[] = []
  /** By state and symbol, in one list: the proofs look them up millions of times. */
  readonly #edges: (readonly Edge[] | undefined)[] = []
  readonly #steps: (readonly State[] | undefined)[] = []
  readonly #next = new Map<State, readonly Edge[]>()

  constructor(
    first: readonly Follow[],
    follows: readonly (readonly Follow[])[],
    alphabet: Alphabet,
  ) {
    this.#follows = follows
    this.#alphabet = alphabet
    this.symbols = alphabet.symbols
    for (const symbol of this.symbols) {
      for (const state of first) {
        const matches = (state.before & alphabet.start) !== 0n && (state.after & bit(symbol)) !== 0n
        if (matches && state.to !== "accept") this.#state(state.to, symbol)
      }
    }
    for (const state of this.states) this.next(state)
  }

  readonly next = (state: State): readonly Edge[] => {
    const edges =
      this.#next.get(state) ?? this.symbols.flatMap((symbol) => this.edges(state, symbol))
    this.#next.set(state, edges)
    return edges
  }

  step(state: State, symbol: number): readonly State[] {
    return (this.#steps[this.#indexOf(state, symbol)] ??= this.edges(state, symbol).map(
      ({ to }) => to,
    ))
  }

  edges(state: State, symbol: number): readonly Edge[] {
    return (this.#edges[this.#indexOf(state, symbol)] ??= this.#readEdges(state, symbol))
  }

  #indexOf(state: State, symbol: number): number {
    return state.id * this.symbols.length + symbol
  }

  #readEdges(state: State, symbol: number): readonly Edge[] {
    const edges = new Map<Reads, Edge>()
    for (const next of this.#followsOf(state)) {
      const matches = (next.before & bit(state.symbol)) !== 0n && (next.after & bit(symbol)) !== 0n
      if (!matches || next.to === "accept") continue
      const same = edges.get(next.to)
      edges.set(next.to, {
        to: this.#state(next.to, symbol),
        ways: (same?.ways ?? 0) + 1,
        isSure: next.isSure || (same?.isSure ?? false),
      })
    }
    return [...edges.values()]
  }

  accepts(state: State, symbol: number | "end"): boolean {
    const after = symbol === "end" ? this.#alphabet.end : bit(symbol)
    return this.#followsOf(state).some(
      (it) =>
        it.to === "accept" &&
        it.isSure &&
        (it.before & bit(state.symbol)) !== 0n &&
        (it.after & after) !== 0n,
    )
  }

  #followsOf(state: State): readonly Follow[] {
    return this.#follows[this.#positions[state.id] ?? -1] ?? []
  }

  #state(node: Reads, symbol: number): State {
    const key = `${node.id} ${symbol}`
    const stored = this.#byPosition.get(key)
    if (stored !== undefined) return stored
    const state = { id: this.states.length, symbol, raw: node.raw, isSearch: node.raw === "" }
    this.states.push(state)
    this.#positions.push(node.id)
    this.#byPosition.set(key, state)
    return state
  }
}
