import { McpServer, type ServerContext } from "@modelcontextprotocol/server"
import { isAppError } from "#ground/base"
import { answered, failed } from "./answer.ts"
import { clientNameOf, type Door, sessionIn } from "./caller.ts"
import { INSTRUCTIONS, INSTRUCTIONS_WITHOUT_FOLDING } from "./instructions.ts"
import { progressTo } from "./progress.ts"
import { addResources } from "./resources.ts"
import { advertise } from "./schema.ts"
import type { McpApp, Tool, ToolCall, ToolSetName } from "./tools/tool.ts"
import { TOOLS } from "./tools/tools.ts"

export type ServerDeps = {
  readonly app: McpApp
  readonly tools: readonly ToolSetName[]
  readonly version: string
  readonly door: Door
  readonly extend?: ((server: McpServer) => void) | undefined
}

/** One server: for one request over HTTP, for one connection on stdio. It holds nothing. */
export function makeServer(deps: ServerDeps): McpServer {
  const { app, tools, version } = deps
  const isFolding = app.config().context_folding.enabled
  const server = new McpServer(
    { name: "quartermaster", title: "Quartermaster", version },
    {
      // The lists are constants: nobody has to be told that they changed.
      capabilities: { tools: { listChanged: false }, resources: { listChanged: false } },
      instructions: isFolding ? INSTRUCTIONS : INSTRUCTIONS_WITHOUT_FOLDING,
    },
  )
  const callOf = (context: ServerContext): ToolCall => {
    const onProgress = progressTo(context, (error) => app.log.debug("progress lost", { error }))
    return {
      app,
      caller: deps.door({ client: clientNameOf(context, server), session: sessionIn(context) }),
      signal: context.mcpReq.signal,
      ...(onProgress !== undefined && { onProgress }),
    }
  }
  for (const { tool, shown } of SHOWN) {
    const isListed = tools.includes(tool.set) && (isFolding || tool.needsFolding !== true)
    if (!isListed) continue
    server.registerTool(tool.name, shown, async (given, context) => {
      try {
        return answered(await tool.run(given, callOf(context)))
      } catch (error) {
        // Whoever took the question back hears no answer; that work was stopped is no bug of ours.
        const isTakenBack = context.mcpReq.signal.aborted && !isAppError(error)
        return isTakenBack ? { content: [], isError: true } : await failed(error, app)
      }
    })
  }
  addResources(server, { app, callOf })
  deps.extend?.(server)
  return server
}

/** Made once: a server is made for every request. */
const SHOWN = TOOLS.map((tool) => ({ tool, shown: definitionOf(tool) }))

function definitionOf(tool: Tool) {
  return {
    title: tool.title,
    description: tool.description,
    inputSchema: advertise(tool.input, "input"),
    outputSchema: advertise(tool.output, "output"),
    annotations: { openWorldHint: false, ...tool.annotations },
    ...(tool.meta !== undefined && { _meta: { ...tool.meta } }),
  }
}
