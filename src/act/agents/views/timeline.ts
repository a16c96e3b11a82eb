import type { AgentEvent, AgentsTimeline, Message, RunSpan } from "#ground/contract"
import { eventOf } from "../event-message.ts"
import { titleLine } from "../wire/tool-text.ts"

/** More than a reader can tell apart, and few enough to draw. */
const MAX_SPANS = 400
const MAX_HELD_SPANS = 8_000

type Span = Pick<RunSpan, "lane" | "kind" | "title" | "seq"> & {
  readonly from: number
  readonly to: number
  readonly count: number
}

type Moment = { readonly at: number; readonly seq: number }

type OpenActivity = {
  readonly started: Extract<AgentEvent, { event: "activity.started" }>
  readonly seq: number
  from: number
  isWaiting: boolean
}

type OpenWait = Moment & { readonly title: string; readonly activityId: string | undefined }

/**
 * Where the time of a run went: the model works while a turn runs and nothing else does; waiting
 * for the user counts for no tool.
 */
export function createTimeline() {
  const spans = createSpans()
  const activities = new Map<string, OpenActivity>()
  const waits = new Map<string, OpenWait>()
  let origin: number | undefined
  let last = 0
  let isInTurn = false
  let modelFrom: Moment | undefined
  let waitingFrom: number | undefined
  let waitedMs = 0

  const isIdle = (): boolean => activities.size + waits.size === 0
  const activityOf = (id: string | undefined) => (id === undefined ? undefined : activities.get(id))

  function endActivity(id: string, at: number): void {
    const open = activities.get(id)
    if (open !== undefined && !open.isWaiting) spans.add(activitySpan(open, at))
    activities.delete(id)
  }
  function beginWait(
    event: Extract<AgentEvent, { event: "approval.requested" }>,
    { at, seq }: Moment,
  ): void {
    const { approvalId, activityId, title } = event
    if (waits.has(approvalId)) return
    waits.set(approvalId, { at, seq, title, activityId })
    waitingFrom ??= at
    const activity = activityOf(activityId)
    if (activity === undefined || activity.isWaiting) return
    if (at > activity.from) spans.add(activitySpan(activity, at))
    activity.isWaiting = true
  }
  function endWait(id: string, at: number): void {
    const wait = waits.get(id)
    if (wait === undefined) return
    spans.add(waitSpan(wait, at))
    waits.delete(id)
    const activity = activityOf(wait.activityId)
    const isStillWaiting = [...waits.values()].some((it) => it.activityId === wait.activityId)
    if (activity !== undefined && !isStillWaiting) {
      activity.isWaiting = false
      activity.from = at
    }
    if (waits.size > 0 || waitingFrom === undefined) return
    waitedMs += at - waitingFrom
    waitingFrom = undefined
  }
  function endModel(at: number): void {
    if (modelFrom !== undefined && at > modelFrom.at) spans.add(modelSpan(modelFrom, at))
    modelFrom = undefined
  }
  function closeAll(at: number): void {
    for (const id of waits.keys()) endWait(id, at)
    for (const id of activities.keys()) endActivity(id, at)
    endModel(at)
    isInTurn = false
  }
  function takeEvent(event: AgentEvent, moment: Moment): void {
    const { at, seq } = moment
    switch (event.event) {
      case "session.started":
        // A process that died has closed nothing: its open spans ended with its last message.
        closeAll(last)
        break
      case "turn.started":
        isInTurn = true
        break
      case "turn.ended":
        closeAll(at)
        break
      case "activity.started":
        endActivity(event.activityId, at)
        activities.set(event.activityId, { started: event, seq, from: at, isWaiting: false })
        break
      case "activity.ended":
        endActivity(event.activityId, at)
        break
      case "approval.requested":
        beginWait(event, moment)
        break
      case "approval.resolved":
        endWait(event.approvalId, at)
        break
      case "error":
        if (event.isFatal) closeAll(at)
        break
      default:
        break
    }
    if (isInTurn && isIdle()) modelFrom ??= moment
    else endModel(at)
  }
  function openSpans(end: number): readonly Span[] {
    const working = [...activities.values()].filter((it) => !it.isWaiting)
    return [
      ...(modelFrom === undefined ? [] : [modelSpan(modelFrom, end)]),
      ...working.map((it) => activitySpan(it, end)),
      ...[...waits.values()].map((it) => waitSpan(it, end)),
    ]
  }
  return {
    take(messages: readonly Message[]): void {
      for (const message of messages) {
        // The clock may be set back; a span never ends before it starts.
        const at = Math.max(last, message.timestamp)
        origin ??= at
        const event = eventOf(message)
        if (event !== undefined) takeEvent(event, { at, seq: message.seq })
        last = at
      }
    },
    result(now: number): AgentsTimeline {
      const end = isInTurn || !isIdle() ? Math.max(now, last) : last
      const from = origin ?? end
      return {
        durationMs: end - from,
        waitedMs: waitedMs + (waitingFrom === undefined ? 0 : end - waitingFrom),
        spans: spans.result(openSpans(end), from),
      }
    },
  }
}

function newSpan(span: Omit<Span, "count">): Span {
  return { ...span, title: titleLine(span.title), count: 1 }
}

function modelSpan({ at, seq }: Moment, to: number): Span {
  return newSpan({ lane: "model", title: "Model", from: at, to, seq })
}

function waitSpan({ at, seq, title }: OpenWait, to: number): Span {
  return newSpan({ lane: "waiting", title, from: at, to, seq })
}

function activitySpan({ started, seq, from }: OpenActivity, to: number): Span {
  const { kind, title } = started
  const lane = kind === "agent" ? "branches" : "tools"
  return newSpan({ lane, kind, title, from, to, seq })
}

/** Merged by count and never by page, so that pages of any size give the same result. */
function createSpans() {
  let spans: readonly Span[] = []
  let added: Span[] = []
  return {
    add(span: Span): void {
      added.push(span)
      if (spans.length + added.length < MAX_HELD_SPANS) return
      spans = merge([...spans, ...added], MAX_HELD_SPANS / 2)
      added = []
    },
    result(open: readonly Span[], origin: number): RunSpan[] {
      return merge([...spans, ...added, ...open], MAX_SPANS)
        .toSorted((a, b) => a.from - b.from || a.seq - b.seq)
        .map(({ lane, kind, title, from, to, seq, count }) => ({
          lane,
          ...(kind === undefined ? {} : { kind }),
          title: count === 1 || lane === "model" ? title : `${title} and ${count - 1} more`,
          fromMs: from - origin,
          toMs: to - origin,
          seq,
        }))
    },
  }
}

/**
 * Merges to at most `most` spans: short ones of one lane and kind that begin in the same time slice
 * become one, with ever wider slices. A span longer than a slice stays, so that a long wait or a
 * slow tool stays visible.
 */
function merge(spans: readonly Span[], most: number): readonly Span[] {
  if (spans.length <= most) return spans
  const from = spans.reduce((least, it) => Math.min(least, it.from), Number.POSITIVE_INFINITY)
  const to = spans.reduce((end, it) => Math.max(end, it.to), from)
  const lanes = [...Map.groupBy(spans, (it) => `${it.lane} ${it.kind ?? ""}`).values()]
  // A long run uses about four combinations of lane and kind.
  let sliceMs = Math.max(1, (to - from) / most / 4)
  for (;;) {
    const left = lanes.flatMap((lane) => mergeSlices(lane, sliceMs))
    if (left.length <= most) return left
    sliceMs *= 1.5
  }
}

function mergeSlices(lane: readonly Span[], sliceMs: number): readonly Span[] {
  const long = lane.filter((it) => it.to - it.from >= sliceMs)
  const short = new Map<number, Span>()
  for (const span of lane) {
    if (span.to - span.from >= sliceMs) continue
    const slice = Math.floor(span.from / sliceMs)
    const before = short.get(slice)
    short.set(slice, before === undefined ? span : mergeTwo(before, span))
  }
  return [...long, ...short.values()]
}

function mergeTwo(a: Span, b: Span): Span {
  const first = a.seq <= b.seq ? a : b
  const [from, to] = [Math.min(a.from, b.from), Math.max(a.to, b.to)]
  return { ...first, from, to, count: a.count + b.count }
}
