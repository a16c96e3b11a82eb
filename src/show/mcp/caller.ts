import {
  CLIENT_INFO_META_KEY,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server"
import { z } from "zod"
import { type Random, visibleLine } from "#ground/base"
import type { Caller } from "#ground/contract"
import { LONGEST_CLIENT_NAME_CHARACTERS } from "./limits.ts"

/** Makes the caller of one request: what opened the door, and what the client calls itself. */
export type Door = (client: string | undefined) => Caller

/**
 * A client that does not say what it is called; in the older era over HTTP none can. It has a name
 * all the same: an owner without one is a person, and what comes through these doors never is.
 */
const UNNAMED = "unnamed"

/** Over HTTP no connection is a session: a client that names none is its own. */
export function httpDoor(principal: string): Door {
  return (client) => ({
    principal,
    client: client ?? UNNAMED,
    session: `${principal}/${client ?? "http"}`,
  })
}

/** On stdio the process is the session, and whoever started it is the owner. */
export function stdioDoor(random: Random): Door {
  const session = `stdio/${Buffer.from(random.bytes(16)).toString("hex")}`
  return (client = UNNAMED) => ({ principal: "owner", client, session })
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
