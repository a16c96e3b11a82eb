import type { FileFacts, SymbolFact } from "#know/map"

/** Facts as text, one line each: the format of test/languages/*.facts.txt. */
export function renderFacts(facts: FileFacts): string {
  const lines = [
    ...facts.packages.map((it) => `package ${it}`),
    ...facts.symbols.map(renderSymbol),
    ...[...Map.groupBy(facts.references, (it) => it.line)].map(
      ([line, used]) => `${line} uses ${used.map((it) => it.name).join(" ")}`,
    ),
    ...facts.imports.map(({ line, specifier, names }) =>
      [
        `${line} imports ${specifier}`,
        ...(names === undefined ? [] : [`names ${names.join(" ")}`]),
      ].join(" "),
    ),
    ...facts.problems.map((it) => `${it.line ?? "file"} ${it.reason}`),
  ]
  return `${lines.join("\n")}\n`
}

function renderSymbol(fact: SymbolFact): string {
  const lines =
    fact.fromLine === fact.toLine ? `${fact.fromLine}` : `${fact.fromLine}-${fact.toLine}`
  const name = fact.parent === undefined ? fact.name : `${fact.parent} > ${fact.name}`
  const exported = fact.isExported ? "exported " : ""
  const doc = fact.doc === undefined ? "" : ` | ${fact.doc}`
  return `${lines} ${exported}${fact.kind} ${name} | ${fact.signature}${doc}`
}
