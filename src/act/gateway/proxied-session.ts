import type { Log } from "#ground/base"
import type { WireMasks, WireName } from "#ground/contract"
import { createBodyReader, listName } from "./fold/body-reader.ts"
import { type FoldedBranch, foldBody, type WireState, wireStateOf } from "./fold/fold-body.ts"
import type { IneligibleSessions, SessionStates } from "./fold-eligibility.ts"
import type { Masking, MaskOutcome } from "./mask/mask-requests.ts"
import type {
  Exchange,
  Header,
  HostRequest,
  PreparedRequest,
  SessionPort,
} from "./proxy/exchange.ts"
import { agentIn, headerOf, sessionIn } from "./session-header.ts"

/** The result of folding a request; the proxy returns it with the exchange. */
type FoldNote = {
  readonly folded: readonly FoldedBranch[]
  readonly masked?: WireMasks
  state?(): WireState
}

export type LatchedOff = {
  readonly session: string
  readonly reason: string
  readonly branchIds: readonly string[]
}

type SessionDeps = {
  readonly wire: WireName
  readonly states: SessionStates
  readonly latches: IneligibleSessions
  readonly key: string
  readonly log: Log
  readonly masking: Masking
  /**
   * Called once for each session that is no longer folded, since now or since an earlier process.
   */
  latchOff(latched: LatchedOff): void
  tell(text: string): void
}

const OPEN_RECEIPT = "qm-open:br_"

/**
 * Folds the requests of a proxied session and records its fold eligibility. It leaves the body
 * unchanged in every case of doubt: no API key, a compressed body, no session id, another route.
 */
export function createProxiedSession(deps: SessionDeps) {
  const { wire, key, states, latches, log } = deps
  const notices = createNotices(deps)
  const reader = createBodyReader(listName(wire === "openai" ? wire : "anthropic"))
  const refusalOf = (request: HostRequest, session: string): string | undefined =>
    latches.get(session) ?? rewriteDoubt(request, wire)

  const fold = (request: HostRequest, foldedWire: "anthropic" | "openai"): PreparedRequest => {
    const outcome = foldBody(request.body, { wire: foldedWire, key, reader })
    if (outcome.kind === "folded") {
      const { body, branches, state } = outcome
      return { body, isChanged: true, note: { folded: branches, state } satisfies FoldNote }
    }
    if (outcome.why !== null) log.info("a request was sent unfolded", { why: outcome.why })
    return { body: request.body, isChanged: false, note: undefined }
  }

  const port = {
    prepare(request: HostRequest): PreparedRequest | Promise<PreparedRequest> {
      const whole = { body: request.body, isChanged: false, note: undefined }
      const session = sessionOf(request)
      if (session === undefined || wire === "gemini") return whole
      if (refusalOf(request, session) !== undefined) return whole
      const folded = fold(request, wire)
      const masked = deps.masking.apply({ session, agent: agentIn(request.headers) }, folded.body)
      return masked instanceof Promise
        ? masked.then((it) => withMasks(folded, it))
        : withMasks(folded, masked)
    },
    began(request: HostRequest, prepared: PreparedRequest | undefined): void {
      const session = sessionOf(request)
      if (session === undefined) return
      const agent = agentIn(request.headers)
      const doubt = refusalOf(request, session)
      if (doubt !== undefined) states.record(session, agent, { branches: [], doubt })
      else if (wire !== "gemini") {
        const before = states.stateOf(session, agent)
        // Without an open branch the state is that of the previous request.
        const isAsBefore = before?.branches.length === 0 && !request.body.includes(OPEN_RECEIPT)
        const note = isFoldNote(prepared?.note) ? prepared.note : undefined
        const state = () => note?.state?.() ?? wireStateOf(request.body, { wire, key, reader })
        states.record(session, agent, isAsBefore ? before : state())
      }
      notices.began(request, session)
    },
  } satisfies Pick<SessionPort, "began" | "prepare">

  return {
    port,
    /**
     * Latches the session off when the provider refused the folded body and accepted the original.
     * If it refused both it had another reason, e.g. credit, which unfolding would not cure.
     */
    ended({ request, prepared, status, fallback }: Exchange): void {
      const session = sessionOf(request)
      const isFoldRefused = fallback !== null && status !== null && status < 400
      if (session === undefined || !isFoldRefused || latches.has(session)) return
      const reason = "the provider refused a folded request and accepted the original"
      latches.set(session, reason)
      notices.latched(session)
      const note = isFoldNote(prepared?.note) ? prepared.note : undefined
      const branchIds = note?.folded.map((it) => it.branchId) ?? []
      deps.latchOff({ session, reason, branchIds })
    },
  }
}

function withMasks(folded: PreparedRequest, outcome: MaskOutcome | undefined): PreparedRequest {
  if (outcome === undefined) return folded
  const note = isFoldNote(folded.note) ? folded.note : { folded: [] }
  return { body: outcome.body, isChanged: true, note: { ...note, masked: outcome.masked } }
}

export function masksIn({ prepared, fallback }: Exchange): WireMasks | undefined {
  const note = prepared?.note
  return fallback === null && isFoldNote(note) ? note.masked : undefined
}

export function foldedIn({ prepared, fallback }: Exchange): readonly FoldedBranch[] {
  const note = prepared?.note
  return fallback === null && isFoldNote(note) ? note.folded : []
}

function isFoldNote(note: unknown): note is FoldNote {
  return typeof note === "object" && note !== null && "folded" in note
}

function sessionOf({ method, path, headers }: HostRequest): string | undefined {
  const [route = ""] = path.split("?")
  const isConversation = route.endsWith("/messages") || route.endsWith("/responses")
  return method === "POST" && isConversation ? sessionIn(headers) : undefined
}

/** Only requests with an API key are rewritten: the terms of a subscription may not allow it. */
export function rewriteDoubt({ headers }: HostRequest, wire: WireName): string | undefined {
  const encoding = headerOf(headers, "content-encoding") ?? "identity"
  if (encoding !== "identity") return "its requests are compressed"
  return hasApiKey(headers, wire) ? undefined : "it is not signed in with an API key"
}

function hasApiKey(headers: readonly Header[], wire: WireName): boolean {
  const bearer = headerOf(headers, "authorization") ?? ""
  if (wire === "anthropic") return headerOf(headers, "x-api-key") !== undefined && bearer === ""
  // A login sends a JWT and its account; an API key has no dots.
  const isLogin =
    headerOf(headers, "chatgpt-account-id") !== undefined || /^bearer ey/i.test(bearer)
  return bearer !== "" && !isLogin
}

const BRANCH_TOOLS = { anthropic: '__branch"', openai: '"branch"', gemini: "" } as const

const WITHOUT_TOOL =
  "Nothing can be folded in this session: the host does not have the tool `branch`. " +
  "To add it, run `claude mcp add qm -- qm mcp`, or the equivalent for another host."

/** Each session gets one notice that says why nothing will be folded in it. */
function createNotices({ wire, states, latches, latchOff, tell }: SessionDeps) {
  const notified = new Set<string>()
  const requests = new Map<string, number>()
  return {
    latched: (session: string) => void notified.add(session),
    began({ headers, body }: HostRequest, session: string): void {
      if (notified.has(session) || agentIn(headers) !== "") return
      const reason = latches.get(session)
      const doubt = states.stateOf(session, "")?.doubt ?? null
      const count = (requests.get(session) ?? 0) + 1
      requests.set(session, count)
      // At the first request an MCP server may not have started yet.
      const isWithoutTool = count >= 2 && !body.includes(BRANCH_TOOLS[wire])
      if (reason === undefined && doubt === null && !isWithoutTool) return
      notified.add(session)
      if (reason !== undefined) latchOff({ session, reason, branchIds: [] })
      else if (doubt !== null) tell(`Nothing is folded in this session: ${doubt}.`)
      else tell(WITHOUT_TOOL)
    },
  }
}
