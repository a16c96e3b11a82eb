import {
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server"
import { z } from "zod"
import { say } from "./suite-tools.ts"

/**
 * Tools that query the client during a call, in the era before 2026-07-28. Such a query and its
 * answer are two requests that only a session connects.
 */
export function mountAsking(server: McpServer): void {
  server.registerTool(
    "test_sampling",
    { description: "Asks the client's model", inputSchema: z.object({ prompt: z.string() }) },
    ({ prompt }, context) => {
      const given = inputResponse(context.mcpReq.inputResponses, "answer")
      if (given.kind === "sampling") {
        return { content: [say(`LLM response: ${JSON.stringify(given.result.content)}`)] }
      }
      const messages = [{ role: "user" as const, content: say(prompt) }]
      const answer = inputRequired.createMessage({ messages, maxTokens: 100 })
      return inputRequired({ inputRequests: { answer } })
    },
  )
  server.registerTool(
    "test_elicitation",
    { description: "Asks the user", inputSchema: z.object({ message: z.string() }) },
    ({ message }, context) => elicit(message, FORMS.user, context),
  )
  const forms = { sep1034_defaults: FORMS.defaults, sep1330_enums: FORMS.enums }
  for (const [name, form] of Object.entries(forms)) {
    server.registerTool(
      `test_elicitation_${name}`,
      { description: "Asks the user", inputSchema: z.object({}) },
      (_, context) => elicit("Please fill in", form, context),
    )
  }
}

type Form = Parameters<typeof inputRequired.elicit>[0]["requestedSchema"]

function elicit(message: string, requestedSchema: Form, context: ServerContext) {
  const given = inputResponse(context.mcpReq.inputResponses, "form")
  if (given.kind !== "elicit") {
    const form = inputRequired.elicit({ message, requestedSchema })
    return inputRequired({ inputRequests: { form } })
  }
  const text = `action=${given.action}, content=${JSON.stringify(given.content)}`
  return { content: [say(`Elicitation completed: ${text}`)] }
}

const choice = (value: string, title: string) => ({ const: value, title })

const FORMS = {
  user: {
    type: "object",
    properties: { username: { type: "string" }, email: { type: "string" } },
    required: ["username", "email"],
  },
  defaults: {
    type: "object",
    properties: {
      name: { type: "string", default: "John Doe" },
      age: { type: "integer", default: 30 },
      score: { type: "number", default: 95.5 },
      status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean", default: true },
    },
  },
  enums: {
    type: "object",
    properties: {
      untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
      titledSingle: { type: "string", oneOf: [choice("value1", "First Option")] },
      legacyEnum: { type: "string", enum: ["opt1", "opt2"], enumNames: ["One", "Two"] },
      untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2"] } },
      titledMulti: { type: "array", items: { anyOf: [choice("value1", "First Choice")] } },
    },
  },
} satisfies Record<string, Form>
