import {
  CLIENT_INFO_META_KEY,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server"
import { z } from "zod"
import { type Random, visibleLine } from "#ground/base"
import type { Caller, CallingPerson } from "#ground/contract"
import { LONGEST_CLIENT_NAME_CHARACTERS } from "./limits.ts"

/** Claims of a request; they are trusted as names only. */
export type CallerName = {
  readonly client: string | undefined
  readonly session: string | undefined
}

/** Combines the caller's credentials with the names it sent. */
export type CallerOf = (named: CallerName) => Caller

/**
 * A client that sends no name; in the older protocol over HTTP none can. It needs a name, because
 * an owner without one is a user, and a tool call is never made by a user.
 */
const UNNAMED = "unnamed"

/** Over HTTP a connection is no session: a client that names none is its own session. */
export function httpCallers(principal: string, person?: CallingPerson): CallerOf {
  return ({ client }) => ({
    ...(person !== undefined && { person }),
    principal,
    client: client ?? UNNAMED,
    session: `${principal}/${client ?? "http"}`,
  })
}

/**
 * On stdio the process that started us is the owner. The session is the one that the host's hooks
 * use, so that metered tokens belong to it: Codex sends it with each call, Claude Code in the
 * environment. Otherwise the process is the session.
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

/** As Codex sends it. */
export function sessionIn(context: ServerContext): string | undefined {
  return plainSession(context.mcpReq._meta?.["sessionId"])
}

/** A host's id is a short word of plain characters. */
export function plainSession(value: unknown): string | undefined {
  return typeof value === "string" && /^[\x21-\x7e]{1,200}$/.test(value) ? value : undefined
}

const ClientInfo = z.object({ name: z.string().min(1) })
const Envelope = z.object({ [CLIENT_INFO_META_KEY]: ClientInfo })

/** Sent with each request in the modern protocol, at the start in the older one. */
export function clientNameOf(context: ServerContext, server: McpServer): string | undefined {
  const envelope = Envelope.safeParse(context.mcpReq.envelope)
  const info = envelope.success
    ? envelope.data[CLIENT_INFO_META_KEY]
    : ClientInfo.safeParse(server.server.getClientVersion()).data
  const name = visibleLine(info?.name ?? "").slice(0, LONGEST_CLIENT_NAME_CHARACTERS)
  return name.trim() === "" ? undefined : name
}
