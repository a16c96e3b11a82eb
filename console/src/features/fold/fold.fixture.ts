import type { Branch, FoldTree, TrailEntry } from "../../contract.ts"

export const NOW = Date.UTC(2026, 10, 15, 8, 16)

export function aBranch(id: string, overrides: Partial<Branch> = {}): Branch {
  return {
    id,
    sessionId: "s-1",
    parentId: null,
    depth: 0,
    children: 0,
    description: `What does ${id} do?`,
    prompt: "Read what is needed.",
    scope: [],
    client: "claude-code 2.1.207",
    mode: "sub-agent",
    budgetTotal: 12_000,
    budgetUsed: 9_812,
    charges: [{ source: "hook", charges: 4, tokens: 9_812 }],
    isExhausted: false,
    isLowerBound: false,
    timeoutSeconds: 300,
    deadlineAt: NOW + 60_000,
    status: "completed",
    endReason: "returned",
    isPartial: false,
    result: "Seven callers.",
    resultTokens: 412,
    error: null,
    evidence: [],
    files: [],
    openQuestions: [],
    outOfScope: [],
    progress: null,
    touchedPaths: [],
    injectedMemoryIds: [],
    distillation: null,
    redactions: 0,
    tokensInWindow: 412,
    tokensKeptOut: 9_400,
    createdAt: NOW - 300_000,
    completedAt: NOW - 218_000,
    isArchived: false,
    ...overrides,
  }
}

export const ACTIVE = {
  status: "active",
  endReason: null,
  result: null,
  completedAt: null,
} as const

export function aTree(branches: readonly Branch[]): FoldTree {
  const sessions = Map.groupBy(branches, (it) => it.sessionId)
  return {
    sessions: [...sessions].map(([sessionId, of]) => ({
      sessionId,
      client: of[0]?.client ?? null,
      startedAt: NOW - 600_000,
      budgetUsed: of.reduce((sum, it) => sum + it.budgetUsed, 0),
      tokensInWindow: of.reduce((sum, it) => sum + it.tokensInWindow, 0),
      tokensKeptOut: of.reduce((sum, it) => sum + it.tokensKeptOut, 0),
      branches: [...of],
    })),
  }
}

export function aStep(seq: number, overrides: Partial<TrailEntry> = {}): TrailEntry {
  return {
    seq,
    at: NOW - 300_000 + seq * 1_000,
    kind: "call",
    tool: "search",
    text: "roundLine(\nsrc/quote.ts:41",
    tokens: 604,
    handle: null,
    ...overrides,
  }
}
