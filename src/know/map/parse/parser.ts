import path from "node:path"
import { Language as Grammar, Parser as TreeParser } from "web-tree-sitter"
import { invariant, readBounded, systemClock, threadCpuMs } from "#ground/base"
import { type FileFacts, type LanguageName, type Problem, withoutFacts } from "../facts.ts"
import { FILE_BUDGET_MS, LARGEST_TEXT_BYTES, LONGEST_LINE_UNITS } from "../limits.ts"
import { GRAMMARS, type PreparedQuery, startEngine } from "./engine.ts"
import { extract } from "./extract.ts"
import { PATTERNS_OF_ALL } from "./language.ts"
import { LANGUAGES } from "./languages.ts"

const LARGEST_GRAMMAR_BYTES = 16_000_000

type Parser = {
  parse(file: SourceText): Promise<FileFacts>
  /** After a fault or an abandoned parse the thread must be replaced. */
  isSpent(): boolean
}
type SourceText = { readonly language: LanguageName; readonly text: string }

/**
 * Grammars are loaded once, on demand. No text makes it throw, but some spend it: all parsers of a
 * thread share one WebAssembly module. A trap corrupts it, and so does freeing an abandoned parse,
 * whose stack is freed recursively ("/*" 100,000 times, as Python). Only a new thread has a new
 * module.
 */
export function createParser(deps: { readonly spentMs?: () => number } = {}): Parser {
  const spentMs = deps.spentMs ?? threadCpuMs
  const passedMs = deps.spentMs ?? systemClock.monotonicMs
  const loaded = new Map<LanguageName, Promise<LoadedParser>>()
  let isSpent = false
  return {
    async parse({ language, text }) {
      invariant(!isSpent, "a spent parser is not used again")
      const problem = problemBefore(text)
      if (problem !== undefined) return withoutFacts(language, problem)
      const loading = loaded.get(language) ?? load(language)
      loaded.set(language, loading)
      const outcome = read(await loading, { language, text }, deadlineOf(spentMs, passedMs))
      if (outcome.kind === "read") return outcome.facts
      isSpent = true
      return withoutFacts(language, { reason: outcome.kind })
    },
    isSpent: () => isSpent,
  }
}

type LoadedParser = { readonly parser: TreeParser; readonly query: PreparedQuery }

async function load(name: LanguageName): Promise<LoadedParser> {
  const file = path.join(GRAMMARS, `${name}.wasm`)
  const [outcome, engine] = await Promise.all([
    readBounded(file, { maxBytes: LARGEST_GRAMMAR_BYTES }),
    startEngine(),
  ])
  invariant(outcome.kind === "read", `grammars/${name}.wasm is a file of the package`)
  const grammar = await Grammar.load(outcome.bytes)
  const parser = new TreeParser().setLanguage(grammar)
  return { parser, query: engine.prepare(parser, `${LANGUAGES[name].query}\n${PATTERNS_OF_ALL}`) }
}

function problemBefore(text: string): Problem | undefined {
  const isLarge = text.length * 3 > LARGEST_TEXT_BYTES
  if (isLarge && Buffer.byteLength(text) > LARGEST_TEXT_BYTES) return { reason: "too-large" }
  const line = lineLongerThan(text, LONGEST_LINE_UNITS)
  return line === undefined ? undefined : { reason: "line-too-long", line }
}

function lineLongerThan(text: string, units: number): number | undefined {
  let line = 1
  for (let from = 0; from < text.length; line++) {
    const newline = text.indexOf("\n", from)
    const end = newline < 0 ? text.length : newline
    if (end - from > units) return line
    from = end + 1
  }
  return undefined
}

type Deadline = { isOver(): boolean }

/**
 * CPU time, so that the same text has the same facts on a busy machine. Reading CPU time took a
 * tenth of all parsing; it never exceeds the elapsed time, which is checked first.
 */
function deadlineOf(spentMs: () => number, passedMs: () => number): Deadline {
  const [spentAtEnd, passedAtEnd] = [spentMs() + FILE_BUDGET_MS, passedMs() + FILE_BUDGET_MS]
  return { isOver: () => passedMs() > passedAtEnd && spentMs() > spentAtEnd }
}

type ReadOutcome =
  | { readonly kind: "read"; readonly facts: FileFacts }
  | { readonly kind: "too-slow" }
  | { readonly kind: "crashed" }

function read(loaded: LoadedParser, file: SourceText, deadline: Deadline): ReadOutcome {
  const { parser, query } = loaded
  const { language, text } = file
  const progressCallback = () => deadline.isOver()
  try {
    const tree = parser.parse(text, null, { progressCallback })
    if (tree === null) return { kind: "too-slow" }
    const matches = query.matchesOf(tree, { text, progressCallback })
    if (deadline.isOver()) return { kind: "too-slow" }
    const facts = extract(LANGUAGES[language], text, matches)
    tree.delete()
    return { kind: "read", facts }
  } catch (error) {
    if (!isParserFault(error)) throw error
    return { kind: "crashed" }
  }
}

function isParserFault(error: unknown): boolean {
  return error instanceof Error && ["RuntimeError", "RangeError"].includes(error.name)
}
