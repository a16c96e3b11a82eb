import { formatUsd, truncate } from "#ground/base"
import type { AgentEvent, Message, PipelineEvent } from "#ground/contract"
import type { BodyOf, RunState } from "./state.ts"

const TRANSCRIPT_CHARACTERS = 200_000

type TranscriptMessage = Pick<Message, "type" | "role" | "content"> & {
  readonly event?: AgentEvent
}

/** One turn, each step an activity, each text with its own id. Reads only events of this run. */
export function transcriptOf(state: RunState, events: readonly PipelineEvent[]): Message[] {
  const open = new Set<string>()
  const messages: Message[] = []
  for (const event of events) {
    for (const draft of draftsOf(state, event, open)) {
      const { event: content, ...message } = draft
      const seq = messages.length + 1
      messages.push({
        ...message,
        id: `${state.id}-${event.seq}-${seq}`,
        seq,
        timestamp: event.at,
        metadata: content === undefined ? { runId: state.id } : { runId: state.id, event: content },
      })
    }
  }
  return messages
}

function draftsOf(
  state: RunState,
  { body }: PipelineEvent,
  open: Set<string>,
): readonly TranscriptMessage[] {
  switch (body.type) {
    case "run_started":
      return [
        { type: "user", role: "user", content: cutMessage(body.query) },
        system(`${body.agent} began`, { event: "turn.started" }),
      ]
    case "substep":
      return body.phase === "started" ? [stepBegun(body, open)] : stepEnded(body, open)
    case "stage_started":
      return [...closed(open), system(`${titleOf(state, body.stage)}${againOf(body)}`)]
    case "stage_output":
      return [assistantMessage("assistant", `${titleOf(state, body.stage)}: ${body.summary}`)]
    case "pause_requested":
      return [
        ...closed(open),
        system(`Paused after ${titleOf(state, body.stage)}: ${body.question}`),
      ]
    case "run_completed":
      return [...closed(open), ended(body)]
    case "said":
      return [
        { type: "user", role: "user", content: cutMessage(body.message) },
        assistantMessage("assistant", body.answer),
      ]
    case "error":
      return [
        { type: "error", role: "system", content: cutMessage(`${body.message} [${body.code}]`) },
      ]
    default: {
      const text = wordsOf(state, body)
      return text === undefined ? [] : [system(text)]
    }
  }
}

type PlainBody = Exclude<
  PipelineEvent["body"],
  BodyOf<
    | "run_started"
    | "substep"
    | "stage_started"
    | "stage_output"
    | "pause_requested"
    | "run_completed"
    | "said"
    | "error"
  >
>

function wordsOf(state: RunState, body: PlainBody): string | undefined {
  switch (body.type) {
    case "llm_called":
      return undefined
    case "validation_failed":
      return `${titleOf(state, body.stage)} did not pass: ${body.problems.join("; ")}`
    case "repair_started":
      return `Repair ${body.iteration} started`
    case "resumed":
      return `Resumed by ${body.by}${body.note === undefined ? "" : `: ${body.note}`}`
    case "amended":
      return `${titleOf(state, body.stage)} runs again: ${body.text}`
    case "skipped":
      return `${titleOf(state, body.stage)} skipped: ${body.reason}`
    case "breakout_pending":
      return "Leave this run? 1 yes / 2 no"
    case "breakout":
      return `Left with the message: ${body.message}`
    case "budget_warned":
      return `${formatUsd(body.spentUsd)} of ${formatUsd(body.budgetUsd)} spent (${body.scope})`
    case "budget_exceeded":
      return `The budget of ${formatUsd(body.budgetUsd)} is spent (${body.scope})`
    default:
      return body satisfies never
  }
}

function stepBegun(body: BodyOf<"substep">, open: Set<string>): TranscriptMessage {
  open.add(body.activityId)
  return {
    type: "tool",
    role: "assistant",
    content: cutMessage(body.title),
    event: beginning(body),
  }
}

function beginning({ activityId, parentId, kind, tool, title }: BodyOf<"substep">): AgentEvent {
  const parent = parentId === undefined ? {} : { parentId }
  return { event: "activity.started", activityId, ...parent, kind, tool, title, input: "" }
}

function stepEnded(body: BodyOf<"substep">, open: Set<string>): readonly TranscriptMessage[] {
  const { activityId, outcome = "done", detail = "", durationMs, tokens } = body
  const isWhole = open.delete(activityId)
  const end: TranscriptMessage = {
    type: "tool",
    role: "tool",
    content: cutMessage(detail),
    event: {
      event: "activity.ended",
      activityId,
      outcome: outcome === "noted" ? "done" : outcome,
      output: "",
      ...(durationMs === undefined ? {} : { durationMs }),
      ...(tokens === undefined ? {} : { tokens }),
    },
  }
  // Notes and denials are recorded once; as activities they start and end.
  return isWhole
    ? [end]
    : [{ ...end, role: "assistant", content: cutMessage(body.title), event: beginning(body) }, end]
}

function closed(open: Set<string>): readonly TranscriptMessage[] {
  const drafts = [...open].map((activityId): TranscriptMessage => {
    const event: AgentEvent = {
      event: "activity.ended",
      activityId,
      outcome: "stopped",
      output: "",
    }
    return { type: "tool", role: "tool", content: "", event }
  })
  open.clear()
  return drafts
}

function ended(body: BodyOf<"run_completed">): TranscriptMessage {
  const { status } = body
  const outcome = status === "completed" || status === "failed" ? status : "stopped"
  return {
    ...assistantMessage("response", body.reason),
    event: { event: "turn.ended", outcome, text: "", denials: 0 },
  }
}

function againOf({ attempt, iteration }: BodyOf<"stage_started">): string {
  const repair = iteration === 0 ? "" : `, repair ${iteration}`
  return attempt === 1 ? repair : `${repair}, attempt ${attempt}`
}

function titleOf(state: RunState, stage: number): string {
  return state.start.config.stages[stage]?.title ?? `stage ${stage}`
}

function system(content: string, event?: AgentEvent): TranscriptMessage {
  const message = { type: "system", role: "system", content: cutMessage(content) } as const
  return event === undefined ? message : { ...message, event }
}

function assistantMessage(type: "assistant" | "response", content: string): TranscriptMessage {
  return { type, role: "assistant", content: cutMessage(content) }
}

function cutMessage(text: string): string {
  return truncate(text, TRANSCRIPT_CHARACTERS)
}
