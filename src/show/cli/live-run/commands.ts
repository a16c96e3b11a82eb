/** Commands that have to do with a run at work, by the operation they lead to. */
const LIVE_NAMES = {
  "agents.start": "run",
  "agents.send": "send",
  attach: "attach",
  "agents.stop": "stop",
  "agents.answer": "answer",
} as const
export type LiveName = (typeof LIVE_NAMES)[keyof typeof LIVE_NAMES] | "handoff"

/** Which of them a line leads to; undefined when it is an operation like any other. */
export function liveNameOf(
  operation: string,
  input: Readonly<Record<string, unknown>>,
): LiveName | undefined {
  // Only a fresh session has to be stayed with; the package alone is an answer like any other.
  if (operation === "agents.handoff") return input["start"] === true ? "handoff" : undefined
  return Object.entries(LIVE_NAMES).find(([name]) => name === operation)?.[1]
}
