import { createMcpHandler, type McpServer } from "@modelcontextprotocol/server"
import { invariant, once, versions } from "#ground/base"
import type { ToolSetName } from "#ground/contract"

import { httpCallers } from "./caller.ts"
import { LARGEST_BODY_BYTES, MOST_SUBSCRIPTIONS } from "./limits.ts"
import { makeServer, shownTools } from "./server.ts"
import type { McpApp } from "./tools/tool.ts"

/** Our tools over HTTP. The guard has already admitted the request and identified its principal. */
export type Mcp = {
  fetch(request: Request, who: { readonly principal: string }): Promise<Response>
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
        callerOf: httpCallers(authInfo.clientId),
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
    fetch: (request, { principal }) =>
      handler.fetch(request, { authInfo: { token: "", clientId: principal, scopes: [] } }),
    close: () => handler.close(),
  }
}
