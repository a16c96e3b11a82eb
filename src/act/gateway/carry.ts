import type { Log } from "#ground/base"
import type { WireName } from "#ground/contract"
import { type FoldedBranch, foldBody, type WireState, wireStateOf } from "./fold/fold-body.ts"
import { createNotices, type NoticeDeps } from "./notices.ts"
import type { Asked, CarryPort, Exchange, Header, Prepared } from "./proxy/proxy.ts"
import { agentIn, headerOf, sessionIn } from "./speaker.ts"

/** What was done to a request before it left; handed back with how it went. */
export type Note = {
  readonly folded: readonly FoldedBranch[]
  /** What stood open in it before it was folded. */
  state?(): WireState
}

type FoldingDeps = NoticeDeps & {
  /** By which our own receipts are known. */
  readonly key: string
  readonly log: Log
}

/** As every receipt of an opened branch begins. */
const OPEN_RECEIPT = "qm-open:br_"

/**
 * What folds. Every doubt ends with the bytes as they came: not an API key, a compressed body, a
 * session that nobody names, a route that is no conversation.
 */
export function createFolding(deps: FoldingDeps) {
  const { wire, key, conversations, latches, log } = deps

  const refusalOf = (asked: Asked, session: string): string | undefined =>
    latches.get(session) ?? unfoldable(asked, wire)

  const notices = createNotices(deps)
  const port = {
    prepare(asked: Asked): Prepared {
      const whole = { body: asked.body, isChanged: false, note: undefined }
      const session = sessionOf(asked)
      if (session === undefined || wire === "gemini") return whole
      if (refusalOf(asked, session) !== undefined) return whole
      const outcome = foldBody(asked.body, { wire, key })
      if (outcome.kind === "folded") {
        const { body, branches, state } = outcome
        return { body, isChanged: true, note: { folded: branches, state } satisfies Note }
      }
      if (outcome.why !== null) log.info("a request was left whole", { why: outcome.why })
      return whole
    },
    began(asked: Asked, prepared: Prepared | undefined): void {
      const session = sessionOf(asked)
      if (session === undefined) return
      const doubt = refusalOf(asked, session)
      if (doubt === undefined) look({ asked, prepared, session }, deps)
      else conversations.saw(session, agentIn(asked.headers), { branches: [], doubt })
      notices.began(asked, session)
    },
  } satisfies Pick<CarryPort, "began" | "prepare">

  return {
    port,
    /**
     * A provider that refuses the folded form and takes the original has refused the fold. One that
     * refuses both had another reason, credit say, and to unfold for ever would cure nothing.
     */
    ended({ asked, prepared, status, fallback }: Exchange): void {
      const session = sessionOf(asked)
      const isFoldRefused = fallback !== null && status !== null && status < 400
      if (session === undefined || !isFoldRefused || latches.has(session)) return
      const reason = "the provider refused a folded request and took the original"
      latches.set(session, reason)
      notices.latched(session)
      const branchIds = isNote(prepared?.note) ? prepared.note.folded.map((it) => it.branchId) : []
      deps.latchOff({ session, reason, branchIds })
    },
  }
}

/** For who asks whether a branch could be folded: a return comes after the answer began. */
function look({ asked, prepared, session }: Begun, deps: FoldingDeps): void {
  const { wire, key, conversations } = deps
  if (wire === "gemini") return
  const agent = agentIn(asked.headers)
  const before = conversations.seen(session, agent)
  // Without an open branch there is nothing to say that was not said of the request before.
  const isAsBefore = before?.branches.length === 0 && !asked.body.includes(OPEN_RECEIPT)
  const state = () =>
    (isNote(prepared?.note) ? prepared.note.state?.() : undefined) ??
    wireStateOf(asked.body, { wire, key })
  conversations.saw(session, agent, isAsBefore ? before : state())
}

type Begun = {
  readonly asked: Asked
  readonly prepared: Prepared | undefined
  readonly session: string
}

export function noteOf({ prepared, fallback }: Exchange): Note {
  const note = prepared?.note
  const isFolded = fallback === null && isNote(note)
  return isFolded ? note : { folded: [] }
}

function isNote(note: unknown): note is Note {
  return typeof note === "object" && note !== null && "folded" in note
}

/** Of a request that is a conversation with a name. */
function sessionOf({ method, path, headers }: Asked): string | undefined {
  const [route = ""] = path.split("?")
  const isConversation = route.endsWith("/messages") || route.endsWith("/responses")
  return method === "POST" && isConversation ? sessionIn(headers) : undefined
}

/**
 * Rewriting is for API keys: whether a subscription's terms allow it is not ours to decide.
 */
function unfoldable({ headers }: Asked, wire: WireName): string | undefined {
  const encoding = headerOf(headers, "content-encoding") ?? "identity"
  if (encoding !== "identity") return "its requests are compressed"
  return hasApiKey(headers, wire) ? undefined : "it is not signed in with an API key"
}

function hasApiKey(headers: readonly Header[], wire: WireName): boolean {
  const bearer = headerOf(headers, "authorization") ?? ""
  if (wire === "anthropic") return headerOf(headers, "x-api-key") !== undefined && bearer === ""
  // A login sends a signed token with dots and says whose account it is; a key is one word.
  const isLogin =
    headerOf(headers, "chatgpt-account-id") !== undefined || /^bearer ey/i.test(bearer)
  return bearer !== "" && !isLogin
}
