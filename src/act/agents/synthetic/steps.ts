import type { z } from "zod"
import { AgentEvent } from "#ground/contract"

export type Step = { readonly afterMs: number; readonly event: AgentEvent }

type EventInput = z.input<typeof AgentEvent>

export const step = (afterMs: number, event: EventInput): Step => ({
  afterMs,
  event: AgentEvent.parse(event),
})

export type Activity = Omit<Extract<EventInput, { event: "activity.started" }>, "event">
type Result = Partial<Omit<Extract<EventInput, { event: "activity.ended" }>, "event">>

export const started = (afterMs: number, activity: Activity): Step =>
  step(afterMs, { event: "activity.started", ...activity })

export const ended = (afterMs: number, activityId: string, result: Result): Step =>
  step(afterMs, { event: "activity.ended", activityId, outcome: "done", ...result })

const ofFile = (kind: "read" | "edit", tool: string) => (activityId: string, path: string) => ({
  activityId,
  kind,
  tool,
  title: `${tool} ${path}`,
  input: JSON.stringify({ file_path: path }),
  path,
})
export const readOf = ofFile("read", "Read")
export const editOf = ofFile("edit", "Edit")

export const grepOf = (activityId: string, pattern: string): Activity => ({
  activityId,
  kind: "search",
  tool: "Grep",
  title: `Grep ${pattern}(`,
  input: JSON.stringify({ pattern: `${pattern}\\(` }),
})

export const commandOf = (activityId: string, command: string): Activity => ({
  activityId,
  kind: "command",
  tool: "Bash",
  title: command,
  input: JSON.stringify({ command }),
})

export const subAgentOf = (activityId: string, prompt: string): Activity => ({
  activityId,
  kind: "agent",
  tool: "Agent",
  title: prompt,
  input: JSON.stringify({ prompt }),
})

export const tokens = (input: number, output: number) => ({
  input,
  output,
  cacheRead: 0,
  cacheWrite: 0,
})
