import { createMcpHandler, type McpServer } from "@modelcontextprotocol/server"
import { z } from "zod"
import { invariant, once, versions } from "#ground/base"
import { type CallingPerson, Role, type ToolSetName } from "#ground/contract"

import { httpCallers } from "./caller.ts"
import { LARGEST_BODY_BYTES, MOST_SUBSCRIPTIONS } from "./limits.ts"
import { makeServer, shownTools } from "./server.ts"
import type { McpApp } from "./tools/tool.ts"

type McpSender = {
  readonly principal: string
  /** A person of the store; absent for the machine's own user and its clients. */
  readonly person?: CallingPerson | undefined
}

/** Our tools over HTTP. The guard has already admitted the request and identified its principal. */
export type Mcp = {
  fetch(request: Request, who: McpSender): Promise<Response>
  close(): Promise<void>
}

export type McpDeps = {
  readonly app: McpApp
  readonly tools: readonly ToolSetName[]
  readonly version?: string
  /** For tests: the fixtures of the protocol's own suite. */
  readonly extend?: (server: McpServer) => void
}

/** Both protocol versions from one factory: one server per request. */
export function createMcp({ app, tools, version = versions().qm, extend }: McpDeps): Mcp {
  const loadTools = once(() => shownTools(app))
  const handler = createMcpHandler(
    async ({ authInfo }) => {
      invariant(authInfo !== undefined, "an MCP request has a caller")
      return makeServer({
        app,
        tools,
        shown: await loadTools(),
        version,
        callerOf: httpCallers(authInfo.clientId, personIn(authInfo.extra)),
        extend,
      })
    },
    {
      maxRequestBodySize: LARGEST_BODY_BYTES,
      maxSubscriptions: MOST_SUBSCRIPTIONS,
      // The package has responded; its message may quote the request.
      onerror: (error) => app.log.info("mcp request refused", { kind: error.name }),
    },
  )
  return {
    // The token stays at the guard; only the principal is passed on.
    fetch: (request, { principal, person }) =>
      handler.fetch(request, {
        authInfo: { token: "", clientId: principal, scopes: [], extra: { person } },
      }),
    close: () => handler.close(),
  }
}

const ExtraPerson = z.object({
  person: z.object({ id: z.string(), name: z.string(), role: Role }).optional(),
})

/** As `fetch` passed it on; anything else is a bug, and must not become the machine's own user. */
function personIn(extra: unknown): CallingPerson | undefined {
  return ExtraPerson.parse(extra).person
}
