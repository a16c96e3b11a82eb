import { createHash } from "node:crypto"
import type { GatewayCarry, GatewayRequest, WireItem, WireKind } from "../src/contract.ts"
import { ROOT } from "./fake-capture-items.ts"
import { runId } from "./fake-runs-tables.ts"
import { WORLD_NOW } from "./fake-world.ts"

/** What went over the wire in the fake world: a run that folds, one that is latched off, a command. */
export const CARRIES: readonly GatewayCarry[] = [
  aCarry("gw_01tariff", {
    run: runId(31),
    mode: "fold",
    hasContent: true,
    requests: 42,
    folds: 10,
    isAlive: true,
  }),
  aCarry("gw_02first", { run: runId(27), mode: "fold", requests: 3, folds: 1, ...latched() }),
  aCarry("gw_03again", { run: runId(27), requests: 2, wire: "openai", startedAt: at(-20) }),
  aCarry("gw_04shell", { title: "claude", requests: 1, host: null }),
]

function latched(): Partial<GatewayCarry> {
  return { latchedOff: "The provider answered 400 to a folded request.", startedAt: at(-40) }
}

function at(minutes: number): number {
  return WORLD_NOW + minutes * 60_000
}

function aCarry(id: string, given: Partial<GatewayCarry>): GatewayCarry {
  return {
    id,
    run: null,
    title: "claude-code",
    host: "claude-code",
    wire: "anthropic",
    mode: "record",
    hasContent: false,
    workingDirectory: ROOT,
    upstream: "https://api.anthropic.com",
    startedAt: at(-6),
    endedAt: null,
    requests: 0,
    folds: 0,
    latchedOff: null,
    isAlive: false,
    ...given,
  }
}

type ItemSpec = readonly [WireKind, WireItem["context"], string, number, Partial<WireItem>?]

export function anItem([kind, context, name, tokens, more = {}]: ItemSpec): WireItem {
  return {
    kind,
    context,
    name,
    sha256: createHash("sha256").update(`${kind} ${name} ${tokens}`).digest("hex"),
    tokens,
    bytes: tokens * 4,
    ...more,
  }
}

const MARKUP = '<img src=x onerror="window.hacked=1">'

/** What every request begins with. */
export const START: readonly WireItem[] = [
  anItem(["prompt", "instructions", "", 3_104]),
  anItem([
    "instructions",
    "instructions",
    `${ROOT}/CLAUDE.md`,
    2_486,
    { isConfirmed: true, path: `${ROOT}/CLAUDE.md` },
  ]),
  anItem([
    "instructions",
    "knowledge",
    `${ROOT}/docs/tariffs.md`,
    1_140,
    { isConfirmed: true, path: `${ROOT}/docs/tariffs.md` },
  ]),
  anItem(["instructions", "instructions", "/fake/path", 96, { isConfirmed: false }]),
  anItem(["memory", "memory", `${ROOT}/MEMORY.md`, 612, { isConfirmed: true }]),
  anItem(["tool", "tools", "Read", 412]),
  anItem(["tool", "tools", "Edit", 655]),
  anItem(["tool", "tools", "Bash", 1_020]),
  anItem(["tool", "tools", "mcp__qm__branch", 388]),
  anItem(["tool", "tools", "mcp__tide__query", 44, { isDeferred: true }]),
  anItem(["skill", "tools", "release-notes", 61]),
  anItem(["server", "tools", "qm", 210]),
  anItem(["environment", "history", "", 148]),
  anItem(["user", "history", "", 58]),
]

const READS = ["quote.ts", "invoice.ts", "rounding.ts", "berth.ts", "surcharges.ts"] as const

const LAZY = anItem([
  "instructions",
  "instructions",
  `${ROOT}/src/tariff/CLAUDE.md`,
  212,
  { isConfirmed: true, why: "with Read src/tariff/quote.ts" },
])
const HOOKED = anItem(["hook", "history", "", 41, { why: "PostToolUse hook" }])

/** What the turn before a request brought: an answer, a call and its result. */
function turn(seq: number): readonly WireItem[] {
  if (seq === 1) return START
  const name = READS[seq % READS.length] ?? "quote.ts"
  const size = seq < 33 ? 11_800 + ((seq * 977) % 2_400) : 190
  return [
    anItem(["thinking", "history", "", 60 + seq]),
    anItem(["call", "history", seq === 33 ? "mcp__qm__return" : "Read", 44 + seq]),
    anItem(["result", "files", seq === 9 ? MARKUP : `src/tariff/${name}`, size + seq]),
    ...(seq % 4 === 0 ? [LAZY, HOOKED] : []),
  ]
}

const RETURNED_AT = 33

/** Everything that request held, in the order of the wire. */
export function itemsOf({
  carry,
  seq,
}: Pick<GatewayRequest, "carry" | "seq">): readonly WireItem[] {
  if (carry !== "gw_01tariff") return START
  const turns = Array.from({ length: seq }, (_, i) => i + 1)
  const isKept = (it: number) => it <= 3 || it > RETURNED_AT || seq < RETURNED_AT
  return turns.filter(isKept).flatMap(turn)
}

function kindsIn(items: readonly WireItem[]): GatewayRequest["kinds"] {
  const sums = new Map<WireItem["context"], number>()
  for (const it of items) sums.set(it.context, (sums.get(it.context) ?? 0) + it.tokens)
  return [...sums].map(([kind, tokens]) => ({ kind, tokens }))
}

type Given = Partial<GatewayRequest> & { readonly carry: string; readonly seq: number }

function aRequest(given: Given): GatewayRequest {
  const items = itemsOf(given)
  const tokens = items.reduce((sum, it) => sum + it.tokens, 0)
  const exact = Math.round(tokens * 1.04)
  const added = turn(given.seq)
  const fresh = Math.min(
    exact,
    added.reduce((sum, it) => sum + it.tokens, 0),
  )
  return {
    run: CARRIES.find((it) => it.id === given.carry)?.run ?? null,
    at: at(-6) + (given.seq - 1) * 8_200,
    route: "messages",
    session: "0a1b2c3d-ses",
    agent: null,
    model: "claude-sonnet-5",
    status: 200,
    outcome: "answered",
    firstByteMs: 620 + ((given.seq * 331) % 900),
    durationMs: 2_100 + ((given.seq * 733) % 4_800),
    sentBytes: tokens * 4,
    forwardedBytes: tokens * 4,
    tokens,
    kinds: kindsIn(items),
    usage: { input: 12, output: 120 + given.seq, cacheRead: exact - fresh, cacheWrite: fresh },
    costUsd: 0.02 + exact * 4e-7,
    added: [...added],
    gone: 0,
    folded: [],
    fallback: null,
    problem: null,
    ...given,
  }
}

const BRANCH = "fb_01callers"

function tariff(seq: number): GatewayRequest {
  const base = { carry: "gw_01tariff", seq }
  const sent = 1_560_000 + seq * 970
  if (seq >= RETURNED_AT) {
    const fold = { branchId: BRANCH, bytes: 1_512_000, tokens: 403_128 }
    const gone = seq === RETURNED_AT ? 87 : 0
    return aRequest({ ...base, sentBytes: sent, folded: [fold], gone })
  }
  if (seq === 12)
    return aRequest({ ...base, outcome: "refused", status: 429, usage: null, costUsd: null })
  if (seq === 20) return aRequest({ ...base, agent: "Explore-1", added: START.slice(0, 2) })
  if (seq === 21)
    return aRequest({ ...base, outcome: "aborted", status: 200, usage: null, firstByteMs: null })
  if (isCount(seq)) return aRequest({ ...base, ...COUNT, durationMs: 18 + seq })
  return aRequest(base)
}

/** Hosts count before they begin and after they were given up. */
function isCount(seq: number): boolean {
  return (seq >= 2 && seq <= 6) || (seq >= 22 && seq <= 24) || seq === 28
}

const COUNT: Partial<GatewayRequest> = {
  route: "count",
  added: [],
  usage: null,
  costUsd: null,
  firstByteMs: 17,
}

export const REQUESTS: readonly GatewayRequest[] = [
  ...Array.from({ length: 42 }, (_, i) => tariff(i + 1)),
  ...[1, 2, 3].map((seq) =>
    aRequest({
      carry: "gw_02first",
      seq,
      at: at(-40) + seq * 9_000,
      ...(seq === 3 ? { fallback: "400 to the folded body; the original followed" } : {}),
    }),
  ),
  ...[1, 2].map((seq) =>
    aRequest({ carry: "gw_03again", seq, at: at(-20) + seq * 9_000, model: MARKUP }),
  ),
  aRequest({
    carry: "gw_04shell",
    seq: 1,
    outcome: "unreachable",
    status: null,
    usage: null,
    costUsd: null,
    firstByteMs: null,
  }),
]
