import type { AgentEvent, Approval, Message, Run } from "../../contract.ts"

export function aMessage(seq: number, overrides: Partial<Message> = {}): Message {
  return {
    id: `msg_${seq}`,
    seq,
    type: "system",
    role: "system",
    content: "",
    timestamp: seq * 1_000,
    metadata: {},
    ...overrides,
  }
}

export function anEvent(seq: number, event: AgentEvent | { event: string }, content = ""): Message {
  return aMessage(seq, { content, metadata: { event } })
}

export const started = (seq: number, activityId: string, more: object = {}): Message =>
  anEvent(seq, {
    event: "activity.started",
    activityId,
    kind: "read",
    tool: "Read",
    title: `Read ${activityId}`,
    input: "",
    ...more,
  })

export const ended = (seq: number, activityId: string, more: object = {}): Message =>
  anEvent(seq, { event: "activity.ended", activityId, outcome: "done", output: "", ...more })

export function anApproval(id: string, overrides: Partial<Approval> = {}): Approval {
  return {
    id,
    runId: "rn_1",
    tool: "Bash",
    title: "Run a command",
    input: JSON.stringify({ command: "npm test" }),
    digest: "d",
    path: null,
    cwd: "/r",
    status: "open",
    requestedAt: 0,
    expiresAt: 600_000,
    answeredAt: null,
    answeredBy: null,
    note: null,
    ...overrides,
  }
}

export function aRun(overrides: Partial<Run> = {}): Run {
  return {
    id: "rn_1",
    type: "claude-code",
    title: "Make quotes agree",
    isTitleOwn: false,
    prompt: "Make quotes agree",
    startedBy: null,
    status: "running",
    cwd: "/r",
    model: "sonnet",
    mode: "ask",
    sessionId: "ses",
    hostVersion: null,
    createdAt: 0,
    startedAt: 0,
    endedAt: null,
    updatedAt: 0,
    lastSeq: 1,
    turns: 1,
    error: null,
    cost: {
      usage: { input: 10, output: 2, cacheRead: 0, cacheWrite: 0 },
      reportedUsd: 0.84,
      computedUsd: 0.8,
    },
    budgetUsd: 2,
    budgetTokens: null,
    contextUsed: 62_400,
    contextWindow: 200_000,
    labels: [],
    workflow: "todo",
    isArchived: false,
    origin: "started",
    openApprovals: 0,
    queuedTurns: 0,
    ...overrides,
  }
}
