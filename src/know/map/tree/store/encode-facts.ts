import type { FileFacts } from "../../facts.ts"
import type { Cuts } from "../text-segments.ts"

export type TextFacts = Omit<FileFacts, "language"> & { readonly language: string | null }

/**
 * One list per field: a list of numbers is parsed ten times as fast as a list of objects. Apart
 * from decoding, because it runs on the threads, which load no schema.
 */
export function encodeFacts(facts: TextFacts, cuts: Cuts): Uint8Array {
  const { symbols, references, imports } = facts
  const names = [...new Set(references.map((it) => it.name))]
  const places = new Map(names.map((name, index) => [name, index]))
  const text = JSON.stringify({
    language: facts.language,
    packages: facts.packages,
    problems: facts.problems.map((it) => [it.reason, it.line ?? 0]),
    symbols: {
      name: symbols.map((it) => it.name),
      kind: symbols.map((it) => it.kind),
      parent: symbols.map((it) => it.parent ?? null),
      signature: symbols.map((it) => it.signature),
      doc: symbols.map((it) => it.doc ?? null),
      from: symbols.map((it) => it.fromLine),
      to: symbols.map((it) => it.toLine),
      exported: symbols.map((it) => (it.isExported ? 1 : 0)),
    },
    segments: { to: cuts.ends, symbol: cuts.owners },
    names,
    references: references.flatMap((it) => [places.get(it.name) ?? 0, it.line]),
    imports: imports.map((it) => [it.specifier, it.line, it.names ?? null]),
  })
  return new TextEncoder().encode(text)
}
