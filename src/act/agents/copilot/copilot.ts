import { systemClock, systemRandom } from "#ground/base"
import type { Agent } from "../agent.ts"
import { findProgramOf } from "../find.ts"
import { complete } from "./complete.ts"
import { type Deps, startSession } from "./session.ts"

/** The person's own `copilot`, one process a turn. */
export function createCopilot(deps: Deps): Agent {
  return {
    type: "copilot",
    title: "Copilot",
    find: (options) => findProgramOf(WANTED, options),
    start: (options) => startSession(options, deps),
    complete,
  }
}

const WANTED = {
  host: "copilot",
  title: "Copilot",
  install: "npm install -g @github/copilot",
} as const

export const copilot: Agent = createCopilot({ clock: systemClock, random: systemRandom })
