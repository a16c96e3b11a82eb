import {
  CLIENT_INFO_META_KEY,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server"
import { z } from "zod"
import { type Random, visibleLine } from "#ground/base"
import type { Caller } from "#ground/contract"
import { LONGEST_CLIENT_NAME_CHARACTERS } from "./limits.ts"

/** What a request says of who sends it; none of it is believed further than a name is. */
export type CallerName = {
  readonly client: string | undefined
  readonly session: string | undefined
}

/** Makes the caller of one request: what opened the callerOf, and what the client calls itself. */
export type CallerOf = (named: CallerName) => Caller

/**
 * A client that does not say what it is called; in the older era over HTTP none can. It has a name
 * all the same: an owner without one is a person, and what comes through these doors never is.
 */
const UNNAMED = "unnamed"

/** Over HTTP no connection is a session: a client that names none is its own. */
export function httpCallers(principal: string): CallerOf {
  return ({ client }) => ({
    principal,
    client: client ?? UNNAMED,
    session: `${principal}/${client ?? "http"}`,
  })
}

/**
 * On stdio whoever started the process is the owner. The session is the one that the host's hooks
 * speak of, so that what they meter is of the same: Codex names it with each call, Claude Code in
 * the environment. Of a host that names none the process is the session.
 */
export function stdioCallers(
  random: Random,
  environment: Readonly<Record<string, string | undefined>> = {},
): CallerOf {
  const own =
    plainSession(environment["CLAUDE_CODE_SESSION_ID"]) ??
    `stdio/${Buffer.from(random.bytes(16)).toString("hex")}`
  return ({ client = UNNAMED, session = own }) => ({ principal: "owner", client, session })
}

/** The session that a request carries, as Codex sends it. */
export function sessionIn(context: ServerContext): string | undefined {
  return plainSession(context.mcpReq._meta?.["sessionId"])
}

/** An id of a host is a short word of plain signs; anything else is none. */
function plainSession(given: unknown): string | undefined {
  return typeof given === "string" && /^[\x21-\x7e]{1,200}$/.test(given) ? given : undefined
}

const ClientInfo = z.object({ name: z.string().min(1) })
const Envelope = z.object({ [CLIENT_INFO_META_KEY]: ClientInfo })

/** What the client calls itself: with each request in the modern era, at the start in the older. */
export function clientNameOf(context: ServerContext, server: McpServer): string | undefined {
  const envelope = Envelope.safeParse(context.mcpReq.envelope)
  const info = envelope.success
    ? envelope.data[CLIENT_INFO_META_KEY]
    : ClientInfo.safeParse(server.server.getClientVersion()).data
  const name = visibleLine(info?.name ?? "").slice(0, LONGEST_CLIENT_NAME_CHARACTERS)
  return name.trim() === "" ? undefined : name
}
