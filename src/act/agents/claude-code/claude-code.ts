import { type Clock, systemClock } from "#ground/base"
import type { Agent } from "../agent.ts"
import { findProgramOf } from "../find.ts"
import { complete } from "./complete.ts"
import { startSession } from "./session.ts"

/** The person's own `claude`, driven over its stream-json protocol. */
export function createClaudeCode(deps: { readonly clock: Clock }): Agent {
  return {
    type: "claude-code",
    title: "Claude Code",
    find: (options) => findProgramOf(WANTED, options),
    start: (options) => startSession(options, deps.clock),
    complete,
  }
}

const WANTED = {
  host: "claude-code",
  title: "Claude Code",
  install: "npm install -g @anthropic-ai/claude-code",
} as const

export const claudeCode: Agent = createClaudeCode({ clock: systemClock })
