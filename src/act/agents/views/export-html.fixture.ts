import { AgentEvent, type Message, type Run } from "#ground/contract"
import { exportHtml } from "./export-html.ts"

export const RUN: Run = {
  id: "run_1",
  type: "synthetic",
  title: "Total of an empty list",
  isTitleOwn: false,
  prompt: "Fix it",
  status: "completed",
  cwd: "/work/shop",
  model: "synthetic-1",
  mode: "ask",
  sessionId: null,
  hostVersion: null,
  createdAt: 0,
  startedAt: 1_700_000_000_000,
  endedAt: 1_700_000_065_000,
  updatedAt: 0,
  lastSeq: 0,
  turns: 1,
  error: null,
  cost: {
    usage: { input: 14_250, output: 620, cacheRead: 100, cacheWrite: 0 },
    reportedUsd: 0.0521,
    computedUsd: 0.05,
  },
  budgetUsd: null,
  budgetTokens: null,
  contextUsed: null,
  contextWindow: null,
  labels: [],
  workflow: "todo",
  isArchived: false,
  origin: "started",
  startedBy: null,
  openApprovals: 0,
  queuedTurns: 0,
}

type MessageFields = Partial<Message> & { readonly event?: unknown }

export function messages(...fields: readonly MessageFields[]): Message[] {
  return fields.map(({ event, ...rest }, index) => ({
    id: `m${index}`,
    seq: index + 1,
    type: "system",
    role: "system",
    content: "",
    timestamp: 1_700_000_000_000 + index * 1_000,
    metadata: event === undefined ? {} : { event: AgentEvent.parse(event) },
    ...rest,
  }))
}

async function* inPages(all: readonly Message[], size = 100) {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size)
}

export async function pageOf(all: readonly Message[], run: Partial<Run> = {}): Promise<string> {
  const chunks = exportHtml({
    run: { ...RUN, ...run },
    pages: inPages(all),
    exportedAt: 1_700_000_100_000,
  })
  let page = ""
  for await (const chunk of chunks) page += chunk
  return page
}

/** A run with the same text in every position where foreign text can occur. */
export function everywhere(text: string): { readonly all: Message[]; readonly run: Partial<Run> } {
  const id = text === "" ? "a" : text.slice(0, 100)
  const activity = { activityId: id, tool: text, title: text, input: text, path: text }
  return {
    run: { title: text, model: text, cwd: text, error: text, labels: [text] },
    all: messages(
      { type: "user", role: "user", content: text, metadata: { parts: [{ label: text }] } },
      { content: text, event: { event: "session.started", sessionId: id, cwd: text }, raw: text },
      { type: "context", content: text, raw: text },
      { content: text, event: { event: "activity.started", kind: "agent", ...activity } },
      {
        type: "assistant",
        content: text,
        raw: text,
        event: { event: "message", type: "assistant", text: "", parentId: id },
      },
      { type: "tool", content: text, event: { event: "activity.updated", activityId: id } },
      {
        type: "tool",
        content: text,
        event: {
          event: "activity.ended",
          activityId: id,
          outcome: "failed",
          diff: `+++ ${text}\n`,
        },
      },
      {
        type: "assistant",
        content: text,
        event: { event: "message", type: "assistant", text: "" },
      },
      { type: "assistant", content: `> - **${text}** [${text}](${text}) \`${text}\`` },
      { type: "error", content: text },
      { type: "response", content: text, event: { event: "turn.ended", outcome: "stopped" } },
    ),
  }
}
