import type { IndexState, MapEntry, MapLink, MapShow, MapSymbol, MapTree } from "../../contract.ts"

export const STATE: IndexState = {
  digest: "d",
  gitSha: "4e2a19c07b5d",
  scannedAt: Date.UTC(2026, 10, 15, 8, 12),
  files: 12,
  commits: 3,
  historyProblem: null,
}

export function anEntry(path: string, overrides: Partial<MapEntry> = {}): MapEntry {
  return {
    path,
    name: path.slice(path.lastIndexOf("/") + 1),
    kind: "file",
    files: 1,
    symbols: 3,
    tokens: 1_240,
    rank: 0.5,
    ...overrides,
  }
}

export function aTree(entries: readonly MapEntry[], overrides: Partial<MapTree> = {}): MapTree {
  return { folder: "", entries: [...entries], total: entries.length, state: STATE, ...overrides }
}

export function aSymbol(name: string, overrides: Partial<MapSymbol> = {}): MapSymbol {
  return {
    path: "src/rounding.ts",
    name,
    kind: "function",
    signature: `function ${name}(): void`,
    fromLine: 18,
    toLine: 44,
    isExported: true,
    tokens: 312,
    ...overrides,
  }
}

export function aLink(name: string, overrides: Partial<MapLink> = {}): MapLink {
  return { symbol: aSymbol(name), line: 27, hops: 1, confidence: "import", ...overrides }
}

export function aFile(
  overrides: Partial<Extract<MapShow, { kind: "file" }>> = {},
): Extract<MapShow, { kind: "file" }> {
  return {
    kind: "file",
    path: "src/rounding.ts",
    language: "typescript",
    fileClass: "source",
    tokens: 1_120,
    lines: 124,
    rank: 0.83,
    symbols: [aSymbol("roundLine")],
    imports: [],
    importedBy: [],
    changedWith: [],
    problems: [],
    ...overrides,
  }
}

export function aShownSymbol(
  overrides: Partial<Extract<MapShow, { kind: "symbol" }>> = {},
): Extract<MapShow, { kind: "symbol" }> {
  return {
    kind: "symbol",
    symbol: aSymbol("roundLine"),
    others: [],
    callers: [],
    called: [],
    isCut: false,
    ...overrides,
  }
}
