import { type Clock, systemClock } from "#ground/base"
import type { Agent } from "../agent.ts"
import { findProgramOf } from "../find.ts"
import { complete } from "./complete.ts"
import { startSession } from "./session.ts"

/** The person's own `codex`, driven over its app-server. */
export function createCodex(deps: { readonly clock: Clock }): Agent {
  return {
    type: "codex",
    title: "Codex",
    find: (options) => findProgramOf(WANTED, options),
    start: (options) => startSession(options, deps.clock),
    complete,
  }
}

const WANTED = { host: "codex", title: "Codex", install: "npm install -g @openai/codex" } as const

export const codex: Agent = createCodex({ clock: systemClock })
