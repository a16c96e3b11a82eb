import { compareText } from "#ground/base"
import type { SearchNames, SymbolKind } from "#ground/contract"
import { readContents } from "../graph/sources.ts"
import type { Content, IndexedFile, IndexedTree } from "../tree/types.ts"
import type { Redact } from "./describe.ts"

/** About 40 MB in memory; larger repositories find the first symbols by path. */
const MOST_SYMBOLS = 300_000

type NamedSymbol = {
  readonly path: string
  readonly name: string
  readonly lower: string
  readonly kind: SymbolKind
  readonly parent: string | undefined
  readonly fromLine: number
  readonly isExported: boolean
  readonly isSource: boolean
}

type NamesInput = { readonly text: string; readonly limit: number; readonly redact: Redact }

/** Finds names in the stored tree. The symbols of one revision are read once. */
export function createNameSearch() {
  let cached: {
    readonly revision: number
    readonly symbols: Promise<readonly NamedSymbol[]>
  } | null = null
  const symbolsOf = (tree: IndexedTree) => {
    if (cached?.revision !== tree.revision) {
      const symbols = readSymbols(tree)
      const entry = { revision: tree.revision, symbols }
      cached = entry
      // A failed read is tried again by the next call.
      symbols.catch(() => (cached = cached === entry ? null : cached))
    }
    return cached.symbols
  }
  return async (tree: IndexedTree, { text, limit, redact }: NamesInput): Promise<SearchNames> => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean)
    const symbols = await symbolsOf(tree)
    if (words.length === 0) return { files: [], symbols: [], isScanned: true }
    return {
      files: best(tree.files, limit, (it) => scorePath(it.path.toLowerCase(), words)).map(
        ({ path, tokens }) => ({ path, tokens }),
      ),
      symbols: best(symbols, limit, (it) => scoreSymbol(it, words)).map((it) => ({
        path: it.path,
        name: redact(it.name),
        kind: it.kind,
        ...(it.parent !== undefined && { parent: redact(it.parent) }),
        fromLine: it.fromLine,
      })),
      isScanned: true,
    }
  }
}

async function readSymbols(tree: IndexedTree): Promise<readonly NamedSymbol[]> {
  const filesByContent = Map.groupBy(tree.files, (it) => it.content)
  const symbols: NamedSymbol[] = []
  for await (const content of readContents(tree, [...filesByContent.keys()])) {
    const files = filesByContent.get(content.number) ?? []
    for (const file of files) symbols.push(...symbolsIn(file, content))
    if (symbols.length >= MOST_SYMBOLS) return symbols
  }
  return symbols
}

function symbolsIn({ path, fileClass }: IndexedFile, { symbols }: Content): NamedSymbol[] {
  const isSource = fileClass === "source"
  return symbols.map(({ name, kind, parent, fromLine, isExported }) => {
    return { path, name, lower: name.toLowerCase(), kind, parent, fromLine, isExported, isSource }
  })
}

/** Best score first, then shorter path, then path; without a full sort of all matches. */
function best<Item extends { readonly path: string }>(
  items: readonly Item[],
  limit: number,
  scoreOf: (item: Item) => number,
): readonly Item[] {
  return items
    .flatMap((item) => {
      const score = scoreOf(item)
      return score === 0 ? [] : [{ item, score }]
    })
    .toSorted(
      (a, b) =>
        b.score - a.score ||
        a.item.path.length - b.item.path.length ||
        compareText(a.item.path, b.item.path),
    )
    .slice(0, limit)
    .map((it) => it.item)
}

/** 0 unless every word occurs. A word at the start of the file name counts most. */
function scorePath(path: string, words: readonly string[]): number {
  const name = path.slice(path.lastIndexOf("/") + 1)
  let total = 0
  for (const word of words) {
    if (name.startsWith(word)) total += 8
    else if (name.includes(word)) total += 4
    else if (path.includes(word)) total += 1
    else return 0
  }
  return total
}

/** 0 unless every word occurs in the name or the path, and at least one in the name. */
function scoreSymbol(symbol: NamedSymbol, words: readonly string[]): number {
  const { lower, isExported, isSource } = symbol
  let total = 0
  let inName = 0
  for (const word of words) {
    if (lower === word) total += 16
    else if (lower.startsWith(word)) total += 8
    else if (lower.includes(word)) total += 4
    else if (symbol.path.toLowerCase().includes(word)) continue
    else return 0
    inName += 1
  }
  return inName === 0 ? 0 : total + (isExported ? 1 : 0) + (isSource ? 1 : 0)
}
