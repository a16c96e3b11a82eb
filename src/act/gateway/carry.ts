import type { Log } from "#ground/base"
import type { WireName } from "#ground/contract"
import type { Conversations, Latches } from "./conversations.ts"
import { type FoldedBranch, foldBody, wireStateOf } from "./fold/fold-body.ts"
import type { Asked, CarryPort, Exchange, Header, Prepared } from "./proxy/proxy.ts"

/** What was done to a request before it left; handed back with how it went. */
export type Note = { readonly folded: readonly FoldedBranch[] }

type FoldingDeps = {
  readonly wire: WireName
  /** By which our own receipts are known. */
  readonly key: string
  readonly conversations: Conversations
  readonly latches: Latches
  readonly log: Log
  /** This session is folded no more: since now, or since an earlier process. Once for each. */
  latchOff(latched: LatchedOff): void
  /** Something that a person should know, in words. */
  tell(text: string): void
}

export type LatchedOff = {
  readonly session: string
  readonly reason: string
  /** Those that were folded until now. */
  readonly branchIds: readonly string[]
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

  /** Seen by who asks whether a branch could be folded: a return comes after the answer began. */
  function look({ headers, body }: Asked, session: string): void {
    if (wire === "gemini") return
    const agent = agentIn(headers)
    const before = conversations.seen(session, agent)
    // Without an open branch there is nothing to say that was not said of the request before.
    const isAsBefore = before?.branches.length === 0 && !body.includes(OPEN_RECEIPT)
    conversations.saw(session, agent, isAsBefore ? before : wireStateOf(body, { wire, key }))
  }

  const notices = createNotices(deps)
  const port = {
    prepare(asked: Asked): Prepared {
      const whole = { body: asked.body, isChanged: false, note: undefined }
      const session = sessionOf(asked)
      if (session === undefined || wire === "gemini") return whole
      if (refusalOf(asked, session) !== undefined) return whole
      const outcome = foldBody(asked.body, { wire, key })
      if (outcome.kind === "folded") {
        return { body: outcome.body, isChanged: true, note: { folded: outcome.branches } }
      }
      if (outcome.why !== null) log.info("a request was left whole", { why: outcome.why })
      return whole
    },
    began(asked: Asked): void {
      const session = sessionOf(asked)
      if (session === undefined) return
      const doubt = refusalOf(asked, session)
      if (doubt === undefined) look(asked, session)
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

/** As hosts name our tool in a request that offers it. */
const BRANCH_TOOLS = { anthropic: '__branch"', openai: '"branch"', gemini: "" } as const

/** Why nothing will be folded is said once a session; whoever asked for folding would wait for it. */
function createNotices({ wire, conversations, latches, latchOff, tell }: FoldingDeps) {
  const told = new Set<string>()
  const asked = new Map<string, number>()
  return {
    latched: (session: string) => void told.add(session),
    began({ headers, body }: Asked, session: string): void {
      if (told.has(session) || agentIn(headers) !== "") return
      const reason = latches.get(session)
      const doubt = conversations.seen(session, "")?.doubt ?? null
      const times = (asked.get(session) ?? 0) + 1
      asked.set(session, times)
      // At the first request a server of tools may not be there yet.
      const isWithoutTool = times >= 2 && !body.includes(BRANCH_TOOLS[wire])
      if (reason === undefined && doubt === null && !isWithoutTool) return
      told.add(session)
      if (reason !== undefined) latchOff({ session, reason, branchIds: [] })
      else if (doubt !== null) tell(`Nothing is folded in this session: ${doubt}.`)
      else tell(WITHOUT_TOOL)
    },
  }
}

const WITHOUT_TOOL =
  "Nothing can be folded in this session: the host has no tool `branch`. " +
  "Give it ours: `claude mcp add qm -- qm mcp`, or the same for another host."

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

export function sessionIn(headers: readonly Header[]): string | undefined {
  const session = headerOf(headers, "x-claude-code-session-id") ?? headerOf(headers, "session-id")
  return session !== undefined && /^[\x21-\x7e]{1,200}$/.test(session) ? session : undefined
}

function agentIn(headers: readonly Header[]): string {
  return headerOf(headers, "x-claude-code-agent-id") ?? ""
}

export function headerOf(headers: readonly Header[], wanted: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1]
}
