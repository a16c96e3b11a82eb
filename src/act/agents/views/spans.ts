import type { RunSpan } from "#ground/contract"
import { oneLine } from "../wire/text.ts"
import { MOST_KEPT_SPANS, MOST_SPANS } from "./limits.ts"

/** A piece of a run's time, by the clock. Several that were merged are one, with their number. */
type Span = Pick<RunSpan, "lane" | "kind" | "title" | "seq"> & {
  readonly from: number
  readonly to: number
  readonly count: number
}

export type Spans = ReturnType<typeof createSpans>

export function closed(span: Omit<Span, "count">): Span {
  return { ...span, title: oneLine(span.title), count: 1 }
}

/**
 * The spans of a run so far. They are merged whenever there are too many to keep, by their number
 * and never by the page they came in, so that pages of any size give the same.
 */
export function createSpans() {
  let kept: readonly Span[] = []
  let fresh: Span[] = []
  return {
    add(span: Span): void {
      fresh.push(span)
      if (kept.length + fresh.length < MOST_KEPT_SPANS) return
      kept = merged([...kept, ...fresh], MOST_KEPT_SPANS / 2)
      fresh = []
    },
    /** At most `MOST_SPANS`, the open ones among them, counted from the beginning of the run. */
    result(open: readonly Span[], origin: number): RunSpan[] {
      return merged([...kept, ...fresh, ...open], MOST_SPANS)
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
