import {
  McpServer,
  type ServerContext,
  type StandardSchemaWithJSON,
} from "@modelcontextprotocol/server"
import { z } from "zod"
import { isAppError } from "#ground/base"
import type { Progress, ToolSetName } from "#ground/contract"
import { answered, failed } from "./answer.ts"
import { type CallerOf, clientNameOf, sessionIn } from "./caller.ts"
import { addResources } from "./resources.ts"
import type { McpApp, Tool, ToolCall } from "./tools/tool.ts"
import { toolsOf } from "./tools/tools.ts"

/** In every window with our tools: when to use them. */
export const INSTRUCTIONS = [
  "Quartermaster keeps this context window small.",
  "Before a sub-task that reads a lot and ends in a short conclusion, call branch, follow its response, and end it with return: only the returned message stays.",
  "Call pack, search or map before you read files one by one.",
  "Large results are stored under a handle; read the part you need with read_handle (lines, or query).",
  "memory_search finds earlier decisions and lessons; call memory_record only for facts that later work needs and the code does not show.",
  "If you have a session_id, pass the same one with every call of a conversation.",
].join(" ")

/** For folding switched off. */
export const INSTRUCTIONS_WITHOUT_FOLDING = INSTRUCTIONS.replace(
  /Before a sub-task.{0,500}?stays\. /,
  "",
)

type ServerDeps = {
  readonly app: McpApp
  readonly tools: readonly ToolSetName[]
  readonly shown: ShownTools
  readonly version: string
  readonly callerOf: CallerOf
  readonly extend?: ((server: McpServer) => void) | undefined
}

/** One server per request over HTTP, one per connection on stdio. It has no state. */
export function makeServer(deps: ServerDeps): McpServer {
  const { app, tools, version } = deps
  const isFolding = app.config().context_folding.enabled
  const server = new McpServer(
    { name: "quartermaster", title: "Quartermaster", version },
    {
      // The lists are constants.
      capabilities: { tools: { listChanged: false }, resources: { listChanged: false } },
      instructions: isFolding ? INSTRUCTIONS : INSTRUCTIONS_WITHOUT_FOLDING,
    },
  )
  const callOf = (context: ServerContext): ToolCall => {
    const onProgress = progressTo(context, (error) => app.log.debug("progress lost", { error }))
    return {
      app,
      caller: deps.callerOf({ client: clientNameOf(context, server), session: sessionIn(context) }),
      signal: context.mcpReq.signal,
      ...(onProgress !== undefined && { onProgress }),
    }
  }
  for (const { tool, shown } of deps.shown) {
    const isListed = tools.includes(tool.set) && (isFolding || !tool.needsFolding)
    if (!isListed) continue
    server.registerTool(tool.name, shown, async (args, context) => {
      try {
        return answered(await tool.run(args, callOf(context)))
      } catch (error) {
        // A cancelled request gets no response, and its abort is no bug.
        const isTakenBack = context.mcpReq.signal.aborted && !isAppError(error)
        return isTakenBack ? { content: [], isError: true } : await failed(error, app)
      }
    })
  }
  addResources(server, { app, callOf })
  deps.extend?.(server)
  return server
}

/** Computed once: a server is created for every request. */
export async function shownTools(app: Pick<McpApp, "operations">): Promise<ShownTools> {
  return toolsOf(await app.operations()).map((tool) => ({ tool, shown: definitionOf(tool) }))
}
type ShownTools = readonly {
  readonly tool: Tool
  readonly shown: ReturnType<typeof definitionOf>
}[]

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

/**
 * The schema shown to hosts. `deriveTool` validates values, so that the error text is one that a
 * model can act on.
 */
function advertise(schema: z.ZodType, io: "input" | "output"): StandardSchemaWithJSON {
  const { $schema: _, ...shown } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => leanOut(jsonSchema, io),
  })
  const json = (): Record<string, unknown> => shown
  return {
    "~standard": {
      version: 1,
      vendor: "quartermaster",
      validate: (value) => ({ value }),
      jsonSchema: { input: json, output: json },
    },
  }
}

/** Definitions cost tokens in every window: omit what has no meaning. */
function leanOut(json: z.core.JSONSchema.BaseSchema, io: "input" | "output"): void {
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum
  // Results may gain fields; arguments may not.
  if (io === "output") delete json.additionalProperties
}

/**
 * Reports progress if the client asked for it. The protocol requires rising numbers, and our phases
 * each start at 0, so steps are counted over all phases and the message has the position in the
 * phase. At most one report per percent of a phase.
 */
function progressTo(
  { mcpReq }: ServerContext,
  onLost: (error: unknown) => void,
): ((progress: Progress) => void) | undefined {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return undefined
  let steps = 0
  let last = ""
  return ({ what, done, total }) => {
    const percent = total === 0 ? 0 : Math.floor((done / total) * 100)
    const phase = `${what} ${percent}`
    if (phase === last) return
    last = phase
    steps += 1
    const message = total === 0 ? what : `${what}: ${done} of ${total}`
    const params = { progressToken, progress: steps, message }
    mcpReq.notify({ method: "notifications/progress", params }).catch(onLost)
  }
}
