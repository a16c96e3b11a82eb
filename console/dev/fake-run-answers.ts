import type {
  AgentsContext,
  AgentsTimeline,
  AgentsTurns,
  Message,
  RunSpan,
} from "../src/contract.ts"
import { briefly, type FakeTranscripts, LONG, TARIFF } from "./fake-run.ts"
import { userTurn } from "./fake-run-drafts.ts"

type Answer = { readonly status: number; readonly answer: unknown }
type Body = Readonly<Record<string, unknown>>
type Answerer = (world: FakeTranscripts, query: URLSearchParams, body: Body) => unknown

/** The operations on one run's transcript; undefined for every other address. */
export function answerRun(world: FakeTranscripts, url: URL, body: Body): Answer | undefined {
  const answer = ANSWERS[url.pathname]?.(world, url.searchParams, body)
  return answer === undefined ? undefined : { status: 200, answer }
}

const ANSWERS: Readonly<Record<string, Answerer>> = {
  "/api/agents/messages": (world, query) => ({ messages: page(world, query) }),
  "/api/agents/message": (world, query) =>
    world.message(query.get("id") ?? "", Number(query.get("seq"))),
  "/api/agents/timeline": (_world, query) =>
    query.get("id") === TARIFF ? TIMELINE : { durationMs: 0, waitedMs: 0, spans: [] },
  "/api/agents/context": (_world, query) => contextOf(query.get("id") ?? ""),
  "/api/agents/turns": (world, query): AgentsTurns => ({
    turns: world.turns.get(query.get("id") ?? "") ?? [],
    canSteer: true,
  }),
  "/api/agents/parts": () => ({
    parts: [
      { label: "Date and state", text: "It is Sunday.", tokens: 96 },
      { label: "Prior research", text: "Rounding is per line.", tokens: 600 },
      { label: "Memories", text: "The handbook decides.", tokens: 412 },
    ],
  }),
  "/api/agents/send": (world, _query, { id, text }) => {
    world.add(String(id), [userTurn(400_000, String(text))])
    return undefined
  },
  "/api/agents/handoff": () => ({
    text: "# Where it stands\n\nLines are rounded half-even in both places. Open: update docs/tariffs.md.",
    tokens: 1_240,
    run: null,
  }),
  "/api/agents/export": (_world, query) => {
    const text = `<!doctype html><title>${query.get("id")}</title>`
    return { file: null, text, messages: 1, sizeBytes: text.length }
  },
  "/api/agents/drop": (world, _query, { id }) => {
    for (const [run, turns] of world.turns) {
      world.turns.set(
        run,
        turns.filter((it) => it.id !== id),
      )
    }
    return { id }
  },
  "/api/agents/rewrite": (world, _query, { id, text }) => {
    const turns = [...world.turns.values()].find((all) => all.some((it) => it.id === id)) ?? []
    for (const turn of turns) if (turn.id === id) turn.text = String(text)
    return { turns, canSteer: true }
  },
}

function page(world: FakeTranscripts, query: URLSearchParams): readonly (Message | undefined)[] {
  const id = query.get("id") ?? ""
  const limit = Number(query.get("limit") ?? 200)
  const before = query.get("before")
  const last = world.count(id)
  const to = before === null ? last : Math.min(last, Number(before) - 1)
  const after = Number(query.get("after") ?? 0)
  const from = before === null ? after + 1 : Math.max(after + 1, to - limit + 1)
  const seqs = Array.from(
    { length: Math.max(0, Math.min(limit, to - from + 1)) },
    (_, i) => from + i,
  )
  return seqs.map((seq) => briefly(world.message(id, seq)))
}

type Share = readonly [from: number, to: number]

/** Of the whole time, in percent. */
const span = (lane: RunSpan["lane"], [from, to]: Share, more: Partial<RunSpan> = {}): RunSpan => ({
  lane,
  title: "sonnet",
  fromMs: Math.round(from * 3_720),
  toMs: Math.round(to * 3_720),
  seq: 4,
  ...more,
})

const TIMELINE: AgentsTimeline = {
  durationMs: 372_000,
  waitedMs: 132_000,
  spans: [
    span("model", [0, 4]),
    span("model", [9.5, 12.5]),
    span("model", [15, 21]),
    span("model", [44, 49]),
    span("model", [53, 60]),
    span("model", [63, 65]),
    span("tools", [4, 5.2], { kind: "read", title: "Read quote.ts", seq: 5 }),
    span("tools", [5.6, 6.4], { kind: "read", title: "Read invoice.ts", seq: 7 }),
    span("tools", [6.8, 8.4], { kind: "search", title: "Search halfUp(", seq: 15 }),
    span("tools", [49.2, 50.1], { kind: "edit", title: "Edit rounding.ts", seq: 25 }),
    span("tools", [60.4, 62.4], { kind: "command", title: "npm test", seq: 26 }),
    span("waiting", [65.4, 100], { title: "Waiting for you", seq: 27 }),
    span("branches", [21.5, 43.5], {
      kind: "agent",
      title: "Which callers depend on it?",
      seq: 18,
    }),
  ],
}

/** What the newest request of the fake gateway held. */
const WIRE: AgentsContext["wire"] = {
  at: 0,
  carry: "gw_01tariff",
  seq: 42,
  used: 62_400,
  kinds: [
    { kind: "instructions", tokens: 6_100 },
    { kind: "files", tokens: 41_000 },
    { kind: "tools", tokens: 6_900 },
    { kind: "history", tokens: 8_400 },
  ],
  savedTokens: 403_128,
}

const UNKNOWN: AgentsContext = {
  used: null,
  window: null,
  wire: null,
  kinds: [],
  files: [],
  parts: [],
  compactions: [],
  changes: [],
}

function contextOf(id: string): AgentsContext {
  if (id !== TARIFF && id !== LONG) return UNKNOWN
  const file = (path: string, tokens: number, seq: number) => ({
    path,
    reason: "read by a tool",
    tokens,
    seq,
    isThisTurn: true,
    isBeforeCompaction: false,
  })
  return {
    used: 62_400,
    window: 200_000,
    wire: id === TARIFF ? WIRE : null,
    kinds: [
      { kind: "instructions", tokens: 6_100 },
      { kind: "files", tokens: 24_800 },
      { kind: "symbols", tokens: 6_200 },
      { kind: "knowledge", tokens: 3_100 },
      { kind: "memory", tokens: 2_100 },
      { kind: "tools", tokens: 6_900 },
      { kind: "history", tokens: 13_200 },
    ],
    files: [
      file("src/tariff/quote.ts", 4_812, 5),
      file("src/tariff/invoice.ts", 4_390, 7),
      file("src/tariff/rounding.ts", 1_204, 9),
    ],
    parts: [
      { label: "package pk_3, 9 files", tokens: 18_985, pack: "pk_3", seq: 3 },
      { label: "Date and state", tokens: 96, seq: 3 },
      { label: "Memories", tokens: 412, seq: 3 },
    ],
    compactions: [],
    changes: [
      { path: "src/tariff/rounding.ts", added: 3, removed: 2, seq: 25 },
      { path: "src/tariff/invoice.ts", added: 9, removed: 4, seq: 25 },
    ],
  }
}
