import type { SessionParams } from "../../data/paths.ts"

/** The window of the main agent, or of a sub-agent. */
export function contextOf(session: string, { agent }: Pick<SessionParams, "agent">) {
  return { session, agent: agent === "" ? "main" : agent }
}
