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

function renderSymbol(it: SymbolFact): string {
  const lines = it.fromLine === it.toLine ? `${it.fromLine}` : `${it.fromLine}-${it.toLine}`
  const name = it.parent === undefined ? it.name : `${it.parent} > ${it.name}`
  const exported = it.isExported ? "exported " : ""
  const doc = it.doc === undefined ? "" : ` | ${it.doc}`
  return `${lines} ${exported}${it.kind} ${name} | ${it.signature}${doc}`
}
