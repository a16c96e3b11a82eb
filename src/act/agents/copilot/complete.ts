import path from "node:path"
import type { CompleteOptions } from "../agent.ts"
import { askOnce } from "../wire/ask-once.ts"

/**
 * One question to `copilot`. It has no switch to keep nothing, so its whole home lies in the folder
 * of the question. Who signed in by hand is unknown there: without a token or a provider in the
 * environment nothing is asked.
 */
export async function complete(options: CompleteOptions): Promise<string | undefined> {
  const { environment, cwd } = options
  if (!SIGNED_IN.some((name) => (environment[name] ?? "") !== "")) return undefined
  const { COPILOT_ALLOW_ALL: _all, COPILOT_ASSISTED_APPROVAL: _assisted, ...rest } = environment
  const own = { ...rest, COPILOT_HOME: path.join(cwd, "copilot-home") }
  const printed = await askOnce({ ...options, environment: own }, argumentsFor(options.model))
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
    // A name of no tool: an empty list means all of them.
    "--available-tools=none",
    ...(model === undefined ? [] : [`--model=${model}`]),
  ]
}
