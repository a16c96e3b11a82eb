/** Commands that have to do with a run at work; known before any room is loaded. */
const LIVE_NAMES = ["run", "send", "attach", "stop", "answer", "handoff"] as const
export type LiveName = (typeof LIVE_NAMES)[number]

/** Which of them a line leads to; undefined when it is an operation like any other. */
export function liveNameOf(
  operation: string,
  input: Readonly<Record<string, unknown>>,
): LiveName | undefined {
  // Only a fresh session has to be stayed with; the package alone is an answer like any other.
  if (operation === "agents.handoff") return input["start"] === true ? "handoff" : undefined
  return LIVE_NAMES.find((it) => it === operation)
}
