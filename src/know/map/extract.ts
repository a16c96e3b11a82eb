import type { Node, QueryMatch } from "web-tree-sitter"
import { compareText } from "#ground/base"
import { type Collected, collect } from "./collect.ts"
import type { FileFacts, ImportFact, Problem, ReferenceFact } from "./facts.ts"
import type { Language } from "./language.ts"
import { LONGEST_NAME_UNITS, MOST_FACTS, MOST_SYNTAX_PROBLEMS } from "./limits.ts"
import { insideOf } from "./ranges.ts"
import { symbolsOf } from "./symbols.ts"

/** Turns the matches of a language's query into what the file says. Same text, same facts. */
export function extract(
  language: Language,
  text: string,
  found: { readonly matches: readonly QueryMatch[]; readonly isCut: boolean },
): FileFacts {
  const collected = collect(found.matches)
  const symbols = symbolsOf(language, text, collected)
  const imports = importsOf(language, collected)
  const references = referencesOf(language, text, collected)
  const isTooMany =
    found.isCut || [symbols, imports, references].some((it) => it.length > MOST_FACTS)
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

function importsOf(language: Language, { imports }: Collected): readonly ImportFact[] {
  const facts = imports.flatMap((statement) =>
    language
      .readImport(statement)
      .filter((it) => it.specifier !== "" && it.specifier.length <= LONGEST_NAME_UNITS)
      .map((it) => ({ ...it, line: statement.startPosition.row + 1 })),
  )
  return facts.toSorted((a, b) => a.line - b.line || compareText(a.specifier, b.specifier))
}

/** Names that are used: no definition's own name, nothing an import already says, once a line. */
function referencesOf(
  { builtins }: Language,
  text: string,
  collected: Collected,
): readonly ReferenceFact[] {
  const names = collected.frames.flatMap((it) => (it.what === "container" ? [] : (it.name ?? [])))
  const isNamed = insideOf([...names, ...collected.declared])
  const isImport = insideOf(collected.imports)
  const lines = new Map<number, Set<string>>()
  const add = (node: Node, isAnyName: boolean) => {
    const { startIndex } = node
    if (!isAnyName && !isCapital(text.charCodeAt(startIndex))) return
    if (isNamed(startIndex) || isImport(startIndex)) return
    const name = text.slice(startIndex, node.endIndex)
    // One letter is a type parameter or a counter.
    if (name.length < 2 || name.length > LONGEST_NAME_UNITS || builtins?.has(name)) return
    const line = node.startPosition.row + 1
    const known = lines.get(line)
    if (known === undefined) lines.set(line, new Set([name]))
    else known.add(name)
  }
  for (const node of collected.references) add(node, true)
  for (const node of collected.capitals) add(node, false)
  return [...lines]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([line, used]) => [...used].toSorted(compareText).map((name) => ({ name, line })))
}

/** A to Z, or beyond ASCII, where telling costs more than it brings. */
function isCapital(unit: number): boolean {
  return (unit >= 65 && unit <= 90) || unit > 127
}

function syntaxProblems(errors: readonly Node[]): readonly Problem[] {
  const lines = [...new Set(errors.map((it) => it.startPosition.row + 1))].toSorted((a, b) => a - b)
  return lines.slice(0, MOST_SYNTAX_PROBLEMS).map((line) => ({ reason: "syntax", line }))
}
