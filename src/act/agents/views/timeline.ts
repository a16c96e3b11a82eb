import type { AgentEvent, AgentsTimeline, Message, RunSpan } from "#ground/contract"
import { eventOf } from "../event-message.ts"
import { titleLine } from "../wire/tool-text.ts"

/** Spans kept while a timeline is folded; when there are so many, they are merged to half of it. */
const MAX_KEPT_SPANS = 8_000

/** Spans of a timeline: more than a person tells apart, few enough to draw without a thought. */
const MAX_SPANS = 400

type Started = Extract<AgentEvent, { event: "activity.started" }>
type Requested = Extract<AgentEvent, { event: "approval.requested" }>

/** A moment of the run: when, and the message that tells of it. */
type Moment = { readonly at: number; readonly seq: number }

type OpenActivity = {
  readonly started: Started
  readonly seq: number
  from: number
  /** Asked about and not yet answered: nobody works on it. */
  isAsked: boolean
}

type OpenWait = Moment & { readonly title: string; readonly activityId: string | undefined }

type State = {
  readonly spans: Spans
  readonly activities: Map<string, OpenActivity>
  readonly waits: Map<string, OpenWait>
  /** Of the first message: what every time is counted from. */
  origin: number | undefined
  last: number
  isTurning: boolean
  modelFrom: Moment | undefined
  /** Several questions at once are waited for together. */
  waitingFrom: number | undefined
  waitedMs: number
}

/**
 * Where the time of a run went, folded page by page: the model works while a turn runs and nothing
 * else does, and the time in which a person is waited for belongs to no tool.
 */
export function createTimeline() {
  const state: State = {
    spans: createSpans(),
    activities: new Map(),
    waits: new Map(),
    origin: undefined,
    last: 0,
    isTurning: false,
    modelFrom: undefined,
    waitingFrom: undefined,
    waitedMs: 0,
  }
  return {
    /** The next messages, in their order. */
    take(messages: readonly Message[]): void {
      for (const message of messages) takeOne(state, message)
    },
    /** `now` is the end of the run once it has ended; what is still open lasts until then. */
    result(now: number): AgentsTimeline {
      const isOpen = state.isTurning || state.activities.size + state.waits.size > 0
      const end = isOpen ? Math.max(now, state.last) : state.last
      const { origin = end, waitingFrom, waitedMs } = state
      return {
        durationMs: end - origin,
        waitedMs: waitedMs + (waitingFrom === undefined ? 0 : end - waitingFrom),
        spans: state.spans.result(openSpans(state, end), origin),
      }
    },
  }
}

function takeOne(state: State, message: Message): void {
  // Clocks are set back now and then; a span never is.
  const at = Math.max(state.last, message.timestamp)
  state.origin ??= at
  const event = eventOf(message)
  if (event !== undefined) follow(state, event, { at, seq: message.seq })
  state.last = at
}

function follow(state: State, event: AgentEvent, moment: Moment): void {
  switch (event.event) {
    case "session.started":
      // A process that died has closed nothing; what it left ended with its last word.
      closeAll(state, { ...moment, at: state.last })
      break
    case "turn.started":
      state.isTurning = true
      break
    case "turn.ended":
      closeAll(state, moment)
      break
    case "activity.started":
      beginActivity(state, event, moment)
      break
    case "activity.ended":
      endActivity(state, event.activityId, moment)
      break
    case "approval.requested":
      beginWait(state, event, moment)
      break
    case "approval.resolved":
      endWait(state, event.approvalId, moment)
      break
    case "error":
      if (event.isFatal) closeAll(state, moment)
      break
    default:
      break
  }
  turnModel(state, moment)
}

function beginActivity(state: State, started: Started, { at, seq }: Moment): void {
  endActivity(state, started.activityId, { at, seq })
  state.activities.set(started.activityId, { started, seq, from: at, isAsked: false })
}

function endActivity(state: State, id: string, { at }: Moment): void {
  const open = state.activities.get(id)
  if (open === undefined) return
  if (!open.isAsked) state.spans.add(activitySpan(open, at))
  state.activities.delete(id)
}

function beginWait(state: State, event: Requested, { at, seq }: Moment): void {
  const { approvalId, activityId, title } = event
  if (state.waits.has(approvalId)) return
  state.waits.set(approvalId, { at, seq, title, activityId })
  state.waitingFrom ??= at
  const about = activityId === undefined ? undefined : state.activities.get(activityId)
  if (about === undefined || about.isAsked) return
  if (at > about.from) state.spans.add(activitySpan(about, at))
  about.isAsked = true
}

function endWait(state: State, id: string, { at }: Moment): void {
  const wait = state.waits.get(id)
  if (wait === undefined) return
  state.spans.add(waitSpan(wait, at))
  state.waits.delete(id)
  resume(state, wait.activityId, at)
  if (state.waits.size > 0 || state.waitingFrom === undefined) return
  state.waitedMs += at - state.waitingFrom
  state.waitingFrom = undefined
}

/** The tool works on, unless something else is still asked about it. */
function resume(state: State, activityId: string | undefined, at: number): void {
  const about = activityId === undefined ? undefined : state.activities.get(activityId)
  if (about === undefined) return
  const isStillAsked = [...state.waits.values()].some((it) => it.activityId === activityId)
  if (isStillAsked) return
  about.isAsked = false
  about.from = at
}

function closeAll(state: State, moment: Moment): void {
  for (const id of state.waits.keys()) endWait(state, id, moment)
  for (const id of state.activities.keys()) endActivity(state, id, moment)
  if (state.modelFrom !== undefined) endModel(state, moment.at)
  state.isTurning = false
}

/** The model begins or stops being the one that works. */
function turnModel(state: State, moment: Moment): void {
  const isModel = state.isTurning && state.activities.size + state.waits.size === 0
  if (isModel) state.modelFrom ??= moment
  else if (state.modelFrom !== undefined) endModel(state, moment.at)
}

function endModel(state: State, at: number): void {
  const from = state.modelFrom
  if (from !== undefined && at > from.at) state.spans.add(modelSpan(from, at))
  state.modelFrom = undefined
}

function openSpans(state: State, end: number) {
  const { modelFrom, activities, waits } = state
  const working = [...activities.values()].filter((it) => !it.isAsked)
  return [
    ...(modelFrom === undefined ? [] : [modelSpan(modelFrom, end)]),
    ...working.map((it) => activitySpan(it, end)),
    ...[...waits.values()].map((it) => waitSpan(it, end)),
  ]
}

function modelSpan({ at, seq }: Moment, to: number) {
  return closed({ lane: "model", title: "Model", from: at, to, seq })
}

function waitSpan({ at, seq, title }: OpenWait, to: number) {
  return closed({ lane: "waiting", title, from: at, to, seq })
}

function activitySpan({ started, seq, from }: OpenActivity, to: number) {
  const { kind, title } = started
  const lane = kind === "agent" ? "branches" : "tools"
  return closed({ lane, kind, title, from, to, seq })
}

/** A piece of a run's time, by the clock. Several that were merged are one, with their number. */
type Span = Pick<RunSpan, "lane" | "kind" | "title" | "seq"> & {
  readonly from: number
  readonly to: number
  readonly count: number
}

type Spans = ReturnType<typeof createSpans>

function closed(span: Omit<Span, "count">): Span {
  return { ...span, title: titleLine(span.title), count: 1 }
}

/**
 * The spans of a run so far. They are merged whenever there are too many to keep, by their number
 * and never by the page they came in, so that pages of any size give the same.
 */
function createSpans() {
  let kept: readonly Span[] = []
  let fresh: Span[] = []
  return {
    add(span: Span): void {
      fresh.push(span)
      if (kept.length + fresh.length < MAX_KEPT_SPANS) return
      kept = merged([...kept, ...fresh], MAX_KEPT_SPANS / 2)
      fresh = []
    },
    /** At most `MAX_SPANS`, the open ones among them, counted from the beginning of the run. */
    result(open: readonly Span[], origin: number): RunSpan[] {
      return merged([...kept, ...fresh, ...open], MAX_SPANS)
        .toSorted((a, b) => a.from - b.from || a.seq - b.seq)
        .map((span) => shown(span, origin))
    },
  }
}

function shown({ lane, kind, title, from, to, seq, count }: Span, origin: number): RunSpan {
  const isOne = count === 1 || lane === "model"
  return {
    lane,
    ...(kind === undefined ? {} : { kind }),
    title: isOne ? title : `${title} and ${count - 1} more`,
    fromMs: from - origin,
    toMs: to - origin,
    seq,
  }
}

/**
 * So few that at most `most` are left. The run is cut into ever wider slices until the short ones of
 * one lane and kind that begin in the same slice, taken as one, are few enough; what is longer than
 * a slice stays by itself, so that a long wait or a slow tool is seen in the longest run.
 */
function merged(spans: readonly Span[], most: number): readonly Span[] {
  if (spans.length <= most) return spans
  const from = spans.reduce((least, it) => Math.min(least, it.from), Number.POSITIVE_INFINITY)
  const to = spans.reduce((end, it) => Math.max(end, it.to), from)
  const lanes = [...Map.groupBy(spans, (it) => `${it.lane} ${it.kind ?? ""}`).values()]
  let sliceMs = Math.max(1, (to - from) / most / BUSY_LANES)
  for (;;) {
    const left = lanes.flatMap((lane) => inSlices(lane, sliceMs))
    if (left.length <= most) return left
    sliceMs *= WIDER
  }
}

/** Lanes and kinds that a long run really uses; each has its spans in a slice. */
const BUSY_LANES = 4

/** A few steps are enough, and little more is merged than must be. */
const WIDER = 1.5

function inSlices(lane: readonly Span[], sliceMs: number): readonly Span[] {
  const long = lane.filter((it) => it.to - it.from >= sliceMs)
  const short = new Map<number, Span>()
  for (const span of lane) {
    if (span.to - span.from >= sliceMs) continue
    const slice = Math.floor(span.from / sliceMs)
    const before = short.get(slice)
    short.set(slice, before === undefined ? span : joined(before, span))
  }
  return [...long, ...short.values()]
}

function joined(a: Span, b: Span): Span {
  const first = a.seq <= b.seq ? a : b
  const [from, to] = [Math.min(a.from, b.from), Math.max(a.to, b.to)]
  return { ...first, from, to, count: a.count + b.count }
}
