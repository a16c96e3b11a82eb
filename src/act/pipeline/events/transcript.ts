import { formatDuration, formatUsd, truncate } from "#ground/base"
import type { AgentEvent, Message, PipelineEvent, PipelinePause } from "#ground/contract"
import { pauseView } from "./pause.ts"
import { advance } from "./reduce.ts"
import { type BodyOf, begunState, costOf, type RunState } from "./state.ts"
import { documentOf } from "./views.ts"

const TRANSCRIPT_CHARACTERS = 200_000

/** An event has fewer messages: one for each activity that it closes, and a few of its own. */
const MESSAGES_PER_EVENT = 1_000

/** A message for the transcript of the run's session. `order` grows with each message of a run. */
export type SessionMessage = Pick<Message, "type" | "role" | "content" | "metadata"> & {
  readonly order: number
  readonly at: number
}

type MessageDraft = Pick<Message, "type" | "role" | "content"> & {
  readonly event?: AgentEvent
  readonly part?: TranscriptPart
}

/** Marks a message, so that a surface can show a card or links for it. */
type TranscriptPart =
  | { readonly part: "start" | "document" }
  | { readonly part: "pause" | "answer"; readonly pause: string }
  | { readonly part: "end"; readonly status: string; readonly usd: number }

type OpenStage = { readonly id: string; usd: number; tokens: number }

export type Transcript = ReturnType<typeof createTranscript>

/**
 * The messages of a run, event by event: each stage is an activity with its steps inside, a pause
 * is a message, and the document follows once, at the end.
 */
export function createTranscript(id: string) {
  const open = new Set<string>()
  const paid = new Map<string, number>()
  const rounds = new Map<number, number>()
  let stage: OpenStage | undefined
  let state: RunState | undefined

  const idOf = (activity: string): string => `${id}/${activity}`

  function closeSteps(): readonly MessageDraft[] {
    const drafts = [...open].map((it) => ended({ activityId: it, outcome: "stopped" }))
    open.clear()
    return drafts
  }
  function closeStage(how: Pick<ActivityEnd, "outcome">, content: string): readonly MessageDraft[] {
    const steps = closeSteps()
    if (stage === undefined) return steps
    const { id: activityId, usd, tokens } = stage
    stage = undefined
    const figures = { ...(tokens === 0 ? {} : { tokens }), ...(usd === 0 ? {} : { usd }) }
    return [...steps, ended({ activityId, ...how, ...figures }, content)]
  }
  function beginStage(body: BodyOf<"stage_started">, now: RunState): readonly MessageDraft[] {
    const before = closeStage({ outcome: "stopped" }, "")
    // The number of the attempt starts again after an amendment.
    const round = (rounds.get(body.stage) ?? 0) + 1
    rounds.set(body.stage, round)
    const activityId = idOf(`stage-${body.stage + 1}.${round}`)
    stage = { id: activityId, usd: 0, tokens: 0 }
    const title = `${titleOf(now, body.stage)}${againOf(body, round)}`
    return [...before, stageActivity(activityId, title)]
  }
  function endStage(body: BodyOf<"stage_output">, now: RunState): readonly MessageDraft[] {
    if (!body.isCarried) return closeStage({ outcome: "done" }, body.summary)
    const activityId = idOf(`stage-${body.stage + 1}.kept`)
    const title = `${titleOf(now, body.stage)}, output of ${now.start.from?.run ?? "an earlier run"}`
    return [stageActivity(activityId, title), ended({ activityId, outcome: "done" }, body.summary)]
  }
  function step(body: BodyOf<"substep">): readonly MessageDraft[] {
    const activityId = idOf(body.activityId)
    if (body.phase === "started") {
      open.add(activityId)
      return [stepActivity(body, activityId)]
    }
    const isWhole = open.delete(activityId)
    const end = stepEnd(body, activityId)
    // Notes and denials are recorded once; as activities they start and end.
    return isWhole ? [end] : [stepActivity(body, activityId), end]
  }
  function stepActivity({ parentId, kind, tool, title }: BodyOf<"substep">, activityId: string) {
    const parent = parentId === undefined ? stage?.id : idOf(parentId)
    return activity({
      activityId,
      ...(parent === undefined ? {} : { parentId: parent }),
      kind,
      tool,
      title: truncate(`${tool}: ${title}`, 1_000),
    })
  }
  function stepEnd(body: BodyOf<"substep">, activityId: string): MessageDraft {
    const { outcome = "done", detail = "", durationMs, tokens } = body
    const usd = (body.usd ?? 0) + (paid.get(body.activityId) ?? 0)
    paid.delete(body.activityId)
    if (stage !== undefined) {
      stage.usd += usd
      stage.tokens += tokens ?? 0
    }
    const how = {
      activityId,
      outcome: outcome === "noted" ? "done" : outcome,
      ...(durationMs === undefined ? {} : { durationMs }),
      ...(tokens === undefined ? {} : { tokens }),
      ...(usd === 0 ? {} : { usd }),
    } as const
    return ended(how, detail)
  }
  /** Sets `stage` and `open` and returns the messages of one event. */
  function draftsOf(
    body: PipelineEvent["body"],
    now: RunState,
    was: RunState,
  ): readonly MessageDraft[] {
    switch (body.type) {
      case "run_started":
        return [
          { ...user(`@${body.agent} ${body.query}`), part: { part: "start" } },
          system(startText(body, id)),
        ]
      case "substep":
        return step(body)
      case "llm_called":
        paid.set(body.activityId, body.usd ?? 0)
        return []
      case "stage_started":
        return beginStage(body, now)
      case "stage_output":
        return endStage(body, now)
      case "skipped": {
        // A stage that the user leaves out never started.
        const own = stage === undefined ? [] : closeStage({ outcome: "done" }, "skipped")
        return [...own, system(`${titleOf(now, body.stage)} skipped: ${body.reason}`)]
      }
      case "error":
        return [
          ...closeStage({ outcome: "failed" }, body.message),
          { type: "error", role: "system", content: `${body.message} [${body.code}]` },
        ]
      case "pause_requested":
        return [...closeStage({ outcome: "stopped" }, ""), pauseMessage(now)]
      case "run_completed":
        return [...closeStage({ outcome: "stopped" }, ""), ...endMessages(now, body)]
      default:
        return answerDrafts(body, now, was) ?? noteDrafts(body, now)
    }
  }
  return {
    lastSeq: (): number => state?.lastSeq ?? 0,
    take(event: PipelineEvent): readonly SessionMessage[] {
      const was = state
      state = stateWith(state, event, id)
      const drafts = draftsOf(event.body, state, was ?? state)
      return drafts.slice(0, MESSAGES_PER_EVENT).map((it, i) => ({
        type: it.type,
        role: it.role,
        content: truncate(it.content, TRANSCRIPT_CHARACTERS),
        order: event.seq * MESSAGES_PER_EVENT + i,
        at: event.at,
        metadata: {
          pipeline: { id, ...it.part },
          ...(it.event === undefined ? {} : { event: it.event }),
        },
      }))
    },
  }
}

/** Events that damage a run are refused before they are stored. */
function stateWith(state: RunState | undefined, event: PipelineEvent, id: string): RunState {
  if (state === undefined) {
    if (event.body.type !== "run_started") throw new RangeError(`${id} does not begin with a start`)
    return begunState(id, event.body, event.at)
  }
  const next = advance(state, event)
  return next.kind === "state" ? next.state : state
}

type AnswerBody = BodyOf<"resumed" | "amended" | "breakout_pending" | "breakout">

function answerDrafts(
  body: PipelineEvent["body"],
  now: RunState,
  was: RunState,
): readonly MessageDraft[] | undefined {
  if (!isAnswer(body)) return undefined
  const part = { part: "answer", pause: was.pause?.pauseId ?? "" } as const
  switch (body.type) {
    case "resumed": {
      const note = body.note === undefined ? [] : [user(body.note)]
      return [...note, { ...system(`Continued by ${body.by}`), part }]
    }
    case "amended":
      return [
        user(body.text),
        { ...system(`${titleOf(now, body.stage)} runs again with this change`), part },
      ]
    case "breakout_pending":
      return [user(body.message), { ...pauseMessage(now) }]
    case "breakout":
      return [{ ...system("Left by the user; the results are kept"), part }]
    default:
      return body satisfies never
  }
}

function isAnswer(body: PipelineEvent["body"]): body is AnswerBody {
  return ["resumed", "amended", "breakout_pending", "breakout"].includes(body.type)
}

function noteDrafts(body: PipelineEvent["body"], now: RunState): readonly MessageDraft[] {
  switch (body.type) {
    case "validation_failed":
      return [system(`${titleOf(now, body.stage)} did not pass: ${body.problems.join("; ")}`)]
    case "repair_started":
      return [system(`Repair ${body.iteration} started`)]
    case "budget_warned":
      return [
        system(
          `Budget: ${formatUsd(body.spentUsd)} of ${formatUsd(body.budgetUsd)} spent (${body.scope})`,
        ),
      ]
    case "budget_exceeded":
      return [system(`Budget: ${formatUsd(body.budgetUsd)} are spent (${body.scope})`)]
    case "said":
      return [user(body.message), { type: "assistant", role: "assistant", content: body.answer }]
    default:
      return []
  }
}

/** The whole pause as text, for surfaces that cannot show a card. */
function pauseMessage(state: RunState): MessageDraft {
  const pause = pauseView(state)
  if (pause === null) return system("Paused")
  const title = titleOf(state, pause.stage)
  return {
    ...system(`Paused after ${title}: ${pauseText(pause)}`),
    part: { part: "pause", pause: pause.pauseId },
  }
}

function pauseText({ question, lines, choices }: PipelinePause): string {
  return [
    question,
    ...lines.map(({ text, note }, i) => `${i + 1}. ${text}${note === "" ? "" : ` (${note})`}`),
    "Your next message answers:",
    ...choices.map((it) => `${it.key} ${it.word}: ${it.consequence}`),
  ].join("\n")
}

function endMessages(state: RunState, body: BodyOf<"run_completed">): readonly MessageDraft[] {
  const document = documentOf(state)
  const { spentUsd, unknownCalls } = costOf(state)
  const price = unknownCalls > 0 ? ["cost not known completely"] : []
  const facts = [
    formatDuration(state.updatedAt - state.createdAt),
    `${formatUsd(spentUsd)} of ${formatUsd(state.start.budgetUsd)}`,
    ...price,
  ]
  const text = `${state.start.agent} ${state.id} ${END_WORDS[body.status]}: ${body.reason} (${facts.join(", ")})`
  return [
    ...(document === undefined
      ? []
      : [
          {
            type: "assistant",
            role: "assistant",
            content: document.markdown,
            part: { part: "document" },
          } as const,
        ]),
    { ...system(text), part: { part: "end", status: body.status, usd: spentUsd } },
  ]
}

const END_WORDS: Readonly<Record<BodyOf<"run_completed">["status"], string>> = {
  completed: "completed",
  breakout: "was left",
  stopped: "was stopped",
  failed: "failed",
  "over-budget": "ended over budget",
}

function startText(body: BodyOf<"run_started">, id: string): string {
  const from = body.from === null ? "" : `, again from ${body.from.run}`
  return `${body.agent} ${id} started: ${body.depth}, ${body.provider}, at most ${formatUsd(body.budgetUsd)}${from}`
}

type ActivityStart = Omit<Extract<AgentEvent, { event: "activity.started" }>, "event" | "input">
type ActivityEnd = Omit<Extract<AgentEvent, { event: "activity.ended" }>, "event" | "output">

function activity(it: ActivityStart): MessageDraft {
  return {
    type: "tool",
    role: "assistant",
    content: it.title,
    event: { event: "activity.started", ...it, input: "" },
  }
}

function stageActivity(activityId: string, title: string): MessageDraft {
  return activity({ activityId, kind: "stage", tool: "Stage", title })
}

function ended(it: ActivityEnd, content = ""): MessageDraft {
  return {
    type: "tool",
    role: "tool",
    content,
    event: { event: "activity.ended", ...it, output: "" },
  }
}

function againOf({ iteration }: BodyOf<"stage_started">, round: number): string {
  if (iteration > 0) return `, repair ${iteration}`
  return round === 1 ? "" : `, round ${round}`
}

function titleOf(state: RunState, stage: number): string {
  return state.start.config.stages[stage]?.title ?? `stage ${stage}`
}

function system(content: string): MessageDraft {
  return { type: "system", role: "system", content }
}

function user(content: string): MessageDraft {
  return { type: "user", role: "user", content }
}
