import type { PipelineEventBody } from "#ground/contract"
import { addUsage } from "#ground/tokens"
import type { BodyOf, RunState } from "./state.ts"
import { changed } from "./state.ts"

export function applyWork(
  state: RunState,
  body: BodyOf<"substep" | "llm_called" | "said">,
): RunState {
  switch (body.type) {
    case "substep":
      return body.phase === "started" ? stepBegun(state, body) : stepEnded(state, body)
    case "llm_called":
      return {
        ...changed(state, body.stage, (it) => ({
          spentUsd: it.spentUsd + (body.usd ?? 0),
          unknownCalls: it.unknownCalls + (body.usd === null ? 1 : 0),
          recorded: { ...it.recorded, [body.key]: answerOf(body) },
        })),
        usage: addUsage(state.usage, body.usage),
        hasUnpriced: state.hasUnpriced || hasNoPrice(body),
      }
    case "said":
      return {
        ...state,
        usage: addUsage(state.usage, body.usage),
        said: {
          spentUsd: state.said.spentUsd + (body.usd ?? 0),
          unknownCalls: state.said.unknownCalls + (body.usd === null ? 1 : 0),
          turns: state.said.turns + 1,
        },
      }
    default:
      return body satisfies never
  }
}

function answerOf({ text, value, problem }: BodyOf<"llm_called">) {
  return { kind: "answer", text, value, problem } as const
}

function stepBegun(state: RunState, body: BodyOf<"substep">): RunState {
  const isPaid = isPaidActivity(body.activityId)
  return {
    ...changed(state, body.stage, (it) => ({
      activities: it.activities + 1,
      open: { ...it.open, [body.activityId]: { isPaid } },
    })),
    activities: state.activities + 1,
  }
}

function stepEnded(state: RunState, body: BodyOf<"substep">): RunState {
  const stage = state.stages[body.stage]
  const wasOpen = stage?.open[body.activityId] !== undefined
  const hasResult = body.outcome !== "stopped" && body.outcome !== "denied" && "result" in body
  const isUnknown = isPaidActivity(body.activityId) && isUnpriced(body)
  const ended = changed(state, body.stage, (it) => ({
    // Notes and denials are recorded once, at their end.
    activities: it.activities + (wasOpen ? 0 : 1),
    open: without(it.open, body.activityId),
    spentUsd: it.spentUsd + (body.usd ?? 0),
    unknownCalls: it.unknownCalls + (isUnknown ? 1 : 0),
    recorded: hasResult
      ? { ...it.recorded, [body.key]: { kind: "result", result: body.result } }
      : it.recorded,
  }))
  const activities = state.activities + (wasOpen ? 0 : 1)
  return { ...ended, activities, hasUnpriced: state.hasUnpriced || hasNoPrice(body) }
}

/** The call was made, and no later event will tell its price. */
export function hasNoPrice(
  body: PipelineEventBody,
): body is BodyOf<"llm_called"> | BodyOf<"substep"> {
  return (body.type === "llm_called" || body.type === "substep") && body.usd === null
}

/** Interrupted, failed without a price, or without a known price. A denied call costs nothing. */
function isUnpriced({ outcome, usd }: BodyOf<"substep">): boolean {
  return usd === null || (usd === undefined && (outcome === "stopped" || outcome === "failed"))
}

/** Model calls and agent runs cost money; our own searches do not. */
function isPaidActivity(activityId: string): boolean {
  return /^orch-(?:llm|agent)-/.test(activityId)
}

/** Activities that were open when the process died have an unknown cost. */
export function settleOpen(state: RunState): RunState {
  if (state.stages.every((it) => Object.keys(it.open).length === 0)) return state
  return {
    ...state,
    stages: state.stages.map((stage) => {
      const cut = Object.values(stage.open).filter(({ isPaid }) => isPaid).length
      return { ...stage, open: {}, unknownCalls: stage.unknownCalls + cut }
    }),
  }
}

function without<Value>(
  all: Readonly<Record<string, Value>>,
  key: string,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(all).filter(([it]) => it !== key))
}
