import type { Run } from "../../contract.ts"

/** A run as the contract has it, with what a test is about. */
export function aRun(given: Partial<Run> = {}): Run {
  return {
    id: "rn_1",
    type: "claude-code",
    title: "Port the clock",
    isTitleOwn: false,
    prompt: "Port the clock",
    status: "completed",
    cwd: "/r",
    model: "sonnet",
    mode: "ask",
    sessionId: null,
    hostVersion: null,
    createdAt: 0,
    startedAt: 0,
    endedAt: null,
    updatedAt: 0,
    lastSeq: 12,
    turns: 1,
    error: null,
    cost: {
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      reportedUsd: null,
      computedUsd: null,
    },
    budgetUsd: null,
    budgetTokens: null,
    contextUsed: null,
    contextWindow: null,
    labels: [],
    workflow: "todo",
    isArchived: false,
    origin: "started",
    openApprovals: 0,
    queuedTurns: 0,
    ...given,
  }
}
