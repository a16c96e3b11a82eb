import {
  type CallToolResult,
  fromJsonSchema,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server"
import { z } from "zod"

/** The smallest PNG: one pixel. */
export const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=="
/** A WAV file without samples. */
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="

/** Time between two notifications of one call; the suite requires a gap. */
const STEP_MS = 50

const none = z.object({})

/** The tools that the official suite calls by name; it defines their answers. */
export function mountTools(server: McpServer): void {
  mountContents(server)
  mountNotifiers(server)
  mountSchemas(server)
}

function mountContents(server: McpServer): void {
  const image = { type: "image", data: PNG, mimeType: "image/png" } as const
  const answers: Readonly<Record<string, CallToolResult["content"]>> = {
    test_simple_text: [say("This is a simple text response for testing.")],
    test_image_content: [image],
    test_audio_content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }],
    test_embedded_resource: [
      embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."),
    ],
    test_multiple_content_types: [
      say("Multiple content types test:"),
      image,
      embedded(
        "test://mixed-content-resource",
        "application/json",
        JSON.stringify({ test: "data", value: 123 }),
      ),
    ],
  }
  for (const [name, content] of Object.entries(answers)) {
    server.registerTool(name, { description: "Says one thing", inputSchema: none }, () => ({
      content,
    }))
  }
  server.registerTool(
    "test_error_handling",
    { description: "Always fails", inputSchema: none },
    () => {
      throw new Error("This tool intentionally returns an error for testing")
    },
  )
}

function mountNotifiers(server: McpServer): void {
  const log = async (_: unknown, context: ServerContext) => {
    for (const step of ["started", "processing data", "completed"]) {
      const isMiddle = step === "processing data"
      await context.mcpReq.log("info", isMiddle ? `Tool ${step}` : `Tool execution ${step}`)
      await wait()
    }
    return { content: [say("Logged three times.")] }
  }
  for (const name of ["test_tool_with_logging", "test_logging_tool"]) {
    server.registerTool(name, { description: "Logs as it goes", inputSchema: none }, log)
  }
  server.registerTool(
    "test_tool_with_progress",
    { description: "Says how far it is", inputSchema: none },
    async (_, context) => {
      const progressToken = context.mcpReq._meta?.progressToken
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined) {
          await context.mcpReq.notify({
            method: "notifications/progress",
            params: { progressToken, progress, total: 100 },
          })
        }
        await wait()
      }
      return { content: [say("Reported three times.")] }
    },
  )
}

/** Schemas that must reach the client unchanged. */
function mountSchemas(server: McpServer): void {
  server.registerTool(
    "test_header_parameter",
    {
      description: "Takes a parameter that also travels as a header",
      inputSchema: z.object({ region: z.string().meta({ "x-mcp-header": "Region" }) }),
    },
    ({ region }) => ({ content: [say(region)] }),
  )
  server.registerTool(
    "json_schema_2020_12_tool",
    { description: "Tool with JSON Schema 2020-12 features", inputSchema: fromJsonSchema(ADDRESS) },
    () => ({ content: [say("Understood.")] }),
  )
}

const ADDRESS = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // A JSON Schema keyword; computed, so that the object is not mistaken for a promise.
  ["then" as const]: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
} as const

export function say(text: string) {
  return { type: "text", text } as const
}

function embedded(uri: string, mimeType: string, text: string) {
  return { type: "resource", resource: { uri, mimeType, text } } as const
}

function wait(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, STEP_MS))
}
