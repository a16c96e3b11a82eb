import { visibleLine } from "../../base/format.ts"
import {
  formatCount,
  formatExact,
  type GatewayRequest,
  type ProxiedSession,
  plural,
  type SessionsContext,
} from "../../contract.ts"
import { draftOf, requestsWithResults, resultsIn, resultTokens } from "../../data/hand-fold.ts"
import type { KindTokens } from "../../ui/budget-bar/layout.ts"

export type FoldOffer =
  | {
      readonly kind: "possible"
      /** Requests of the proxied session that have results. */
      readonly requests: readonly GatewayRequest[]
      /** Positions of the turn's requests among them. */
      readonly span: { readonly from: number; readonly to: number }
      readonly effect: FoldEffect
      readonly isAlive: boolean
    }
  | { readonly kind: "impossible"; readonly reason: string; readonly command?: string }

export type FoldEffect = {
  readonly now: KindTokens
  readonly nowTokens: number
  readonly after: KindTokens
  readonly cut: KindTokens
  readonly afterTokens: number
  readonly replaces: string
  readonly cost: string
}

type FoldQuestion = {
  readonly host: string
  /** The session's id of the host. */
  readonly session: string
  readonly turn: number
  readonly context: Pick<SessionsContext, "agent" | "compactions" | "points">
  /** Newest first. */
  readonly proxied: readonly ProxiedSession[]
  /** Of the newest proxied session. */
  readonly requests: readonly GatewayRequest[]
}

/** Whether the results of a turn can leave the window, and what that changes. */
export function foldOffer(question: FoldQuestion): FoldOffer {
  const { host, session, turn, context, proxied } = question
  if (context.agent !== "main") return impossible("Only the main conversation can be folded.")
  const newest = proxied[0]
  if (newest === undefined) return withoutGateway(host)
  const { latchedOff, mode, isAlive } = newest
  if (mode !== "fold") {
    return {
      ...withoutGateway(host),
      reason: "The gateway recorded this session and changes no request.",
    }
  }
  if (latchedOff !== null) {
    const why = visibleLine(latchedOff.trim()).replace(/\.$/, "")
    return impossible(`Folding stopped in this session: ${why}.`)
  }
  const calls = context.points.filter((it) => it.turn === turn)
  const until = calls.at(-1)?.at ?? 0
  const left = context.compactions.find((it) => it.at > until)
  if (calls.length > 0 && left !== undefined) {
    return impossible(`Turn ${turn} left the window at the compaction after turn ${left.turn}.`)
  }
  const from = context.points.findLast((it) => it.turn < turn)?.at ?? 0
  const ofSession = question.requests.filter((it) => it.session === session)
  const requests = requestsWithResults(ofSession, newest.id)
  const isOfTurn = (it: GatewayRequest) => it.at > from && it.at <= until
  const span = { from: requests.findIndex(isOfTurn), to: requests.findLastIndex(isOfTurn) }
  if (span.from < 0) {
    return impossible(`Turn ${turn} brought no tool result through the gateway.`)
  }
  const folded = requests.slice(span.from, span.to + 1)
  return { kind: "possible", requests, span, effect: effectOf(folded, context), isAlive }
}

function impossible(reason: string): Extract<FoldOffer, { readonly kind: "impossible" }> {
  return { kind: "impossible", reason }
}

/** Hosts whose requests the gateway can fold, with the program that it starts. */
const PROGRAMS: Readonly<Record<string, string>> = { "claude-code": "claude", codex: "codex" }

function withoutGateway(host: string): Extract<FoldOffer, { readonly kind: "impossible" }> {
  const program = PROGRAMS[host]
  if (program === undefined) return impossible(`The gateway cannot fold requests of ${host}.`)
  return {
    kind: "impossible",
    reason: "Its requests did not go through the gateway, so nothing can leave its window.",
    command: `qm gateway run --mode fold -- ${program}`,
  }
}

const CHARACTERS_PER_TOKEN = 4

function effectOf(
  folded: readonly GatewayRequest[],
  { points }: Pick<SessionsContext, "points">,
): FoldEffect {
  const last = points.at(-1)
  const { start = 0, files = 0, results = 0, conversation = 0 } = last?.parts ?? {}
  const now = { system: start, files, symbols: results, history: conversation }
  const items = folded.flatMap(resultsIn)
  const read = resultTokens(folded.map((it) => ({ ...it, added: resultsIn(it).filter(isRead) })))
  const all = resultTokens(folded)
  const summary = Math.ceil(draftOf(folded).length / CHARACTERS_PER_TOKEN)
  // The window is the provider's count, the results are ours, so the difference is kept above 0.
  const cut = { files: Math.min(files, read), symbols: Math.min(results, all - read) }
  const after = {
    system: start,
    files: files - cut.files,
    symbols: results - cut.symbols,
    history: conversation + summary,
  }
  const nowTokens = last?.tokens ?? 0
  const afterTokens = Math.max(0, nowTokens - cut.files - cut.symbols + summary)
  const first = points.findIndex((it) => it.at >= (folded[0]?.at ?? 0))
  const prefixTokens = points[first - 1]?.tokens ?? 0
  return {
    now,
    nowTokens,
    after,
    cut,
    afterTokens,
    replaces: `Replaces ${plural(items.length, "tool result")}, ${formatExact(all)} tokens, with a summary that you write. Your messages stay, and the transcript keeps the full text.`,
    cost: `The next prompt sends about ${formatCount(Math.max(0, afterTokens - prefixTokens))} tokens again that the provider had cached.`,
  }
}

function isRead({ name }: GatewayRequest["added"][number]): boolean {
  return name === "Read"
}
