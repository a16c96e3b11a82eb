import type { AgentType, Run, RunConfiguration } from "#ground/contract"
import { TITLE_CHARACTERS } from "./limits.ts"

export type StartInput = {
  readonly type: AgentType
  readonly prompt: string
  readonly configuration: RunConfiguration
}

/** A run before its agent has said anything. */
export function newRun(
  { type, prompt, configuration }: StartInput,
  made: { readonly id: string; readonly cwd: string; readonly at: number },
): Run {
  return {
    id: made.id,
    type,
    title: titleOf(prompt),
    isTitleOwn: false,
    prompt,
    status: "queued",
    cwd: made.cwd,
    model: configuration.model ?? null,
    mode: configuration.mode,
    sessionId: null,
    hostVersion: null,
    createdAt: made.at,
    startedAt: null,
    endedAt: null,
    updatedAt: made.at,
    lastSeq: 0,
    turns: 0,
    error: null,
    cost: {
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      reportedUsd: null,
      computedUsd: null,
    },
    budgetUsd: configuration.budgetUsd ?? null,
    budgetTokens: configuration.budgetTokens ?? null,
    contextUsed: null,
    contextWindow: null,
    labels: [],
    workflow: "in progress",
    isArchived: false,
    openApprovals: 0,
    queuedTurns: 0,
  }
}

function titleOf(prompt: string): string {
  const line = prompt.trim().split("\n")[0] ?? ""
  return line.length <= TITLE_CHARACTERS
    ? line
    : `${line.slice(0, TITLE_CHARACTERS).toWellFormed()}…`
}
