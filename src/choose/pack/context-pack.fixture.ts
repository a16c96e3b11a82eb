import type { ContextPack, PackFile } from "#ground/contract"

/** A package of one file with two pieces, as a value. */
export function onePack(said: Partial<ContextPack> = {}): ContextPack {
  return {
    id: "pk_1",
    task: "Round half a cent up",
    role: null,
    budget: 2_000,
    tokens: 40,
    estimator: "claude",
    isEmpty: false,
    emptyReason: null,
    analysis: { filePaths: [], symbolNames: [], domain: null, action: null, keywords: [] },
    files: [ONE_FILE],
    dependencies: [{ from: "src/a.ts", to: "src/half.ts", names: ["half"] }],
    left: [],
    leftCount: 0,
    signals: { used: ["words"], missing: [] },
    advice: [{ guideline: "stay-inside", text: "Stay inside." }],
    notes: [],
    state: {
      digest: "d",
      gitSha: null,
      scannedAt: 1,
      files: 1,
      commits: 0,
      historyProblem: null,
    },
    manifest: {
      digest: "e",
      kinds: [{ kind: "symbols", tokens: 40 }],
      leftTokens: 0,
      trust: "project",
      fence: "qm-fence",
    },
    choices: {
      target: [],
      drop: ["src/b.ts"],
      full: [],
      symbols: ["src/a.ts"],
      signatures: [],
      mention: [],
      order: [],
    },
    session: null,
    builtAt: 7,
    ...said,
  }
}

const ONE_FILE: PackFile = {
  path: "src/a.ts",
  form: "symbols",
  score: 0.9,
  astScore: null,
  semanticScore: 0.9,
  source: "semantic",
  tokens: 40,
  wholeTokens: 300,
  pieces: [
    { fromLine: 1, toLine: 2, text: 'import { half } from "./render/half.ts"\n\n' },
    { fromLine: 10, toLine: 11, text: "const one = half(1)\n// ]]> & <b>\n", symbol: "one" },
  ],
  symbols: ["one"],
  reasons: ["matches 'half' in text"],
  language: "typescript",
  blobId: "0123456789abcdef0123456789abcdef01234567",
  isPinned: false,
  sentBefore: false,
  redactions: 0,
}
