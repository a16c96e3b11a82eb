import { z } from "zod"
import { isSymbolKind, LANGUAGE_NAMES } from "../../facts.ts"
import { type Counts, joinSegments } from "../text-segments.ts"
import type { Content, ContentSymbol } from "../types.ts"

const Count = z.number()
const Reason = z.enum(["too-large", "line-too-long", "too-slow", "too-many", "syntax", "crashed"])
const StoredFacts = z.object({
  language: z.string().nullable(),
  packages: z.array(z.string()).readonly(),
  problems: z.array(z.tuple([Reason, Count])),
  symbols: z.object({
    name: z.array(z.string()),
    kind: z.array(z.string()),
    parent: z.array(z.string().nullable()),
    signature: z.array(z.string()),
    doc: z.array(z.string().nullable()),
    from: z.array(Count),
    to: z.array(Count),
    exported: z.array(Count),
  }),
  segments: z.object({ to: z.array(Count), symbol: z.array(Count) }),
  names: z.array(z.string()),
  references: z.array(Count),
  imports: z.array(z.tuple([z.string(), Count, z.array(z.string()).readonly().nullable()])),
})
type StoredFactsJson = z.output<typeof StoredFacts>

const StoredCounts = z.object({
  segments: z.array(Count),
  symbols: z.array(Count),
  signatures: z.array(Count),
})

type StoredContent = {
  readonly number: number
  readonly blobId: string
  readonly facts: Uint8Array
  readonly counts: string
}

export function decodeFacts({ number, blobId, facts, counts }: StoredContent): Content {
  const stored = StoredFacts.parse(JSON.parse(new TextDecoder().decode(facts)))
  const tokens = StoredCounts.parse(JSON.parse(counts))
  return {
    number,
    blobId,
    language: LANGUAGE_NAMES.find((it) => it === stored.language),
    packages: stored.packages,
    problems: stored.problems.map(([reason, line]) => ({ reason, ...(line > 0 && { line }) })),
    symbols: symbolsOf(stored.symbols, tokens),
    segments: joinSegments(stored.segments.to, stored.segments.symbol, tokens.segments),
    references: referencesOf(stored),
    imports: stored.imports.map(([specifier, line, names]) => ({
      specifier,
      line,
      ...(names !== null && { names }),
    })),
  }
}

function symbolsOf(columns: StoredFactsJson["symbols"], counts: Counts): readonly ContentSymbol[] {
  return columns.name.map((name, at): ContentSymbol => {
    const [parent, doc] = [columns.parent[at] ?? undefined, columns.doc[at] ?? undefined]
    return {
      name,
      kind: kindOf(columns.kind[at]),
      ...(parent !== undefined && { parent }),
      signature: columns.signature[at] ?? "",
      fromLine: columns.from[at] ?? 1,
      toLine: columns.to[at] ?? 1,
      isExported: columns.exported[at] === 1,
      ...(doc !== undefined && { doc }),
      tokens: counts.symbols[at] ?? 0,
      signatureTokens: counts.signatures[at] ?? 0,
    }
  })
}

function kindOf(stored = ""): ContentSymbol["kind"] {
  return isSymbolKind(stored) ? stored : "function"
}

function referencesOf({ names, references }: StoredFactsJson) {
  return Array.from({ length: references.length / 2 }, (_, at) => ({
    name: names[references[at * 2] ?? 0] ?? "",
    line: references[at * 2 + 1] ?? 1,
  }))
}
