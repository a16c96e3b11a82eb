import { type AST, RegExpParser } from "@eslint-community/regexpp"
import {
  type Automaton,
  buildAutomaton,
  hasLoop,
  hasNestedRepetition,
  type NestedRepetition,
  type State,
} from "./pattern-automaton.ts"

/** Products with more states than this are not searched; the pattern counts as not proven. */
const MOST_STATES = 60_000

/**
 * Why a backtracking engine may need more than linear time for a pattern; undefined if it is
 * proven linear. A search tries every start position, so `/\s+$/` is quadratic: after 1,000
 * blanks and a letter, each blank starts its own scan.
 *
 * The proof is on the automaton of the pattern. Two ways to read one repeated text (ambiguity)
 * cost time only if the rest can fail afterwards. A lookahead of several characters counts as
 * uncertain, and what it reads as a scan that can always fail.
 */
export function superlinearReason(source: string, flags: string): string | undefined {
  const pattern = new RegExpParser({ ecmaVersion: 2025 }).parsePattern(source, 0, source.length, {
    unicode: flags.includes("u"),
    unicodeSets: flags.includes("v"),
  })
  const isNested = hasNestedRepetition(pattern)
  return (
    (hasLoop(pattern) ? ambiguity(pattern, flags, "bounded") : undefined) ??
    (isNested ? ambiguity(pattern, flags, "loop") : undefined)
  )
}

function ambiguity(
  pattern: AST.Pattern,
  flags: string,
  nested: NestedRepetition,
): string | undefined {
  const automaton = buildAutomaton(pattern, flags, nested)
  if (typeof automaton === "string") return automaton
  const all = findComponents(automaton.states, automaton.next)
  const failing = new Set(automaton.states.filter((it) => all.isLoop(it) && canFail(automaton, it)))
  // A loop with a state that certainly matches gives up at most one round.
  const loops = findComponents([...failing], (it) =>
    automaton.next(it).filter(({ to }) => failing.has(to)),
  )
  const reason = exponential(automaton, loops)
  return nested === "loop" ? reason : (reason ?? polynomial(automaton, all, loops))
}

const TOO_LARGE = "it has too many states to prove that it is linear"

type Components = {
  readonly states: readonly State[]
  readonly of: ReadonlyMap<State, number>
  isLoop(state: State): boolean
}

/** Strongly connected components by forward and backward reachability; automata are small. */
function findComponents(states: readonly State[], next: Automaton["next"]): Components {
  const of = new Map<State, number>()
  const order: State[] = []
  const visited = new Set<State>()
  for (const start of states) finishOrder(start, { next, visited, order })
  const previous = new Map<State, State[]>()
  for (const from of states) {
    for (const { to } of next(from)) previous.set(to, [...(previous.get(to) ?? []), from])
  }
  let count = 0
  for (const start of order.toReversed()) {
    if (of.has(start)) continue
    count += 1
    // A set that grows while it is read: everything that leads to `start` and has no component yet.
    const members = new Set([start])
    for (const state of members) {
      of.set(state, count)
      const others = (previous.get(state) ?? []).filter((it) => !of.has(it))
      for (const it of others) members.add(it)
    }
  }
  const isLoop = (state: State): boolean =>
    next(state).some(({ to }) => of.get(to) === of.get(state))
  return { states: states.filter(isLoop), of, isLoop }
}

type Walk = {
  readonly next: Automaton["next"]
  readonly visited: Set<State>
  readonly order: State[]
}

function finishOrder(start: State, { next, visited, order }: Walk): void {
  if (visited.has(start)) return
  visited.add(start)
  const stack = [{ state: start, targets: next(start).map(({ to }) => to) }]
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const target = top.targets.pop()
    if (target === undefined) {
      order.push(top.state)
      stack.pop()
    } else if (!visited.has(target)) {
      visited.add(target)
      stack.push({ state: target, targets: next(target).map(({ to }) => to) })
    }
  }
}

function sureStep(state: State, symbol: number, automaton: Automaton): readonly State[] {
  return automaton
    .edges(state, symbol)
    .filter((it) => it.isSure)
    .map(({ to }) => to)
}

/** Whether some text after this state ends without a match. */
function canFail(automaton: Automaton, state: State): boolean {
  const seen = new Set<string>()
  const waiting: (readonly State[])[] = [[state]]
  for (const subset of waiting) {
    for (const symbol of [...automaton.symbols, "end" as const]) {
      if (subset.some((it) => automaton.accepts(it, symbol))) continue
      if (symbol === "end") return true
      const following = [...new Set(subset.flatMap((it) => sureStep(it, symbol, automaton)))]
      if (following.length === 0) return true
      const key = following
        .map((it) => it.id)
        .toSorted((a, b) => a - b)
        .join(" ")
      if (seen.has(key)) continue
      seen.add(key)
      if (seen.size > 300) return true
      waiting.push(following)
    }
  }
  return false
}

/** Two ways from a state back to itself by one text: the number of ways doubles each time. */
function exponential(automaton: Automaton, loops: Components): string | undefined {
  const searched = new Set<number>()
  for (const state of loops.states) {
    const component = loops.of.get(state) ?? 0
    if (searched.has(component)) continue
    searched.add(component)
    const inside = (it: State): boolean => loops.of.get(it) === component
    const result = searchPairs(automaton, state, inside)
    if (result === "too large") return TOO_LARGE
    if (result !== undefined) {
      return `\`${result[0].raw}\` and \`${result[1].raw}\` read the same repeated text (exponential)`
    }
  }
  return undefined
}

function searchPairs(
  automaton: Automaton,
  start: State,
  inside: (state: State) => boolean,
): readonly [State, State] | "too large" | undefined {
  const pairs = new Map<string, readonly [State, State]>()
  const previous = new Map<string, string[]>()
  const waiting: (readonly [State, State])[] = [[start, start]]
  pairs.set(pairKey(start, start), [start, start])
  for (const [left, right] of waiting) {
    const key = pairKey(left, right)
    const twice = left === right ? automaton.next(left).find((it) => it.ways > 1) : undefined
    if (twice !== undefined && inside(twice.to)) return [left, twice.to]
    for (const pair of pairsAfter(automaton, [left, right], inside)) {
      const nextKey = pairKey(...pair)
      previous.set(nextKey, [...(previous.get(nextKey) ?? []), key])
      if (pairs.has(nextKey)) continue
      pairs.set(nextKey, pair)
      waiting.push(pair)
      if (pairs.size > MOST_STATES) return "too large"
    }
  }
  return firstBackTo(pairKey(start, start), pairs, previous)
}

function pairsAfter(
  automaton: Automaton,
  [left, right]: readonly [State, State],
  inside: (state: State) => boolean,
): readonly (readonly [State, State])[] {
  return automaton.symbols.flatMap((symbol) => {
    const rights = automaton.step(right, symbol).filter(inside)
    return automaton
      .step(left, symbol)
      .filter(inside)
      .flatMap((to) => rights.map((other) => [to, other] as const))
  })
}

/** The first pair of different states from which the start can be reached again. */
function firstBackTo(
  start: string,
  pairs: ReadonlyMap<string, readonly [State, State]>,
  previous: ReadonlyMap<string, readonly string[]>,
): readonly [State, State] | undefined {
  const seen = new Set([start])
  for (const key of seen) {
    const pair = pairs.get(key)
    if (pair !== undefined && pair[0] !== pair[1]) return pair
    for (const it of previous.get(key) ?? []) seen.add(it)
  }
  return undefined
}

function pairKey(left: State, right: State): string {
  return `${left.id} ${right.id}`
}

/** A text that repeats in one loop, repeats in a later loop, and also leads from one to the other. */
function polynomial(automaton: Automaton, all: Components, loops: Components): string | undefined {
  const budget = { left: MOST_STATES * 5 }
  for (const last of loops.states) {
    for (const first of all.states) {
      if (first.symbol !== last.symbol || first === last) continue
      if (!overlaps(automaton, { first, last, all, loops, budget })) continue
      const start = first.isSearch ? "each start position" : `\`${first.raw}\``
      return `${start} and \`${last.raw}\` read the same repeated text (polynomial)`
    }
    if (budget.left < 0) return TOO_LARGE
  }
  return undefined
}

type LoopPair = {
  readonly first: State
  readonly last: State
  readonly all: Components
  readonly loops: Components
  readonly budget: { left: number }
}

type Triple = readonly [State, State, State]

function overlaps(automaton: Automaton, pair: LoopPair): boolean {
  const { first, last, budget } = pair
  const size = automaton.states.length
  const seen = new Set<number>()
  const waiting: Triple[] = [[first, first, last]]
  for (const triple of waiting) {
    for (const next of triplesAfter(automaton, triple, pair)) {
      const [one, two, three] = next
      if (one === first && two === last && three === last) return true
      const key = (one.id * size + two.id) * size + three.id
      if (seen.has(key)) continue
      seen.add(key)
      waiting.push(next)
      budget.left -= 1
      if (budget.left < 0) return false
    }
  }
  return false
}

/** The first state stays in its loop, the third in its own, and the second may change over. */
function triplesAfter(
  automaton: Automaton,
  [one, two, three]: Triple,
  { first, last, all, loops }: LoopPair,
): readonly Triple[] {
  return automaton.symbols.flatMap((symbol) => {
    const ones = automaton.step(one, symbol).filter((it) => all.of.get(it) === all.of.get(first))
    if (ones.length === 0) return []
    const threes = automaton
      .step(three, symbol)
      .filter((it) => loops.of.get(it) === loops.of.get(last))
    if (threes.length === 0) return []
    const twos = automaton.step(two, symbol)
    return ones.flatMap((a) => twos.flatMap((b) => threes.map((c): Triple => [a, b, c])))
  })
}
