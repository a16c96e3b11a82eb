import { completable, type McpServer, ResourceTemplate } from "@modelcontextprotocol/server"
import { z } from "zod"
import { PNG, say } from "./suite-tools.ts"

export function mountTexts(server: McpServer): void {
  // The lists are constants, like our own, so there are no change notifications.
  server.server.registerCapabilities({ prompts: { listChanged: false } })
  mountSubscriptions(server)
  mountResources(server)
  mountPrompts(server)
}

function mountResources(server: McpServer): void {
  const plain = { description: "A text that never changes", mimeType: "text/plain" }
  server.registerResource("static-text", "test://static-text", plain, (uri) => ({
    contents: [
      {
        uri: uri.href,
        mimeType: "text/plain",
        text: "This is the content of the static text resource.",
      },
    ],
  }))
  const picture = { description: "One pixel", mimeType: "image/png" }
  server.registerResource("static-binary", "test://static-binary", picture, (uri) => ({
    contents: [{ uri: uri.href, mimeType: "image/png", blob: PNG }],
  }))
  const template = new ResourceTemplate("test://template/{id}/data", { list: undefined })
  const json = { description: "Says its own number", mimeType: "application/json" }
  server.registerResource("template", template, json, (uri, { id }) => ({
    contents: [
      {
        uri: uri.href,
        mimeType: "application/json",
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
      },
    ],
  }))
}

/** Only the era before 2026-07-28 has subscriptions; nothing ever changes here. */
function mountSubscriptions({ server }: McpServer): void {
  server.registerCapabilities({ logging: {}, resources: { subscribe: true } })
  server.setRequestHandler("resources/subscribe", () => ({}))
  server.setRequestHandler("resources/unsubscribe", () => ({}))
}

function mountPrompts(server: McpServer): void {
  server.registerPrompt("test_simple_prompt", { description: "Says one thing" }, () => ({
    messages: [{ role: "user", content: say("This is a simple prompt for testing.") }],
  }))
  const word = () =>
    completable(z.string(), (begun) => ["paris", "park"].filter((it) => it.startsWith(begun)))
  server.registerPrompt(
    "test_prompt_with_arguments",
    {
      description: "Says its arguments",
      argsSchema: z.object({ arg1: word(), arg2: word() }),
    },
    ({ arg1, arg2 }) => ({
      messages: [
        {
          role: "user",
          content: say(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
        },
      ],
    }),
  )
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "Holds a resource", argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri: uri }) => {
      const text = "Embedded resource content for testing."
      const resource = { uri, mimeType: "text/plain", text }
      return {
        messages: [
          { role: "user", content: { type: "resource", resource } },
          { role: "user", content: say("Please process the embedded resource above.") },
        ],
      }
    },
  )
  server.registerPrompt("test_prompt_with_image", { description: "Holds a picture" }, () => ({
    messages: [
      { role: "user", content: { type: "image", data: PNG, mimeType: "image/png" } },
      { role: "user", content: say("Please analyze the image above.") },
    ],
  }))
}
