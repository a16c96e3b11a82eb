import type { ContextPack, PackBuilt, PackFile, PackLeft } from "../../contract.ts"

export function aFile(path: string, of: Partial<PackFile> = {}): PackFile {
  return {
    path,
    form: "full",
    score: 0.5,
    astScore: 0.5,
    semanticScore: null,
    source: "both",
    tokens: 100,
    wholeTokens: 100,
    pieces: [],
    symbols: [],
    reasons: ["words a, b"],
    language: null,
    blobId: "b",
    isPinned: false,
    sentBefore: false,
    redactions: 0,
    ...of,
  }
}

export function aLeft(path: string, of: Partial<PackLeft> = {}): PackLeft {
  return { path, score: 0.3, tokens: 50, why: "no-room", detail: "", reasons: [], ...of }
}

export function aPack(of: Partial<ContextPack> = {}): ContextPack {
  const { files = [], left = [] } = of
  return {
    id: "pk_1",
    task: "fix it",
    role: null,
    budget: 1_000,
    tokens: files.reduce((sum, it) => sum + it.tokens, 0),
    estimator: "o200k",
    scale: null,
    isEmpty: files.length === 0,
    emptyReason: null,
    analysis: { filePaths: [], symbolNames: [], domain: null, action: null, keywords: [] },
    expectation: { recall: 0, curve: [] },
    dependencies: [],
    leftCount: left.length,
    signals: { used: ["words"], missing: [] },
    advice: [],
    records: [],
    notes: [],
    state: {
      digest: "d",
      gitSha: null,
      scannedAt: 0,
      files: 1,
      commits: 0,
      historyProblem: null,
    },
    manifest: { digest: "m", kinds: [], leftTokens: 0, trust: "project", fence: "end" },
    choices: {
      target: [],
      drop: [],
      full: [],
      symbols: [],
      signatures: [],
      mention: [],
      order: [],
    },
    session: null,
    builtAt: 0,
    ...of,
    files,
    left,
  }
}

export function aBuilt(pack: ContextPack, of: Partial<PackBuilt> = {}): PackBuilt {
  const text = "## Context Package\n"
  return { pack, format: "summary", text, textTokens: 4, out: null, ...of }
}
