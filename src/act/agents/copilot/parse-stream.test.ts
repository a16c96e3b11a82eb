import { expect, test } from "vitest"
import type { AgentEvent } from "#ground/contract"
import { createEventEmitter } from "../wire/event-emitter.ts"
import { parseEvent } from "./parse-stream.ts"

const SECRET = "hunter2".repeat(6)
const redact = (text: string) => text.replaceAll(SECRET, "[redacted]")

test("[AGENTS-30] no part of a secret appears in a title or in output", async () => {
  const command = `${"x".repeat(130)} ${SECRET} and more`
  const start = { toolCallId: "t", toolName: "bash", arguments: { command } }
  const piece = (text: string) => ["tool.shell_output", { toolCallId: "t", text }] as const
  const events = await told([
    ["tool.execution_start", start],
    piece("one\nthe word is hunter2hun"),
    piece(`${SECRET.slice("hunter2hun".length)}\n`),
  ])
  expect(events).toMatchObject([
    { event: "activity.started", title: `bash ${"x".repeat(130)} [redacted] and more` },
    { event: "activity.updated", output: "one\n" },
    { event: "activity.updated", output: "the word is [redacted]\n" },
  ])
})

async function told(lines: readonly (readonly [string, object])[]): Promise<readonly AgentEvent[]> {
  const emitter = createEventEmitter("Copilot", redact)
  const parser = { emitter, lastText: "", lastError: undefined, denials: 0 }
  for (const [type, data] of lines) parseEvent(parser, type, { data, raw: "{}" })
  emitter.emit({ event: "mode.changed", mode: "ask", by: "test" })
  const events: AgentEvent[] = []
  for await (const { event } of emitter.events) {
    if (event.event === "mode.changed") break
    events.push(event)
  }
  return events
}
