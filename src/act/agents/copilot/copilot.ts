import path from "node:path"
import { systemClock, systemRandom } from "#ground/base"
import { INSTALL_COMMANDS } from "#ground/contract"
import type { Agent, CompleteOptions } from "../agent.ts"
import { findProgramOf } from "../find-program.ts"
import { completeOnce } from "../wire/host-process.ts"
import { type Deps, startSession } from "./session.ts"

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
  install: INSTALL_COMMANDS.copilot,
} as const

export const copilot: Agent = createCopilot({ clock: systemClock, random: systemRandom })

/**
 * `copilot` has no switch to store nothing, so its home is in the temporary folder. A manual login
 * is not visible there: without a token or provider in the environment nothing is sent.
 */
async function complete(options: CompleteOptions): Promise<string | undefined> {
  const { environment, cwd } = options
  if (!SIGNED_IN.some((name) => (environment[name] ?? "") !== "")) return undefined
  const { COPILOT_ALLOW_ALL: _all, COPILOT_ASSISTED_APPROVAL: _assisted, ...rest } = environment
  const own = { ...rest, COPILOT_HOME: path.join(cwd, "copilot-home") }
  const printed = await completeOnce({ ...options, environment: own }, argumentsFor(options.model))
  const answer = printed?.trim()
  return answer === "" ? undefined : answer
}

const SIGNED_IN = ["COPILOT_PROVIDER_BASE_URL", "COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"]

function argumentsFor(model: string | undefined): readonly string[] {
  return [
    "--silent",
    "--output-format=text",
    "--no-color",
    "--no-auto-update",
    "--no-ask-user",
    "--no-custom-instructions",
    "--disable-builtin-mcps",
    // Not the name of any tool: an empty list would mean all of them.
    "--available-tools=none",
    ...(model === undefined ? [] : [`--model=${model}`]),
  ]
}
