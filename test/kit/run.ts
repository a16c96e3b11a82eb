import type { Run } from "#ground/contract"

/** A run that has ended, whose fields a test may not care about. */
export function madeRun(given: Partial<Run> = {}): Run {
  return {
    id: "run_1",
    type: "codex",
    title: "count the files",
    isTitleOwn: false,
    prompt: "count the files",
    status: "completed",
    cwd: "/theirs",
    model: null,
    mode: "auto",
    sessionId: "s-1",
    hostVersion: null,
    createdAt: 0,
    startedAt: null,
    endedAt: null,
    updatedAt: 0,
    lastSeq: 0,
    turns: 0,
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
    workflow: "in progress",
    isArchived: false,
    origin: "started",
    openApprovals: 0,
    queuedTurns: 0,
    ...given,
  }
}
